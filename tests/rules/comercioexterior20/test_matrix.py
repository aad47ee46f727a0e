"""Every row of the matrix is a rule or listed."""

from __future__ import annotations

import csv

from tests.support.corpus import corpus_path

from timbra.rules.rulesets.comercioexterior20 import MODULES, RULE_SET, RULE_SETS
from timbra.rules.rulesets.comercioexterior20.matrix import CODED, KEYS, ROWS
from timbra.rules.shared import misplaced_complement

RULES = [rule for book in RULE_SETS for rule in book.rules]


def test_rows_are_rules_except_cce104() -> None:
    assert [row.code for row in RULE_SET.not_implemented] == ["CCE104"]
    assert {rule.code for rule in RULES} | {"CCE104"} == set(ROWS)
    assert len(RULES) == len(ROWS) - 1
    assert len(set(ROWS)) == len(ROWS)


def test_modules_contain_exactly_the_rules_of_the_rule_set() -> None:
    assert {rule.predicate.__module__ for rule in RULES} == {
        module.__name__ for module in (*MODULES, misplaced_complement)
    }


def test_rows_equal_the_transcribed_matrix() -> None:
    with (corpus_path().parent / "sat-rules" / "comercioexterior20.csv").open(encoding="utf-8") as file:
        codes = [row["code"] for row in csv.DictReader(file)]
    uncoded = {f"CCE999:{name}" for name in KEYS}
    assert set(codes) - {"CCE999"} == set(ROWS) - uncoded
    assert len(codes) == len(CODED) + 1
