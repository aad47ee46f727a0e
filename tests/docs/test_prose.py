"""Pages: bounded lines, and names of modules and files that exist."""

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
SHORT_LINE_PAGES = (*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md")))
"""The pages whose lines have at most 120 characters: every page, generated ones and decision records included."""
MAX_LINE_LENGTH = 120
MAX_CELL_LENGTH = 60
OUTPUT_LANGUAGES = frozenset({"", "console", "json", "text", "xml"})
"""Languages of code blocks with the output of a program, whose lines cannot be broken."""

_CODE_BLOCK = re.compile(r"^ *```.*?^ *```", re.MULTILINE | re.DOTALL)
_FENCE = re.compile(r" *(?:`{3}|~{3}) *(?P<language>[\w-]*)")
_TARGET = re.compile(r"(?<=\])\([^)\s]*\)|https?://[^\s)`|]+")
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
    """Yield the numbers of the lines that are too long and can be broken.

    Targets of links and URLs do not count. Without limit are lines without a space, rows of tables whose cells are all
    short (identifiers, figures), and code blocks with output.
    """
    language: str | None = None
    for number, line in enumerate(text.splitlines(), 1):
        if fence := _FENCE.match(line):
            language = fence["language"] if language is None else None
        elif len(shown := _TARGET.sub("", line)) > MAX_LINE_LENGTH and " " in line.strip():
            is_output = language in OUTPUT_LANGUAGES
            is_row = language is None and line.startswith("|")
            if not is_output and not (is_row and max(map(len, shown.split("|"))) <= MAX_CELL_LENGTH):
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


def test_long_lines_finds_prose_items_cells_and_code() -> None:
    long = "word " * 30
    text = f"{long}\n- {long}\n| `a` | {long} |\n```sh\n{long}\n```\n"
    assert list(_long_lines(text)) == [1, 2, 3, 5]


def test_long_lines_ignores_what_cannot_be_broken() -> None:
    url = f"https://example.com/{'x' * 120}"
    row = "| `an_identifier` " * 12
    text = f"See [the page]({url}) and {url}.\n{'x' * 130}\n{row}|\n```json\n{'word ' * 30}\n```\nshort\n"
    assert list(_long_lines(text)) == []


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


def test_pages_have_short_lines() -> None:
    found = ((page, number) for page in SHORT_LINE_PAGES for number in _long_lines(page.read_text("utf-8")))
    assert [f"{_name(page)}:{number}" for page, number in found] == []


def test_pages_name_modules_and_files_that_exist() -> None:
    found = ((page, name) for page in PAGES for name in _names(page.read_text("utf-8")))
    assert [f"{_name(page)}: {name}" for page, name in found if not _exists(name)] == []


def test_pages_link_to_files_that_exist() -> None:
    found = ((page, match["target"]) for page in PAGES for match in _LINK.finditer(page.read_text("utf-8")))
    assert [f"{_name(page)}: {target}" for page, target in found if not (page.parent / target).exists()] == []


def test_decisions_are_titled_with_the_number_of_their_file() -> None:
    records = [page for page in PAGES if page.parent.name == "decisions"]
    assert not [page.name for page in records if not page.read_text("utf-8").startswith(f"# {page.name[:4]}: ")]
    assert len({page.name[:4] for page in records}) == len(records)
