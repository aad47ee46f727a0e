"""Every row of the matrix of Carta Porte is a rule."""

from __future__ import annotations

import csv

from tests.support.corpus import corpus_path

from timbra.rules.reference.index import state
from timbra.rules.rulesets.cartaporte31 import EARLIER, ELSEWHERE, MODULES, RULE_SET, RULE_SETS
from timbra.rules.rulesets.cartaporte31.matrix import CODED, KEYS, MISPLACED, NEEDLESS, ROWS

RULES = [rule for book in RULE_SETS for rule in book.rules]


def test_rules_cover_every_row_of_the_matrix() -> None:
    assert sorted(rule.code for rule in RULES) == sorted(ROWS)
    assert len(set(ROWS)) == len(ROWS) == len(CODED) + len(MISPLACED) + len(NEEDLESS) + len(KEYS)
    assert [book.not_implemented for book in RULE_SETS] == [(), (), ()]


def test_rules_are_all_evaluated() -> None:
    assert {state(rule) for rule in RULES} == {"rule"}


def test_rule_set_for_33_checks_the_version_only() -> None:
    assert [rule.code for rule in EARLIER.rules] == ["CP101"]
    assert [rule.code for rule in ELSEWHERE.rules] == list(MISPLACED)
    assert (RULE_SET.versions, EARLIER.versions) == (("4.0",), ("3.3",))


def test_modules_contain_exactly_the_rules_of_the_rule_set() -> None:
    assert {rule.predicate.__module__ for rule in RULE_SET.rules} == {module.__name__ for module in MODULES}


def test_rows_equal_the_transcribed_matrix() -> None:
    with (corpus_path().parent / "sat-rules" / "cartaporte31.csv").open(encoding="utf-8") as file:
        codes = [row["code"] for row in csv.DictReader(file)]
    assert codes == [*CODED, "CP999"]
