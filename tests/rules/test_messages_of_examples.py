"""The texts of the findings of all failing examples."""

from __future__ import annotations

import re

import pytest
from tests.support.rule_set_examples import EXAMPLES, Examples

from timbra.cfdi.structure.value_phrases import format_phrase
from timbra.rules.engine.result import Finding
from timbra.rules.engine.rule_set import RuleSet
from timbra.rules.registry import RULE_SETS

ENGLISH = re.compile(
    r"\b(the|must|not|value|expected|found|missing|required|invalid|should|of|and|with|is|type|name|date)\b", re.I
)
GROUPS = re.compile(r"\d\d  \d\d  \d{4}  \d{7}|AA  BB  CCCC  DDDDDDD")
REPRESENTATION = re.compile(r"Decimal\(|\bNone\b|\bTrue\b|\bFalse\b|\['|\{'|\dE[+-]\d")
EXPRESSION = re.compile(r"\[[^\]]*\](\{|\+|\*|\?)|\(\?")


def defects(finding: Finding) -> list[str]:
    """Return what is wrong with the texts of a finding."""
    found = []
    name = re.escape(finding.path.rpartition("/")[2].lstrip("@").partition("[")[0])
    if finding.found and name and re.search(rf"\b{name}\b", finding.found):
        found.append("the found value repeats the name")
    for text in filter(None, (finding.expected, finding.hint)):
        found += [f"{form.pattern[:20]}: {text}" for form in (ENGLISH, REPRESENTATION, EXPRESSION) if form.search(text)]
        if "  " in GROUPS.sub("", text):
            found.append(f"double space: {text}")
        if re.search(r"[a-z0-9]+:c_", text):
            found.append(f"internal name: {text}")
    if finding.hint is not None and not finding.hint.endswith("."):
        found.append("the hint has no period")
    if finding.literal is None and not finding.detail.endswith("."):
        found.append("the detail has no period")
    return found


@pytest.mark.parametrize("rule_set", [each for each in RULE_SETS if each.by_engine], ids=lambda each: each.name)
def test_findings_of_failing_examples_are_spanish_sentences(rule_set: RuleSet) -> None:
    examples = Examples(rule_set)
    wrong = {}
    for rule in rule_set.rules:
        for finding in examples.failing(rule.code) if rule.code in EXAMPLES else ():
            if defects(finding):
                wrong[finding.code, finding.path] = defects(finding)
    assert wrong == {}


@pytest.mark.parametrize(
    ("pattern", "phrase"),
    [
        ("[0-9]{9}", "9 dígitos"),
        ("[0-9]{5}(-[0-9]{4})?", "5 dígitos, y opcionalmente «-», 4 dígitos"),
        ("[0-9]{10}|[0-9]{18}", "10 dígitos o 18 dígitos"),
        ("PL/[0-9]{1,20}/EXP", "«PL/», de 1 a 20 dígitos, «/EXP»"),
    ],
)
def test_format_phrase_has_no_expression(pattern: str, phrase: str) -> None:
    assert format_phrase(pattern) == phrase
