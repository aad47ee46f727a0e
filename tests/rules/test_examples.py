"""Every rule has two examples: one satisfies it, one violates it alone, and without the rule both are accepted."""

from __future__ import annotations

import pytest
from tests.support.rule_set_examples import Examples

from timbra.rules.engine.result import Finding
from timbra.rules.engine.rule import NoExample
from timbra.rules.engine.rule_set import RuleSet
from timbra.rules.registry import ENGINE

every_rule_set = pytest.mark.parametrize("rule_set", ENGINE.rule_sets, ids=lambda rule_set: f"{rule_set.name}")


def codes_of(rule_set: RuleSet) -> list[str]:
    """Return the codes of the rules that have examples."""
    return [rule.code for rule in rule_set.rules if not isinstance(rule.fails, NoExample)]


def says_what_is_wrong(finding: Finding) -> bool:
    return bool(finding.detail) and (finding.found is not None or finding.expected is not None)


@every_rule_set
def test_passing_example_has_no_findings(rule_set: RuleSet) -> None:
    examples = Examples(rule_set)
    found = {code: examples.passing(code) for code in codes_of(rule_set)}
    assert {code: findings for code, findings in found.items() if findings} == {}


@every_rule_set
def test_failing_example_has_the_expected_codes(rule_set: RuleSet) -> None:
    examples = Examples(rule_set)
    found = {code: examples.failing(code) for code in codes_of(rule_set)}
    codes = {code: {finding.code for finding in findings} for code, findings in found.items()}
    assert codes == {code: examples.expected(code) for code in found}
    assert [each for findings in found.values() for each in findings if not says_what_is_wrong(each)] == []


@every_rule_set
def test_failing_example_has_no_findings_without_the_rule(rule_set: RuleSet) -> None:
    examples = Examples(rule_set)
    found = {code: examples.without(code) for code in codes_of(rule_set)}
    assert {code: findings for code, findings in found.items() if findings} == {}


def test_rule_that_is_reported_after_another_follows_it() -> None:
    found = {
        rule.code: [finding.code for finding in Examples(rule_set).failing(rule.code)]
        for rule_set in ENGINE.rule_sets
        for rule in rule_set.rules
        if rule.reported_after in rule.inseparable
    }
    assert found == {
        "CFDI40138": ["CFDI40139", "CFDI40138"],
        "CFDI40144": ["CFDI40145", "CFDI40144"],
        "Reten20115": ["Reten20116", "Reten20115"],
    }
