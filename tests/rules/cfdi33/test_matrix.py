"""Every row of the matrix is a rule or listed with its reason."""

from __future__ import annotations

import csv

from tests.support.corpus import corpus_path

from timbra.rules import seals
from timbra.rules.cfdi33 import BOOK, MODULES
from timbra.rules.cfdi33.matrix import NOT_APPLIED, OF_COMPLEMENTS, ROWS
from timbra.rules.finding import Severity
from timbra.rules.index import state
from timbra.rules.rule import AnyRule, Listed

KNOWN: dict[str, AnyRule | Listed] = {
    **{rule.code: rule for rule in (*seals.BOOK.rules, *BOOK.rules)},
    **{row.code: row for row in BOOK.listed},
}


def test_every_row_is_a_rule_or_listed() -> None:
    assert set(ROWS) <= set(KNOWN)
    assert {rule.code for rule in BOOK.rules} <= set(ROWS)
    assert len(set(ROWS)) == len(ROWS)


def test_few_rows_are_not_asked() -> None:
    """Suspended by SAT, not to be applied by its word, or without any source of what they need."""
    silent = {code for code in ROWS if state(KNOWN[code]) != "rule"}
    suspended = {"CFDI33117", "CFDI33119", "CFDI33126", "CFDI33127", "CFDI33128"}
    assert silent == {"CFDI33143", *NOT_APPLIED, *suspended}


def test_what_only_later_data_tell_warns() -> None:
    """Products and postal codes of CFDI 4.0."""
    warning = {rule.code for rule in BOOK.rules if rule.severity is Severity.WARNING}
    border = {"CFDI33196:IVA8-ClaveProdServ", "CFDI33196:IVA8-LugarExpedicion"}
    assert warning == {"CFDI33125", "CFDI33142", "CFDI33144", "CFDI33172", *border}


def test_modules_hold_the_rules_that_the_book_has() -> None:
    assert {rule.judge.__module__ for rule in BOOK.rules} == {module.__name__ for module in MODULES}


def test_the_transcribed_matrix_has_no_other_row() -> None:
    with (corpus_path().parent / "sat-rules" / "cfdi33.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    codes = [row["code"].replace("NOCODE:", "CFDI33196:") for row in rows]
    assert set(codes) - {"CFDI33196"} == set(ROWS) - {f"CFDI33196:{name}" for name in OF_COMPLEMENTS}
    assert len(codes) == len(ROWS) - len(OF_COMPLEMENTS) + 1
    assert {row["code"] for row in rows if row["severity"] == "inactive"} == set(NOT_APPLIED)
    suspended = {row["code"] for row in rows if row["severity"] == "suspended"}
    assert suspended == {rule.code for rule in BOOK.rules if rule.severity is Severity.SUSPENDED}
