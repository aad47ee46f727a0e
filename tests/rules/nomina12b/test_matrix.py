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


def test_rules_cover_every_row_of_the_matrix() -> None:
    assert set(RULES) == set(ROWS)
    assert len(set(ROWS)) == len(ROWS)
    assert all(book.not_implemented == () for book in RULE_SETS)


def test_rules_are_all_evaluated() -> None:
    assert {code for code, rule in RULES.items() if state(rule) != "rule"} == set()


def test_modules_contain_exactly_the_rules_of_the_rule_sets() -> None:
    assert {rule.predicate.__module__ for rule in RULES.values()} == {
        module.__name__ for module in (*MODULES, misplaced_complement)
    }


def test_rows_equal_the_transcribed_matrix() -> None:
    with (corpus_path().parent / "sat-rules" / "others.csv").open(encoding="utf-8") as file:
        codes = [row["code"] for row in csv.DictReader(file) if row["code"].startswith("NOM")]
    assert set(codes) == {*CODED, "NOM225"}
    assert len(codes) == len(CODED) + 1
    assert set(ROWS) == {*CODED, *(f"NOM225:{name}" for name in UNCODED)}


def test_rules_have_the_same_place_in_both_matrices() -> None:
    later = {rule.code: rule.at for book in nomina12.RULE_SETS for rule in book.rules}
    assert {code: RULES[code].at for code in LATER} == {code: later[number] for code, number in LATER.items()}
