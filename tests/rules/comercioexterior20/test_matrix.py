"""Every row of the matrix is a rule or listed."""

from __future__ import annotations

import csv

from tests.support.corpus import corpus_path

from timbra.rules import elsewhere
from timbra.rules.comercioexterior20 import BOOK, BOOKS, MODULES
from timbra.rules.comercioexterior20.matrix import CODED, KEYS, ROWS

RULES = [rule for book in BOOKS for rule in book.rules]


def test_every_row_is_a_rule_but_the_one_that_the_invoice_has() -> None:
    assert [row.code for row in BOOK.listed] == ["CCE104"]
    assert {rule.code for rule in RULES} | {"CCE104"} == set(ROWS)
    assert len(RULES) == len(ROWS) - 1
    assert len(set(ROWS)) == len(ROWS)


def test_modules_hold_the_rules_that_the_book_has() -> None:
    assert {rule.judge.__module__ for rule in RULES} == {module.__name__ for module in (*MODULES, elsewhere)}


def test_the_transcribed_matrix_has_no_other_row() -> None:
    with (corpus_path().parent / "sat-rules" / "comercioexterior20.csv").open(encoding="utf-8") as file:
        codes = [row["code"] for row in csv.DictReader(file)]
    uncoded = {f"CCE999:{name}" for name in KEYS}
    assert set(codes) - {"CCE999"} == set(ROWS) - uncoded
    assert len(codes) == len(CODED) + 1
