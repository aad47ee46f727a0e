"""Every rule keeps its promise: one document holds, one breaks it alone, and without the rule both pass."""

from __future__ import annotations

import pytest
from tests.support.book import Examples

from timbra.examples.codes import EXAMPLES
from timbra.messages import MESSAGES
from timbra.rules.cfdi40 import BOOK
from timbra.rules.checking import ENGINE

BOOK_EXAMPLES = Examples(BOOK)
every_code = pytest.mark.parametrize("code", BOOK_EXAMPLES.codes)


def test_every_rule_has_its_examples() -> None:
    """Books of complements show CFDI40999 too, where they have no such code of their own."""
    others = {rule.code for book in ENGINE.books if book is not BOOK for rule in book.rules}
    assert {code for code in EXAMPLES if code.startswith(("CFDI4", "CFDI14"))} - others == set(BOOK_EXAMPLES.codes)


@every_code
def test_the_passing_document_has_no_finding(code: str) -> None:
    assert BOOK_EXAMPLES.passing(code) == ()


@every_code
def test_the_failing_document_breaks_that_code(code: str) -> None:
    findings = BOOK_EXAMPLES.failing(code)
    assert {finding.code for finding in findings} == BOOK_EXAMPLES.expected(code)
    for finding in findings:
        assert finding.found is not None or finding.expected is not None
        assert finding.detail


@every_code
def test_without_the_rule_the_failing_document_passes(code: str) -> None:
    assert BOOK_EXAMPLES.without(code) == ()


@every_code
def test_every_rule_says_its_sentence_and_source(code: str) -> None:
    rule = BOOK.rule(code)
    assert MESSAGES[rule.shown]
    assert rule.source
    assert rule.judge.__name__ == rule.name
    assert rule.at.startswith(rule.kind.PATH)
