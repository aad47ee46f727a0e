"""The records of rules: sentence, source, place and example of each."""

from __future__ import annotations

import re
from datetime import date

import pytest

from timbra.messages import SERVICE
from timbra.rules.engine.citation import SOURCE_UNKNOWN, Citation, matrix
from timbra.rules.engine.rule import AnyRule, NoExample
from timbra.rules.reference.messages import MESSAGES
from timbra.rules.reference.messages import RULES as RULES_SENTENCES
from timbra.rules.registry import RULE_SETS

RULES = [rule for rule_set in RULE_SETS for rule in rule_set.rules]
every_rule = pytest.mark.parametrize("rule", RULES, ids=lambda rule: str(rule.code))
ENGLISH = re.compile(r"\b(of|the|and|for|is|with|must|not)\b", re.IGNORECASE)


@every_rule
def test_rule_has_a_spanish_sentence(rule: AnyRule) -> None:
    for text in filter(None, (rule.says, rule.note)):
        assert text[0].isupper() or text[0].isdigit()
        assert text.endswith("."), text
        assert not ENGLISH.search(text), text
    assert MESSAGES[rule.display_code]


@every_rule
def test_rule_is_at_a_place_of_its_node(rule: AnyRule) -> None:
    assert rule.at.startswith(rule.kind.PATH)
    assert rule.since <= rule.until


@every_rule
def test_rule_with_a_code_of_the_matrix_cites_the_row(rule: AnyRule) -> None:
    if rule.cites.has_rows:
        assert rule.source.endswith(f"fila {rule.display_code}")
        assert ":" not in rule.code, "a requirement without a code is no row of a matrix"


def test_sentences_of_named_requirements_differ_from_that_of_their_code() -> None:
    named = [rule for rule in RULES if ":" in rule.code]
    assert [rule.code for rule in named if rule.says == MESSAGES[rule.display_code]] == []


def test_rule_is_reported_as_a_code_of_its_rule_set_with_the_same_place() -> None:
    reported = [(rule_set, rule) for rule_set in RULE_SETS for rule in rule_set.rules if rule.reported_as]
    assert [rule.code for _, rule in reported] == ["CFDI40148"]
    for rule_set, rule in reported:
        other = rule_set.rule(rule.reported_as)
        assert (other.at, other.reported_as) == (rule.at, "")


def test_codes_are_unique() -> None:
    assert len({rule.code for rule in RULES}) == len(RULES)


def test_code_of_a_rule_is_no_code_of_the_service() -> None:
    assert SERVICE.keys() & RULES_SENTENCES.keys() == set()


def test_suspension_is_the_only_reason_for_a_suspended_rule_without_example() -> None:
    for rule in RULES:
        if rule.fails is NoExample.SUSPENDED:
            assert rule.severity == "suspended"


def test_citation_names_document_revision_and_row() -> None:
    assert matrix("SAT, matriz", "2026-01-01").of("A1:Name") == "SAT, matriz, revisión 2026-01-01, fila A1"
    assert Citation("SAT, guía", url="https://sat.example").of("A1") == "SAT, guía, https://sat.example"
    assert SOURCE_UNKNOWN.of("A1") == "fuente desconocida"


def test_dates_of_rules_are_dates_of_the_standards() -> None:
    assert all(rule.since == date.min or rule.since >= date(2017, 1, 1) for rule in RULES)
