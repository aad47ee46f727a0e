"""Calls that are unsafe with data of others, found in the syntax tree of the package; ruff's S rules find the general
ones."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "src" / "timbra"

OWN_XML = {
    "sat/acuse_signature.py": "an element of an answer that was parsed with limits",
    "sat/cancellation.py": "a copy of an element of this process",
    "emulator/services/cancellation.py": "an acuse that the emulator made",
    "documents/editor_view.py": "an example document of this package",
    "documents/derivation.py": "a copy of an element of this process",
    "validation/proposed_fixes.py": "an element of a document that was parsed with limits",
    "cancellation/admission.py": "the canonical form of a document that was parsed with limits",
}
"""Modules that parse XML without a parser of their own: the text was serialized by this process."""
OWN_ARCHIVES = {
    "core/zip_archives.py": "the reader with limits",
    "archive/export.py": "an archive of this server, whose hashes were verified",
    "archive/archive_check.py": "an archive of this server, whose hashes were verified",
    "archive/digests.py": "an archive of this server, whose hashes were verified",
    "snapshot/build/__init__.py": "a package whose hash was verified",
}
REPEATED_GROUP = re.compile(r"(?<!\\)\)[*+?]\+")
OWN_CODE = {"cfdi/nodes/initializer.py": "initializers of the declared nodes, from names of the code"}


def _name(call: ast.Call) -> str:
    return ast.unparse(call.func)


def _keywords(call: ast.Call) -> dict[str, object]:
    return {
        keyword.arg: keyword.value.value
        for keyword in call.keywords
        if keyword.arg and isinstance(keyword.value, ast.Constant)
    }


def parser_with_access(call: ast.Call, _file: str) -> bool:
    """An XML parser that may expand entities, load a DTD or use the network."""
    given = _keywords(call)
    if _name(call).endswith(("etree.XMLParser", "etree.HTMLParser", "etree.XMLPullParser")):
        resolves = not _name(call).endswith("HTMLParser") and given.get("resolve_entities") is not False
        return given.get("no_network") is not True or resolves
    return _name(call).endswith(("etree.iterparse", "etree.parse", "etree.XML"))


def xml_without_parser(call: ast.Call, file: str) -> bool:
    """XML that is parsed with the default parser, which expands entities."""
    return _name(call).endswith("etree.fromstring") and len(call.args) < 2 and file not in OWN_XML


def archive_without_limits(call: ast.Call, file: str) -> bool:
    """A ZIP file that is read, or an archive that is extracted, without the limits of `zip_archives`."""
    if _name(call).rpartition(".")[2] in {"extractall", "unpack_archive"}:
        return True
    writes = len(call.args) > 1 and isinstance(call.args[1], ast.Constant) and call.args[1].value == "w"
    return _name(call).rpartition(".")[2] == "ZipFile" and not writes and file not in OWN_ARCHIVES


def code_from_data(call: ast.Call, file: str) -> bool:
    """Objects or code made from data."""
    names = {"pickle.loads", "pickle.load", "marshal.loads", "dill.loads", "eval", "exec", "compile"}
    return file not in OWN_CODE and _name(call) in names


def unverified_tls(call: ast.Call, _file: str) -> bool:
    """A connection that verifies no certificate."""
    return _keywords(call).get("verify") is False or _name(call).endswith("_create_unverified_context")


def stylesheet(call: ast.Call, _file: str) -> bool:
    """A use of libxslt, of which SECURITY.md says that the package has none; Schematron of lxml is made of it."""
    return any(word in _name(call).lower() for word in ("xslt", "schematron"))


def possessive_group(call: ast.Call, _file: str) -> bool:
    """A regular expression that repeats a group possessively: before 3.11.5 Python ends after a half repetition."""
    texts = [node.value for node in ast.walk(call) if isinstance(node, ast.Constant)]
    return _name(call) == "re.compile" and any(REPEATED_GROUP.search(repr(text)) for text in texts)


def names_in_ascii(call: ast.Call, _file: str) -> bool:
    """XML that is serialized in ASCII: names of other letters become references, which no parser reads as names."""
    given = _keywords(call)
    return _name(call).endswith("etree.tostring") and "encoding" not in given and given.get("method") != "c14n"


PATTERNS: dict[str, tuple[Callable[[ast.Call, str], bool], str]] = {
    "parser with access": (parser_with_access, "etree.XMLParser(no_network=True)"),
    "XML without parser": (xml_without_parser, "etree.fromstring(body)"),
    "archive without limits": (archive_without_limits, "zipfile.ZipFile(file)"),
    "code from data": (code_from_data, "pickle.loads(body)"),
    "stylesheet": (stylesheet, "etree.XSLT(sheet)"),
    "possessive group": (possessive_group, "re.compile('(?:a b)*+')"),
    "names in ASCII": (names_in_ascii, "etree.tostring(root)"),
    "unverified TLS": (unverified_tls, "Client(verify=False)"),
}


WORDS = re.compile(
    r"XMLParser|HTMLParser|XMLPullParser|iterparse|etree\.parse|etree\.XML|fromstring|tostring|extractall|unpack_archive|ZipFile|"
    r"pickle|marshal|dill|\b(?:eval|exec|compile)\(|verify=|unverified|(?i:xslt|schematron)"
)
"""What the text of every call that a pattern finds has; to read the tree of all files takes longer than the tests."""


@cache
def _calls() -> tuple[tuple[str, ast.Call], ...]:
    texts = ((path.relative_to(PACKAGE).as_posix(), path.read_text("utf-8")) for path in sorted(PACKAGE.rglob("*.py")))
    return tuple((file, node) for file, text in texts if WORDS.search(text) for node in _calls_of(text))


def _calls_of(source: str) -> Iterator[ast.Call]:
    return (node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call))


@pytest.mark.parametrize("name", PATTERNS)
def test_package_has_no_unsafe_call(name: str) -> None:
    pattern, _ = PATTERNS[name]
    found = [f"{file}:{call.lineno} {_name(call)}" for file, call in _calls() if pattern(call, file)]
    assert found == []


@pytest.mark.parametrize("name", PATTERNS)
def test_pattern_finds_its_example(name: str) -> None:
    pattern, example = PATTERNS[name]
    assert [pattern(call, "a.py") for call in _calls_of(example)] == [True]
    assert WORDS.search(example)


def test_exceptions_are_still_needed() -> None:
    files = {file for file, call in _calls() if _name(call).endswith("etree.fromstring") and len(call.args) < 2}
    assert files == OWN_XML.keys()
