"""Every rule keeps its promise: one document holds, one breaks it alone, and without the rule both pass."""

from __future__ import annotations

import pytest
from tests.support.rule_set_examples import Examples

from timbra.examples.codes import EXAMPLES
from timbra.messages import MESSAGES
from timbra.rules.registry import ENGINE

RULES = [
    pytest.param(Examples(book), rule.code, id=f"{book.name}-{rule.code}")
    for book in ENGINE.rule_sets
    for rule in book.rules
]
every_rule = pytest.mark.parametrize(("examples", "code"), RULES)


def test_every_rule_has_its_examples_and_every_example_its_rule() -> None:
    assert set(EXAMPLES) == {rule.code for book in ENGINE.rule_sets for rule in book.rules}


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
    assert MESSAGES[rule.display_code]
    assert rule.source
    assert rule.predicate.__name__ == rule.name
    assert rule.at.startswith(rule.kind.PATH)
