"""Every rule of the complements of CFDI 3.3 keeps its promise: one document holds, one breaks it alone."""

from __future__ import annotations

import pytest
from tests.support.book import Examples

from timbra.examples.codes.nomina12b import NOMINA12B
from timbra.examples.codes.pagos10 import PAGOS10
from timbra.messages import MESSAGES
from timbra.rules import nomina12b, pagos10

BOOKS = (pagos10.BOOK, *nomina12b.BOOKS)
RULES = [pytest.param(Examples(book), rule.code, id=rule.code) for book in BOOKS for rule in book.rules]
every_rule = pytest.mark.parametrize(("examples", "code"), RULES)


def test_every_rule_has_its_examples() -> None:
    assert {*PAGOS10, *NOMINA12B} == {rule.code for book in BOOKS for rule in book.rules}


def test_they_are_about_invoices_of_33_alone() -> None:
    assert {book.versions for book in BOOKS} == {("3.3",)}


@every_rule
def test_the_passing_document_has_no_finding(examples: Examples, code: str) -> None:
    assert examples.passing(code) == ()


@every_rule
def test_the_failing_document_breaks_that_code(examples: Examples, code: str) -> None:
    findings = examples.failing(code)
    assert {finding.code for finding in findings} == examples.expected(code)
    for finding in findings:
        assert finding.found is not None or finding.expected is not None
        assert finding.detail


@every_rule
def test_without_the_rule_the_failing_document_passes(examples: Examples, code: str) -> None:
    assert examples.without(code) == ()


@every_rule
def test_every_rule_says_its_sentence_and_source(examples: Examples, code: str) -> None:
    rule = examples.book.rule(code)
    assert MESSAGES[rule.shown]
    assert rule.source
    assert rule.at.startswith(rule.kind.PATH)
