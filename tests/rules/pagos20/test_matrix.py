"""Every row of the matrix is a rule."""

from __future__ import annotations

import csv

from tests.support.corpus import corpus_path

from timbra.rules.reference.index import state
from timbra.rules.rulesets.pagos20 import MODULES, RULE_SET
from timbra.rules.rulesets.pagos20.matrix import CODED, KEYS, ROWS, UNCODED


def test_rules_cover_every_row_of_the_matrix() -> None:
    assert {rule.code for rule in RULE_SET.rules} == set(ROWS)
    assert len(set(ROWS)) == len(ROWS)
    assert RULE_SET.not_implemented == ()


def test_crp20216_and_crp20220_are_suspended() -> None:
    """The SAT suspended the rules on Confirmacion."""
    assert {rule.code for rule in RULE_SET.rules if state(rule) != "rule"} == {"CRP20216", "CRP20220"}


def test_modules_contain_exactly_the_rules_of_the_rule_set() -> None:
    assert {rule.predicate.__module__ for rule in RULE_SET.rules} == {module.__name__ for module in MODULES}


def test_rows_equal_the_transcribed_matrix() -> None:
    with (corpus_path().parent / "sat-rules" / "pagos20.csv").open(encoding="utf-8") as file:
        codes = [row["code"] for row in csv.DictReader(file)]
    uncoded = {f"CRP20999:{name}" for name in KEYS}
    assert {code.replace("NOCODE:", "CRP20999:") for code in codes} - {"CRP20999"} == set(ROWS) - uncoded
    assert len(codes) == len(CODED) + len(UNCODED) + 1
