"""The metadata of rules that `timbra explain` and the portal show to users."""

from __future__ import annotations

import re

from timbra.rules.engine.result import Severity
from timbra.rules.reference.lookup import STATES, facts, rows
from timbra.rules.reference.pages import PAGES
from timbra.rules.registry import RULE_SETS

RULES = [rule for rule_set in RULE_SETS for rule in rule_set.rules]
ENGLISH = re.compile(r"\b(of|the|and|for|is|matrix|standard|revision|with)\b")


def test_states_cover_every_severity() -> None:
    assert STATES.keys() == set(Severity)


def test_facts_are_spanish() -> None:
    english = {(rule.code, name, value) for rule in RULES for name, value in facts(rule) if ENGLISH.search(value)}
    assert not english


def test_page_standards_are_spanish() -> None:
    assert not [page.standard for page in PAGES.values() if ENGLISH.search(page.standard)]


def test_rows_finds_all_rules_of_a_finding_code() -> None:
    assert {row.code.partition(":")[0] for row in rows("cfdi40999")} == {"CFDI40999"}
    assert len(rows("CFDI40999")) > 1


def test_rows_accepts_the_five_digits_of_a_code_printed_with_seven() -> None:
    assert [row.code for row in rows("CFDI40226")] == ["CFDI140226"]
