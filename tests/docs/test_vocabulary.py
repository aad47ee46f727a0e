"""The project's names are standard terms: a banned word in an identifier, a heading or a docstring fails here.

`docs/glossary.md` defines the terms that are used instead.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FOLDERS = ("src/timbra", "tests", "bench", "tools")
GLOSSARY = ROOT / "docs" / "glossary.md"

IDENTIFIER_WORDS = frozenset(
    """
    anew breach breaches bury crowd crowds desk dictum exhibition furnish furnished house judge judged judges
    judging lacks laps lifeline mailbox meters nobody nobodys passage patience patient refusal
    refusals refuse refused refuses roads stranded strangers thereby untold verdict verdicts weighed whence whoever
    whosoever
    """.split()  # noqa: SIM905
)
"""Words that no identifier has as one of its parts."""

PROSE_WORDS = frozenset({*IDENTIFIER_WORDS, "somebody"} - {"patient"})
"""Words that no heading and no public docstring has."""

RULE_PACKAGES = ("src/timbra/rules/", "src/timbra/messages/", "src/timbra/examples/", "tests/rules/", "tests/examples/")
"""The text of rules is rewritten rule by rule; their identifiers count already."""

_PROSE = re.compile(r"[a-z]+")
_CODE = re.compile(r"\b[a-z]+(-[a-z]+)+\b")
"""Error codes such as `mail-refused` are part of the interface."""
_TERM = re.compile(
    r"^- \*\*(?P<term>[^*]+)\*\*: (?P<meaning>(?:(?!\n- ).)+?)\s\(`(?P<module>[^`]+)`\)\.$", re.MULTILINE | re.DOTALL
)


@cache
def _sources() -> tuple[tuple[str, ast.Module], ...]:
    """Return the trees of the files that have a banned word anywhere; to parse all files takes ten seconds."""
    words = IDENTIFIER_WORDS | PROSE_WORDS
    files = (path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*.py")))
    kept = (path for path in files if not {"node_modules", "versions", "__pycache__"} & set(path.parts))
    texts = ((path, path.read_text("utf-8")) for path in kept)
    suspects = ((path, text) for path, text in texts if any(map(text.lower().__contains__, words)))
    return tuple((str(path.relative_to(ROOT)), ast.parse(text)) for path, text in suspects)


def _identifiers(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                yield name
            case ast.Name(id=name, ctx=ast.Store()):
                yield name
            case ast.Attribute(attr=name, ctx=ast.Store()):
                yield name
            case ast.arg(arg=name):
                yield name


@cache
def _words(identifier: str) -> frozenset[str]:
    """Split an identifier; "dead letter" is a standard term and counts as one word."""
    identifier = re.sub("(?i)dead_?letter", "delivery", identifier)
    return frozenset(word.lower() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", identifier))


def _public_docstrings(tree: ast.Module) -> Iterator[str]:
    for node in (tree, *ast.walk(tree)):
        if not isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        if not getattr(node, "name", "").startswith("_"):
            yield ast.get_docstring(node) or ""


def test_words_splits_camel_case_and_snake_case() -> None:
    assert _words("_RefusalNotes_of_house") == {"refusal", "notes", "of", "house"}
    assert _words("CSRFToken_XML") == {"csrf", "token", "xml"}


@pytest.mark.parametrize("folder", FOLDERS)
def test_identifiers_have_no_banned_word(folder: str) -> None:
    found = {
        f"{path}: {name} has the word {', '.join(banned)} of IDENTIFIER_WORDS"
        for path, tree in _sources()
        if path.startswith(f"{folder}/")
        for name in _identifiers(tree)
        if (banned := _words(name) & IDENTIFIER_WORDS)
    }
    assert not found


@pytest.mark.parametrize("folder", FOLDERS)
def test_public_docstrings_have_no_banned_word(folder: str) -> None:
    found = {
        f"{path}: {text.splitlines()[0]}"
        for path, tree in _sources()
        if path.startswith(f"{folder}/") and not path.startswith(RULE_PACKAGES)
        for text in _public_docstrings(tree)
        if set(_PROSE.findall(_CODE.sub("", text.lower()))) & PROSE_WORDS
    }
    assert not found


def test_headings_have_no_banned_word() -> None:
    pages = (*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"))
    found = {
        f"{page.name}: {line}"
        for page in pages
        for line in page.read_text("utf-8").splitlines()
        if line.startswith("#") and set(re.findall(r"[a-z]+", line.lower())) & PROSE_WORDS
    }
    assert not found


def test_glossary_defines_a_module_for_each_term() -> None:
    page = GLOSSARY.read_text("utf-8")
    assert len(_TERM.findall(page)) == page.count("\n- ")


def test_glossary_names_modules_that_exist() -> None:
    modules = [match["module"] for match in _TERM.finditer(GLOSSARY.read_text("utf-8"))]
    assert len(modules) > 30
    missing = [
        name
        for name in modules
        if not any((ROOT / "src" / name.replace(".", "/")).with_suffix(suffix).exists() for suffix in ("", ".py"))
    ]
    assert not missing


def test_glossary_defines_each_term_once() -> None:
    terms = [match["term"].lower() for match in _TERM.finditer(GLOSSARY.read_text("utf-8"))]
    assert len(terms) == len(set(terms))
