"""Rule sets and catalogs of the versions of the invoice."""

from __future__ import annotations

import pytest
from tests.support.reference_data import InMemoryCatalogs, reference_data
from tests.support.rules import codes, nodes

from timbra.cfdi.nodes import Comprobante
from timbra.examples import ingreso, ingreso33, pago, traslado33
from timbra.examples.pagos10 import pago10
from timbra.rules.engine import engine
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.engine import Engine
from timbra.rules.engine.profiles import Profile
from timbra.rules.engine.result import RuleResult, Violation
from timbra.rules.engine.rule import VERSIONS, RuleSet, rule
from timbra.rules.registry import ENGINE

PLAIN = Profile("plain")


@rule("O1", at="@Fecha", source="test")
def of_older(_comprobante: Comprobante, _ctx: EvaluationContext) -> RuleResult:
    return Violation(found="x")


@rule("L1", at="@Fecha", source="test")
def of_later(_comprobante: Comprobante, _ctx: EvaluationContext) -> RuleResult:
    return Violation(found="x")


@rule("B1", at="@Fecha", source="test")
def of_both(_comprobante: Comprobante, _ctx: EvaluationContext) -> RuleResult:
    return Violation(found="x")


def test_rule_set_is_evaluated_for_its_versions_only() -> None:
    engine_under_test = Engine(
        [
            RuleSet("older", "1", (of_older,), versions=("3.3",)),
            RuleSet("later", "1", (of_later,), versions=("4.0",)),
            RuleSet("both", "1", (of_both,)),
        ]
    )
    for _ in range(2):
        for text, expected in ((ingreso33(), {"O1", "B1"}), (ingreso(), {"L1", "B1"})):
            assert {
                finding.code for finding in engine_under_test.check(nodes(text), reference_data(), PLAIN).findings
            } == expected


def test_plans_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "MAX_PLANS", 2)
    engine_under_test = Engine([RuleSet("both", "1", (of_both,))])
    for text in (ingreso33(), ingreso(), pago(), traslado33(), ingreso33()):
        assert [finding.code for finding in engine_under_test.check(nodes(text), reference_data(), PLAIN).findings] == [
            "B1"
        ]
        assert len(engine_under_test._plans) <= 2


def test_rule_sets_cover_the_supported_versions() -> None:
    assert {version for book in ENGINE.rule_sets for version in book.versions} == set(VERSIONS)


def test_minimal_documents_of_both_versions_have_no_findings() -> None:
    for text in (ingreso33(), traslado33(), pago10(), ingreso(), pago()):
        assert codes(text) == set()


def test_in_force_uses_the_catalog_of_the_version() -> None:
    small = reference_data(catalogs=InMemoryCatalogs())
    older, later = EvaluationContext(nodes(ingreso33()), small), EvaluationContext(nodes(ingreso()), small)
    assert older.in_force("c_UsoCFDI", "P01")
    assert not later.in_force("c_UsoCFDI", "P01")
    assert (older.standard, later.standard) == ("cfdi33", "cfdi40")
