"""Pages of prose: bounded lines, and names of modules and files that exist."""

from __future__ import annotations

import pkgutil
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = (
    *sorted(ROOT.glob("README*.md")),
    *(ROOT / name for name in ("CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md")),
    *(ROOT / "docs" / name for name in ("glossary.md", "stamping-cycle.md", "verification.md")),
    *sorted((ROOT / "docs" / "decisions").glob("*.md")),
)
MAX_LINE_LENGTH = 120

_CODE_BLOCK = re.compile(r"^ *```.*?^ *```", re.MULTILINE | re.DOTALL)
_BLOCK_END = re.compile(r"\n\s*\n|\n(?=\s*(?:[-*|]|\d+\.) ?)")
_QUOTED = re.compile(r"`([^`\n]+)`")
_MODULE = re.compile(r"(?P<name>timbra(?:\.\w+)+)(?:\(.*\))?")
_PATH = re.compile(r"(?:src|tests|tools)/[\w./*-]*")
_LINK = re.compile(r"\]\((?!https?:|mailto:|#)(?P<target>[^)#\s]+)")


def _name(page: Path) -> str:
    return str(page.relative_to(ROOT))


def _prose(text: str) -> str:
    """Replace code blocks by empty lines, so that line numbers do not change."""
    return _CODE_BLOCK.sub(lambda block: "\n" * block[0].count("\n"), text)


def _long_lines(text: str) -> Iterator[int]:
    """Yield the numbers of the lines of prose that are too long; tables and single words have no limit."""
    for number, line in enumerate(_prose(text).splitlines(), 1):
        if len(line) > MAX_LINE_LENGTH and not line.lstrip().startswith("|") and " " in line.strip():
            yield number


def _names(text: str) -> Iterator[str]:
    """Yield the text in backticks, except in paragraphs and table rows that describe a former state ("formerly")."""
    for block in _BLOCK_END.split(_prose(text)):
        if "formerly" not in block.lower():
            yield from _QUOTED.findall(block)


def _exists(name: str) -> bool:
    """Whether a module, a name in a module, or a file exists; True for text that names neither."""
    if module := _MODULE.fullmatch(name):
        try:
            pkgutil.resolve_name(module["name"])
        except (ImportError, AttributeError):
            return False
    elif _PATH.fullmatch(name):
        return any(ROOT.glob(name.rstrip("/")))
    return True


def test_long_lines_ignores_tables_and_code_blocks() -> None:
    long = "word " * 30
    text = f"{long}\n| {long} |\n```sh\n{long}\n```\n{'x' * 130}\n- {long}\n"
    assert list(_long_lines(text)) == [1, 7]


def test_names_ignores_code_blocks_and_former_states() -> None:
    text = "`a` and\n`b`\n```\n`c`\n```\n\nFormerly\n`d`.\n\n- `e`\n- formerly `f`\n| `g` |\n| `h`, formerly `i` |\n"
    assert list(_names(text)) == ["a", "b", "e", "g"]


@pytest.mark.parametrize(
    ("name", "exists"),
    [
        ("timbra.pools.Pools", True),
        ("timbra.cfdi.read_back", True),
        ("timbra.cfdi.no_such_module", False),
        ("timbra.pools.NoSuchClass", False),
        ("tests/docs/test_prose.py", True),
        ("src/timbra/rules/rulesets/", True),
        ("tools/no_such_tool.py", False),
        ("timbra.db-shm", True),
        ("make docs", True),
    ],
)
def test_exists_resolves_modules_and_paths(name: str, exists: bool) -> None:
    assert _exists(name) is exists


@pytest.mark.parametrize("page", PAGES, ids=_name)
def test_page_has_short_lines(page: Path) -> None:
    assert not [f"{_name(page)}:{number}" for number in _long_lines(page.read_text("utf-8"))]


@pytest.mark.parametrize("page", PAGES, ids=_name)
def test_page_names_modules_and_files_that_exist(page: Path) -> None:
    assert not [name for name in _names(page.read_text("utf-8")) if not _exists(name)]


@pytest.mark.parametrize("page", PAGES, ids=_name)
def test_page_links_to_files_that_exist(page: Path) -> None:
    targets = [match["target"] for match in _LINK.finditer(page.read_text("utf-8"))]
    assert not [target for target in targets if not (page.parent / target).exists()]


def test_decisions_are_titled_with_the_number_of_their_file() -> None:
    records = [page for page in PAGES if page.parent.name == "decisions"]
    assert not [page.name for page in records if not page.read_text("utf-8").startswith(f"# {page.name[:4]}: ")]
    assert len({page.name[:4] for page in records}) == len(records)
