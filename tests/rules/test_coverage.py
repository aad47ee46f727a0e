"""The pages of all rule sets are up to date, and their rows equal the transcribed matrices."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from tests.support.corpus import corpus_path

from timbra.rules.reference.index import codes, counts, pages
from timbra.rules.reference.pages import PAGES, RuleSetPage
from timbra.rules.registry import ENGINE

FOLDER = Path(__file__).parents[2] / "docs" / "rules"
OF_OTHERS = "others"
"""The file of the small matrices."""
MATRICES = [page for page in PAGES.values() if page.codes]


def test_pages_are_up_to_date() -> None:
    """`make docs` generates them."""
    for name, text in pages():
        assert (FOLDER / name).read_text("utf-8") == text, name


def test_folder_has_no_other_pages() -> None:
    assert {path.name for path in FOLDER.glob("*.md")} - {"agreement.md"} == {name for name, _ in pages()}


def test_pages_have_a_row_for_every_rule() -> None:
    rows = [row for page in MATRICES for row in page.rows]
    rules = {rule.code for book in ENGINE.rule_sets for rule in book.rules}
    assert rules <= set(rows)
    for page in PAGES.values():
        assert sum(counts(page).values()) == len(page.rows) == len(set(page.rows))


@pytest.mark.parametrize("page", MATRICES, ids=lambda page: str(page.name))
def test_codes_equal_the_transcribed_matrix(page: RuleSetPage) -> None:
    assert codes(page) == _transcribed(page.name, page.codes)


def _transcribed(name: str, begins: tuple[str, ...]) -> set[str]:
    folder = corpus_path().parent / "sat-rules"
    file = folder / f"{name}.csv"
    with (file if file.is_file() else folder / f"{OF_OTHERS}.csv").open(encoding="utf-8") as lines:
        return {row["code"] for row in csv.DictReader(lines) if row["code"].startswith(begins)}
