"""Every rule has two examples: one satisfies it, one violates it alone, and without the rule both are accepted."""

from __future__ import annotations

import pytest
from tests.support.rule_set_examples import Examples

from timbra.rules.engine.rule import NoExample
from timbra.rules.registry import ENGINE

RULES = [
    pytest.param(Examples(rule_set), rule.code, id=f"{rule_set.name}-{rule.code}")
    for rule_set in ENGINE.rule_sets
    for rule in rule_set.rules
    if not isinstance(rule.fails, NoExample)
]
every_rule = pytest.mark.parametrize(("examples", "code"), RULES)


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
