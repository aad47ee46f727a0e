"""Every row of the matrix is a rule or listed."""

from __future__ import annotations

import csv

from tests.support.corpus import corpus_path

from timbra.messages import MESSAGES
from timbra.rules.reference.index import state
from timbra.rules.rulesets.nomina12 import MODULES, RULE_SET, RULE_SETS
from timbra.rules.rulesets.nomina12.matrix import CODED, ROWS, UNCODED
from timbra.rules.shared import misplaced_complement

RULES = [rule for book in RULE_SETS for rule in book.rules]


def test_rows_are_rules_or_not_implemented() -> None:
    assert {rule.code for rule in RULES} | {row.code for row in RULE_SET.not_implemented} == set(ROWS)
    assert len(RULES) + len(RULE_SET.not_implemented) == len(ROWS) == len(set(ROWS))


def test_nom10_is_the_only_row_without_a_rule() -> None:
    """The SAT's schema already requires what NOM10 requires."""
    assert [row.code for row in RULE_SET.not_implemented] == ["NOM10"]
    assert MESSAGES["NOM10"]
    assert {state(rule) for rule in RULES} == {"rule"}


def test_modules_contain_exactly_the_rules_of_the_rule_sets() -> None:
    assert {rule.predicate.__module__ for rule in RULES} == {
        module.__name__ for module in (*MODULES, misplaced_complement)
    }


def test_rows_equal_the_transcribed_matrix() -> None:
    with (corpus_path().parent / "sat-rules" / "nomina12.csv").open(encoding="utf-8") as file:
        codes = [row["code"] for row in csv.DictReader(file)]
    assert set(codes) - {"NOM111"} == set(CODED)
    assert len(codes) == len(CODED) + 1
    assert set(ROWS) - set(CODED) == {f"NOM111:{name}" for name in UNCODED}
