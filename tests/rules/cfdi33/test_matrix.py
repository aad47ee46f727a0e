"""Every row of the matrix is a rule or listed with its reason."""

from __future__ import annotations

import csv

from tests.support.corpus import corpus_path

from timbra.rules.engine.result import Severity
from timbra.rules.engine.rule import AnyRule, NotImplementedRow
from timbra.rules.reference.index import state
from timbra.rules.rulesets import certificates as seals
from timbra.rules.rulesets.cfdi33 import MODULES, RULE_SET
from timbra.rules.rulesets.cfdi33.matrix import NOT_APPLIED, OF_COMPLEMENTS, ROWS

ENTRIES: dict[str, AnyRule | NotImplementedRow] = {
    **{rule.code: rule for rule in (*seals.RULE_SET.rules, *RULE_SET.rules)},
    **{row.code: row for row in RULE_SET.not_implemented},
}


def test_rows_are_rules_or_not_implemented() -> None:
    assert set(ROWS) <= set(ENTRIES)
    assert {rule.code for rule in RULE_SET.rules} <= set(ROWS)
    assert len(set(ROWS)) == len(ROWS)


def test_rows_that_are_not_evaluated_are_the_documented_ones() -> None:
    """Suspended or not applied by the SAT, or without a source of their data."""
    silent = {code for code in ROWS if state(ENTRIES[code]) != "rule"}
    suspended = {"CFDI33117", "CFDI33119", "CFDI33126", "CFDI33127", "CFDI33128"}
    assert silent == {"CFDI33143", *NOT_APPLIED, *suspended}


def test_rules_on_later_catalogs_warn() -> None:
    """Products and postal codes of CFDI 4.0."""
    warning = {rule.code for rule in RULE_SET.rules if rule.severity is Severity.WARNING}
    border = {"CFDI33196:IVA8-ClaveProdServ", "CFDI33196:IVA8-LugarExpedicion"}
    assert warning == {"CFDI33125", "CFDI33142", "CFDI33144", "CFDI33172", *border}


def test_modules_contain_exactly_the_rules_of_the_rule_set() -> None:
    assert {rule.predicate.__module__ for rule in RULE_SET.rules} == {module.__name__ for module in MODULES}


def test_rows_equal_the_transcribed_matrix() -> None:
    with (corpus_path().parent / "sat-rules" / "cfdi33.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    codes = [row["code"].replace("NOCODE:", "CFDI33196:") for row in rows]
    assert set(codes) - {"CFDI33196"} == set(ROWS) - {f"CFDI33196:{name}" for name in OF_COMPLEMENTS}
    assert len(codes) == len(ROWS) - len(OF_COMPLEMENTS) + 1
    assert {row["code"] for row in rows if row["severity"] == "inactive"} == set(NOT_APPLIED)
    suspended = {row["code"] for row in rows if row["severity"] == "suspended"}
    assert suspended == {rule.code for rule in RULE_SET.rules if rule.severity is Severity.SUSPENDED}
