"""Every rule keeps its promise: one document holds, one breaks it alone, and without the rule both pass."""

from __future__ import annotations

import pytest
from tests.support.book import Examples

from timbra.examples.codes import EXAMPLES
from timbra.messages import MESSAGES
from timbra.rules.comercioexterior20 import BOOKS

OF = {rule.code: Examples(book) for book in BOOKS for rule in book.rules}
every_code = pytest.mark.parametrize("code", OF)


def test_every_rule_has_its_examples() -> None:
    assert {code for code in EXAMPLES if code.startswith("CCE")} == set(OF)


@every_code
def test_the_passing_document_has_no_finding(code: str) -> None:
    assert OF[code].passing(code) == ()


@every_code
def test_the_failing_document_breaks_that_code(code: str) -> None:
    findings = OF[code].failing(code)
    assert {finding.code for finding in findings} == OF[code].expected(code)
    for finding in findings:
        assert finding.found is not None or finding.expected is not None
        assert finding.detail


@every_code
def test_without_the_rule_the_failing_document_passes(code: str) -> None:
    assert OF[code].without(code) == ()


@every_code
def test_every_rule_says_its_sentence_and_source(code: str) -> None:
    rule = OF[code].book.rule(code)
    assert MESSAGES[rule.shown]
    assert rule.source
    assert rule.at.startswith(rule.kind.PATH)
