"""Rule sets and catalogs of the versions of the invoice."""

from __future__ import annotations

from datetime import date

import pytest
from tests.support.reference_data import START, InMemoryCatalogs, reference_data
from tests.support.rules import codes, nodes, sample_rule

from timbra.cfdi.nodes import Comprobante
from timbra.cfdi.nodes.pagos20 import Pagos
from timbra.examples import ingreso, ingreso33, pago, traslado33
from timbra.examples.pagos10 import pago10
from timbra.rules.engine import engine
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.engine import Engine
from timbra.rules.engine.profiles import Profile
from timbra.rules.engine.result import RuleResult, Violation
from timbra.rules.engine.rule_set import RuleSet
from timbra.rules.engine.versions import Catalogs33
from timbra.rules.registry import ENGINE

VERSIONS = ("4.0", "3.3")

PLAIN = Profile("plain")


@sample_rule("O1", at="@Fecha")
def of_older(_comprobante: Comprobante, _ctx: EvaluationContext) -> RuleResult:
    return Violation(found="x")


@sample_rule("L1", at="@Fecha")
def of_later(_comprobante: Comprobante, _ctx: EvaluationContext) -> RuleResult:
    return Violation(found="x")


@sample_rule("B1", at="@Fecha")
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
    invoices = [each for each in ENGINE.rule_sets if each.root is Comprobante]
    assert {version for each in invoices for version in each.versions} == set(VERSIONS)


def test_minimal_documents_of_both_versions_have_no_findings() -> None:
    for text in (ingreso33(), traslado33(), pago10(), ingreso(), pago()):
        assert codes(text) == set()


def test_in_force_uses_the_catalog_of_the_version() -> None:
    small = reference_data(catalogs=InMemoryCatalogs())
    older, later = EvaluationContext(nodes(ingreso33()), small), EvaluationContext(nodes(ingreso()), small)
    assert older.in_force("c_UsoCFDI", "P01")
    assert not later.in_force("c_UsoCFDI", "P01")
    assert (older.standard, later.standard) == ("cfdi33", "cfdi40")


def test_catalogs_33_row_and_has_use_the_catalog_of_the_version() -> None:
    small = InMemoryCatalogs(
        keys={"cfdi33:c_UsoCFDI": {"P01": {"aplica_fisica": "1"}}, "c_UsoCFDI": {}, "pagos10:c_X": {"01": {"y": "2"}}}
    )
    catalogs = Catalogs33(small)
    assert catalogs.row("c_UsoCFDI", "P01", START) == {"aplica_fisica": "1"}
    assert catalogs.row("c_UsoCFDI", "G01", START) is None
    assert catalogs.row("pagos10:c_X", "01", START) == {"y": "2"}
    assert catalogs.has("c_UsoCFDI", "aplica_fisica") is True
    assert catalogs.has("c_UsoCFDI", "aplica_moral") is False


@pytest.mark.parametrize(("since", "in_force"), [(date(2017, 8, 14), True), (date(2017, 8, 15), False)])
def test_catalogs_33_replaces_earlier_dates_by_2017_08_14(since: date, in_force: bool) -> None:
    small = InMemoryCatalogs(since={("cfdi33:c_UsoCFDI", "P01"): since, ("pagos10:c_X", "01"): since})
    small.keys["pagos10:c_X"] = {"01": {}}
    catalogs = Catalogs33(small)
    july = date(2017, 7, 1)
    assert (catalogs.row("c_UsoCFDI", "P01", july) is not None) is in_force
    assert catalogs.contains("c_UsoCFDI", "P01", july) is in_force
    assert catalogs.row("pagos10:c_X", "01", july) is None


@pytest.mark.parametrize(
    ("changes", "cached"), [({}, 1), ({"@TipoDeComprobante": "?"}, 0), ({"@Version": "9.9"}, 0)], ids=str
)
def test_engine_caches_plans_of_known_types_and_versions_only(changes: dict[str, str], cached: int) -> None:
    engine_under_test = Engine([RuleSet("both", "1", (of_both,))])
    engine_under_test.check(nodes(ingreso(changes)), reference_data(), PLAIN)
    assert len(engine_under_test._plans) == cached


def test_engine_evaluates_rules_of_a_complement_only_with_the_complement() -> None:
    engine_under_test = Engine([RuleSet("payments", "1", (of_both,), complement=Pagos)])
    for text, expected in ((pago(), ["B1"]), (ingreso(), [])):
        findings = engine_under_test.check(nodes(text), reference_data(), PLAIN).findings
        assert [finding.code for finding in findings] == expected
