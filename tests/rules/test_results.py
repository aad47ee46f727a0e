"""Evaluation results, rule sets, profiles and the context of an evaluation."""

from __future__ import annotations

from datetime import date

import pytest
from tests.support.reference_data import NOW, reference_data
from tests.support.rules import nodes, sample_rule

from timbra.cfdi.nodes import Comprobante
from timbra.core.errors import DocumentLocation
from timbra.examples import ingreso
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.ports import InMemoryRelatedDocuments
from timbra.rules.engine.profiles import STAMP, VALIDATE, Profile
from timbra.rules.engine.result import EvaluationResult, Finding, NotEvaluated, RuleResult, Severity
from timbra.rules.engine.rule import AnyRule
from timbra.rules.engine.rule_set import RuleSet
from timbra.rules.registry import ENGINE

A, B = Finding("A1", "", Severity.WARNING, "a"), Finding("B1", "@Total", Severity.ERROR, "b", "1", "2")
A_MISSING, B_MISSING = NotEvaluated("A2", "LCO", "a"), NotEvaluated("B2", "LCO", "b")
RESULT = EvaluationResult((A, B), (A_MISSING, B_MISSING))


def named(code: str) -> AnyRule:
    @sample_rule(code, at="@Fecha")
    def satisfied(_comprobante: Comprobante, _ctx: EvaluationContext) -> RuleResult:
        return None

    return satisfied


def test_for_rule_set_returns_results_of_that_rule_set() -> None:
    assert RESULT.for_rule_set("a") == EvaluationResult((A,), (A_MISSING,))
    assert RESULT.for_rule_set("c") == EvaluationResult()


def test_without_returns_results_of_the_other_rule_sets() -> None:
    assert RESULT.without(["a"]) == EvaluationResult((B,), (B_MISSING,))
    assert RESULT.without(["a", "b"]) == EvaluationResult()


def test_rejection_is_the_first_error() -> None:
    assert RESULT.rejection is B
    assert EvaluationResult((A,)).rejection is None


def test_finding_location_has_no_path_for_the_root() -> None:
    assert A.location == DocumentLocation(None, None, None)
    assert B.location == DocumentLocation("@Total", "1", "2")


def test_rule_returns_the_rule_of_the_code() -> None:
    first, second = named("A1"), named("A2")
    rule_set = RuleSet("test", "1", (first, second))
    assert (rule_set.rule("A1"), rule_set.rule("A2")) == (first, second)
    with pytest.raises(KeyError, match="A3"):
        rule_set.rule("A3")


@pytest.mark.parametrize(
    ("code", "number"),
    [
        ("CFDI40102", 40102),
        ("CFDI139999", 139_999),
        ("CFDI140000", 40_000),
        ("CFDI140223", 40_223),
        ("CFDI150000", 150_000),
        ("CFDI40999:Name", 40_999),
        ("Name", 0),
    ],
)
def test_sort_key_counts_printed_numbers_from_140000_without_their_first_digit(code: str, number: int) -> None:
    assert named(code).sort_key == (number, code)


def test_profile_without_disables_further_codes() -> None:
    profile = Profile("test", {"A3": Severity.WARNING}, frozenset({"A1"})).without("A2")
    severities = [profile.severity(named(code)) for code in ("A1", "A2", "A3", "A5")]
    assert severities == [None, None, Severity.WARNING, Severity.ERROR]
    assert profile.name == "test"


@pytest.mark.parametrize("profile", [STAMP, VALIDATE], ids=lambda profile: profile.name)
def test_profile_names_existing_rules(profile: Profile) -> None:
    codes = {entry.code for rule_set in ENGINE.rule_sets for entry in rule_set.rules}
    assert {*profile.severities, *profile.disabled} <= codes


def test_type_of_returns_the_type_of_a_known_folio() -> None:
    related = InMemoryRelatedDocuments({"a": "I"})
    assert (related.type_of("a"), related.type_of("b")) == ("I", None)


@pytest.mark.parametrize(
    ("postal_code", "zone"), [("22000", "America/Tijuana"), ("42501", "America/Mexico_City"), ("99999", None)]
)
def test_zone_is_that_of_lugar_expedicion_or_central_mexico(postal_code: str, zone: str | None) -> None:
    context = EvaluationContext(nodes(ingreso({"@LugarExpedicion": postal_code})), reference_data())
    assert context.zone.key == (zone or "America/Mexico_City")


def test_context_uses_the_date_of_the_request_at_the_place_of_issue() -> None:
    late = NOW.replace(hour=6, minute=30)
    for postal_code, day in (("22000", 16), ("42501", 17)):
        text = ingreso({"@LugarExpedicion": postal_code}, fecha="ayer")
        assert EvaluationContext(nodes(text), reference_data(now=late)).on == date(2026, 11, day)
