"""Every rule has two examples: one satisfies it, one violates it alone, and without the rule both are accepted."""

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


def test_examples_exist_for_exactly_the_rules() -> None:
    assert set(EXAMPLES) == {rule.code for book in ENGINE.rule_sets for rule in book.rules}


@every_rule
def test_passing_example_has_no_findings(examples: Examples, code: str) -> None:
    assert examples.passing(code) == ()


@every_rule
def test_failing_example_has_the_expected_codes(examples: Examples, code: str) -> None:
    findings = examples.failing(code)
    assert {finding.code for finding in findings} == examples.expected(code)
    for finding in findings:
        assert finding.found is not None or finding.expected is not None
        assert finding.detail


@every_rule
def test_failing_example_has_no_findings_without_the_rule(examples: Examples, code: str) -> None:
    assert examples.without(code) == ()


@every_rule
def test_rule_has_message_source_and_place(examples: Examples, code: str) -> None:
    rule = examples.book.rule(code)
    assert MESSAGES[rule.display_code]
    assert rule.source
    assert rule.predicate.__name__ == rule.name
    assert rule.at.startswith(rule.kind.PATH)
