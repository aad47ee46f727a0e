"""The pages of all rule sets are up to date, and their coverage contains the transcribed matrices."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from datetime import date
from pathlib import Path

import pytest
from tests.support.corpus import corpus_path

from timbra.rules.engine.result import Severity
from timbra.rules.engine.rule import NotImplementedRow
from timbra.rules.reference.index import OVERVIEW, counts, evidence, evidence_of, pages
from timbra.rules.reference.pages import PAGES, RuleSetPage

ROOT = Path(__file__).parents[2]
OTHERS = "others"
"""The file of the small matrices."""
FOLDED = {
    "HYP-required": "CFDI140228",
    "NoCertificado": "CFDI40106",
    "Total-decimals": "CFDI40119",
    "UsoCFDI-XEXX": "CFDI40161",
    "RET-rfce": "T402",
    "RET-fechaexp-window": "T401",
    "RET-timbre": "T307",
    "RET-28": "Reten20108",
    "RET-impret-tipo": "Reten20135",
    "RET-uuid-relacionado": "T301",
    "RET-mes": "Reten20121",
}
"""Requirements without a code that the rule of a code includes."""
MATRICES = [page for page in PAGES.values() if page.rule_set.prefixes]
every_matrix = pytest.mark.parametrize("page", MATRICES, ids=lambda page: str(page.name))


def test_pages_are_up_to_date() -> None:
    for path, text in pages():
        assert (ROOT / path).read_text("utf-8") == text, f"run make docs: {path}"


def test_folder_of_the_overview_has_no_other_pages() -> None:
    folder = ROOT / OVERVIEW.parent
    assert {path.name for path in folder.glob("*.md")} == {"agreement.md", OVERVIEW.name}


def test_pages_have_every_row_once() -> None:
    for page in PAGES.values():
        assert sum(counts(page).values()) == len(page.entries) == len(page.codes)


@every_matrix
def test_coverage_names_a_row_of_its_rule_set(page: RuleSetPage) -> None:
    for code, rule_set in page.rule_set.coverage.items():
        rows = {row.code.partition(":")[0] for row in PAGES[rule_set].entries}
        assert code in rows | set(page.rule_set.messages), code


@every_matrix
def test_coverage_has_every_coded_row(page: RuleSetPage) -> None:
    coded = {row.code.partition(":")[0] for row in page.entries if row.code.startswith(page.rule_set.prefixes)}
    assert coded - set(page.rule_set.messages) <= set(page.rule_set.coverage)


@every_matrix
def test_coverage_contains_the_transcribed_matrix(page: RuleSetPage) -> None:
    """A code that the transcription does not have belongs to a later revision: its rule has a first date."""
    coverage, transcribed = set(page.rule_set.coverage), set(_transcribed(page))
    assert transcribed <= coverage
    dates = {row.code: date.min if isinstance(row, NotImplementedRow) else row.since for row in page.entries}
    assert [code for code in coverage - transcribed if dates[code] == date.min] == []


@every_matrix
def test_suspended_rules_are_suspended_in_the_transcribed_matrix(page: RuleSetPage) -> None:
    severities = _transcribed(page)
    suspended = [
        row.code
        for row in page.entries
        if not isinstance(row, NotImplementedRow) and row.severity is Severity.SUSPENDED
    ]
    assert [code for code in suspended if severities.get(code) != "suspended"] == []


def test_requirements_without_a_code_are_rows() -> None:
    """The transcription names them with a prefix in place of the code."""
    known = {code.partition(":")[2] for page in PAGES.values() for code in page.codes if ":" in code}
    for page in MATRICES:
        names = {row["code"].removeprefix("NOCODE:") for row in _rows(page) if row["code"].startswith("NOCODE:")}
        assert names - known - set(FOLDED) == set(), page.name


def _transcribed(page: RuleSetPage) -> Mapping[str, str]:
    """Return the severity by code of the matrix."""
    return {row["code"]: row["severity"] for row in _rows(page) if row["code"].startswith(page.rule_set.prefixes)}


def _rows(page: RuleSetPage) -> list[dict[str, str]]:
    folder = corpus_path().parent / "sat-rules"
    file = folder / f"{page.name}.csv"
    with (file if file.is_file() else folder / f"{OTHERS}.csv").open(encoding="utf-8") as lines:
        return list(csv.DictReader(lines))


def test_evidence_counts_every_code_of_a_matrix_once() -> None:
    for rule_set_page in PAGES.values():
        counted = evidence(rule_set_page)
        assert sum(counted.values()) == len(rule_set_page.rule_set.coverage), rule_set_page.name


@pytest.mark.parametrize(
    ("name", "codes"), [("cfdi40", {"CFDI40163"}), ("cfdi33", {"CFDI33143"}), ("comercioexterior20", {"CCE121"})]
)
def test_evidence_of_codes_that_need_absent_data_is_not_evaluated(name: str, codes: set[str]) -> None:
    rows = [row for row in PAGES[name].entries if row.code in codes]
    assert len(rows) == len(codes)
    assert {evidence_of(row) for row in rows} == {"not evaluated"}
    assert evidence(PAGES[name])["not evaluated"] >= len(codes)
