"""Every row of the matrix is a rule."""

from __future__ import annotations

import csv

from tests.support.corpus import corpus_path

from timbra.rules.reference.index import state
from timbra.rules.rulesets.cartaporte31 import EARLIER, ELSEWHERE, MODULES, RULE_SET, RULE_SETS
from timbra.rules.rulesets.cartaporte31.matrix import CODED, KEYS, MISPLACED, NEEDLESS, ROWS

RULES = [rule for book in RULE_SETS for rule in book.rules]


def test_every_row_is_a_rule() -> None:
    assert sorted(rule.code for rule in RULES) == sorted(ROWS)
    assert len(set(ROWS)) == len(ROWS) == len(CODED) + len(MISPLACED) + len(NEEDLESS) + len(KEYS)
    assert [book.not_implemented for book in RULE_SETS] == [(), (), ()]


def test_every_rule_is_asked() -> None:
    assert {state(rule) for rule in RULES} == {"rule"}


def test_of_an_earlier_invoice_its_version_alone_is_asked() -> None:
    assert [rule.code for rule in EARLIER.rules] == ["CP101"]
    assert [rule.code for rule in ELSEWHERE.rules] == list(MISPLACED)
    assert (RULE_SET.versions, EARLIER.versions) == (("4.0",), ("3.3",))


def test_modules_hold_the_rules_that_the_book_has() -> None:
    assert {rule.predicate.__module__ for rule in RULE_SET.rules} == {module.__name__ for module in MODULES}


def test_the_transcribed_matrix_has_no_other_row() -> None:
    with (corpus_path().parent / "sat-rules" / "cartaporte31.csv").open(encoding="utf-8") as file:
        codes = [row["code"] for row in csv.DictReader(file)]
    assert codes == [*CODED, "CP999"]
