"""Every row of the matrix is a rule."""

from __future__ import annotations

import csv

from tests.support.corpus import corpus_path

from timbra.messages.rules.nomina12b import LATER
from timbra.rules.engine.rule import AnyRule
from timbra.rules.reference.index import state
from timbra.rules.rulesets import nomina12
from timbra.rules.rulesets.nomina12b import MODULES, RULE_SETS
from timbra.rules.rulesets.nomina12b.matrix import CODED, ROWS, UNCODED
from timbra.rules.shared import misplaced_complement

RULES: dict[str, AnyRule] = {rule.code: rule for book in RULE_SETS for rule in book.rules}


def test_every_row_is_a_rule() -> None:
    assert set(RULES) == set(ROWS)
    assert len(set(ROWS)) == len(ROWS)
    assert all(book.not_implemented == () for book in RULE_SETS)


def test_all_rows_are_asked() -> None:
    assert {code for code, rule in RULES.items() if state(rule) != "rule"} == set()


def test_modules_hold_the_rules_that_the_books_have() -> None:
    assert {rule.predicate.__module__ for rule in RULES.values()} == {
        module.__name__ for module in (*MODULES, misplaced_complement)
    }


def test_the_transcribed_matrix_has_no_other_row() -> None:
    with (corpus_path().parent / "sat-rules" / "others.csv").open(encoding="utf-8") as file:
        codes = [row["code"] for row in csv.DictReader(file) if row["code"].startswith("NOM")]
    assert set(codes) == {*CODED, "NOM225"}
    assert len(codes) == len(CODED) + 1
    assert set(ROWS) == {*CODED, *(f"NOM225:{name}" for name in UNCODED)}


def test_a_demand_is_about_the_same_attribute_in_both_matrices() -> None:
    later = {rule.code: rule.at for book in nomina12.RULE_SETS for rule in book.rules}
    assert {code: RULES[code].at for code in LATER} == {code: later[number] for code, number in LATER.items()}
