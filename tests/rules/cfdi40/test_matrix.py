"""Every row of the matrix is a rule or listed."""

from __future__ import annotations

import csv

from tests.support.corpus import corpus_path

from timbra.rules.engine.rule import AnyRule, NotImplementedRow
from timbra.rules.reference.index import state
from timbra.rules.rulesets import certificates as seals
from timbra.rules.rulesets.cfdi40 import MODULES, RULE_SET
from timbra.rules.rulesets.cfdi40.matrix import FOLDED, OF_COMPLEMENTS, ROWS

ENTRIES: dict[str, AnyRule | NotImplementedRow] = {
    **{rule.code: rule for rule in (*seals.RULE_SET.rules, *RULE_SET.rules)},
    **{row.code: row for row in RULE_SET.not_implemented},
}


def test_rows_are_rules_or_not_implemented() -> None:
    assert set(ROWS) <= set(ENTRIES)
    assert {rule.code for rule in RULE_SET.rules} <= set(ROWS)
    assert len(set(ROWS)) == len(ROWS)


def test_rows_that_are_not_evaluated_are_the_documented_ones() -> None:
    """Suspended by the SAT, or without a source of their data."""
    silent = {code for code in ROWS if state(ENTRIES[code]) != "rule"}
    assert silent == {"CFDI40118", "CFDI40120", "CFDI40127", "CFDI40128", "CFDI40129", "CFDI40163"}


def test_modules_contain_exactly_the_rules_of_the_rule_set() -> None:
    assert {rule.predicate.__module__ for rule in RULE_SET.rules} <= {module.__name__ for module in MODULES}


def test_rows_equal_the_transcribed_matrix() -> None:
    with (corpus_path().parent / "sat-rules" / "cfdi40.csv").open(encoding="utf-8") as file:
        codes = [row["code"] for row in csv.DictReader(file)]
    named = {code.replace("NOCODE:", "CFDI40999:") for code in codes if code.removeprefix("NOCODE:") not in FOLDED}
    assert named - {"CFDI40999"} == set(ROWS) - {f"CFDI40999:{name}" for name in OF_COMPLEMENTS}
    assert len(codes) == len(ROWS) - len(OF_COMPLEMENTS) + len(FOLDED) + 1
