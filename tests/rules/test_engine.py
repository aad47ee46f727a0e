"""The engine: which rules are evaluated, the order of findings, and validated documents."""

from __future__ import annotations

import gc
from collections.abc import Callable
from dataclasses import replace
from datetime import date
from typing import Any

import pytest
from tests.support.reference_data import NOW, InMemoryCatalogs, reference_data
from tests.support.rules import checked, codes, nodes, sample_row, sample_rule

from timbra.cfdi.nodes import Comprobante, Concepto
from timbra.core.errors import ServiceError
from timbra.examples import concepto, exportacion, flete, ingreso, nomina, pago
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.engine import Engine, ValidatedDocument
from timbra.rules.engine.profiles import STAMP, VALIDATE, Profile
from timbra.rules.engine.result import (
    DataRequirement,
    Finding,
    Indeterminate,
    NotEvaluated,
    RuleResult,
    Severity,
    Violation,
)
from timbra.rules.engine.rule import AnyRule
from timbra.rules.engine.rule_set import RuleSet
from timbra.rules.engine.tables import tables
from timbra.rules.registry import ENGINE, RULE_SETS, validate_for_stamping

PLAIN = Profile("plain")


def always(code: str, **metadata: Any) -> AnyRule:
    def breaks(_comprobante: Comprobante, _ctx: EvaluationContext) -> RuleResult:
        return Violation(found="x")

    return sample_rule(code, at="@Fecha", **metadata)(breaks)


def found(*rules: AnyRule, profile: Profile = PLAIN, fecha: str = "2026-11-17T12:00:00", tipo: str = "I") -> list[str]:
    engine = Engine([RuleSet("test", "1", rules)])
    text = ingreso({"@TipoDeComprobante": tipo}, fecha=fecha)
    return [finding.code for finding in engine.check(nodes(text), reference_data(), profile).findings]


def test_check_evaluates_rules_on_the_date_of_the_document() -> None:
    dated = always("A1", since=date(2024, 12, 13), until=date(2025, 12, 31))
    assert found(dated, fecha="2024-12-12T23:59:59") == []
    assert found(dated, fecha="2024-12-13T00:00:00") == ["A1"]
    assert found(dated, fecha="2025-12-31T23:59:59") == ["A1"]
    assert found(dated, fecha="2026-01-01T00:00:00") == []


def test_check_evaluates_documents_of_different_dates_and_types() -> None:
    engine = Engine([RuleSet("test", "1", (always("A1", since=date(2025, 1, 1)), always("A2", types="E")))])

    def codes_on(fecha: str, tipo: str) -> list[str]:
        text = ingreso({"@TipoDeComprobante": tipo}, fecha=fecha)
        return [finding.code for finding in engine.check(nodes(text), reference_data(), PLAIN).findings]

    for _ in range(2):
        assert codes_on("2024-05-01T00:00:00", "I") == []
        assert codes_on("2026-05-01T00:00:00", "I") == ["A1"]
        assert codes_on("2024-05-01T00:00:00", "E") == ["A2"]
        assert codes_on("2026-05-01T00:00:00", "E") == ["A1", "A2"]
        assert codes_on("2026-05-01T00:00:00", "?") == ["A1"]


@pytest.mark.parametrize("days", [("2025-12-31", "2026-01-01"), ("2026-01-01", "2025-12-31")])
def test_engine_plans_the_last_day_of_a_rule_and_the_day_after_separately(days: tuple[str, str]) -> None:
    engine = Engine([RuleSet("test", "1", (always("A1", until=date(2025, 12, 31)),))])
    by_day = {}
    for day in days:
        findings = engine.check(nodes(ingreso(fecha=f"{day}T12:00:00")), reference_data(), PLAIN).findings
        by_day[day] = [finding.code for finding in findings]
    assert by_day == {"2025-12-31": ["A1"], "2026-01-01": []}


def test_check_uses_the_date_of_the_request_without_a_valid_fecha() -> None:
    assert found(always("A1", since=NOW.date()), fecha="ayer") == ["A1"]


def test_check_selects_rules_by_type() -> None:
    assert found(always("A1", types="EP")) == []
    assert found(always("A1", types="EP"), tipo="P") == ["A1"]


def test_check_skips_rules_that_do_not_apply() -> None:
    assert found(always("A1", applies=lambda _node, _case: False)) == []


@pytest.mark.parametrize("severity", [Severity.SUSPENDED, Severity.INACTIVE])
def test_profile_enables_suspended_rules(severity: Severity) -> None:
    suspended = always("A1", severity=severity)
    assert found(suspended) == []
    assert found(suspended, profile=Profile("on", {"A1": Severity.ERROR})) == ["A1"]
    assert found(suspended, profile=Profile("on", {"A1": Severity.ERROR}, disabled=frozenset({"A1"}))) == []


def test_finding_has_the_code_that_its_rule_is_reported_as() -> None:
    engine = Engine([RuleSet("test", "1", (always("A1"), always("A2", reported_as="A1")))])
    findings = engine.check(nodes(ingreso()), reference_data(), PLAIN).findings
    assert [(finding.code, finding.reported_as) for finding in findings] == [("A1", None), ("A2", "A1")]


def test_check_does_not_evaluate_a_rule_without_its_list() -> None:
    book = RuleSet("test", "1", (always("A1", needs=(DataRequirement.TAXPAYERS, DataRequirement.MARKS)),))
    outcome = Engine([book]).check(nodes(ingreso()), reference_data(taxpayers=None), PLAIN)
    assert outcome.findings == ()
    assert outcome.not_evaluated == (NotEvaluated("A1", "l_RFC, marcas de l_RFC", "test"),)


def test_check_does_not_evaluate_a_rule_without_its_column() -> None:
    book = RuleSet("test", "1", (always("A1", columns=(("c_ClaveProdServ", "extra"),)),))
    engine = Engine([book])
    missing = engine.check(nodes(ingreso()), reference_data(), PLAIN)
    assert missing.not_evaluated == (NotEvaluated("A1", "c_ClaveProdServ.extra", "test"),)
    richer = InMemoryCatalogs(version="richer", columns=frozenset({("c_ClaveProdServ", "extra")}))
    assert [f.code for f in engine.check(nodes(ingreso()), reference_data(catalogs=richer), PLAIN).findings] == ["A1"]


def test_check_does_not_evaluate_a_rule_whose_column_has_no_value() -> None:
    book = RuleSet("test", "1", (always("A1", columns=(("c_ClaveProdServ", "complemento"),), needs_values=True),))
    engine = Engine([book])
    missing = engine.check(nodes(ingreso()), reference_data(), PLAIN)
    assert missing.not_evaluated == (NotEvaluated("A1", "valores en c_ClaveProdServ.complemento", "test"),)
    filled = tables({"c_ClaveProdServ": {"50211503": {"complemento": "instEducativas"}}}).apply(reference_data())
    assert [finding.code for finding in engine.check(nodes(ingreso()), filled, PLAIN).findings] == ["A1"]


def test_not_evaluated_contains_applicable_rules_only() -> None:
    never = always("A1", needs=(DataRequirement.TAXPAYERS,), applies=lambda _node, _case: False)
    listed = (sample_row("A2", "Parte", "no data", Concepto), sample_row("A3", "Parte", "low confidence"))
    outcome = Engine([RuleSet("test", "1", (never,), not_implemented=listed)]).check(
        nodes(ingreso()), reference_data(taxpayers=None), PLAIN
    )
    assert outcome.not_evaluated == (NotEvaluated("A2", "no data", "test"),)


def test_indeterminate_rule_is_not_evaluated_once() -> None:
    @sample_rule("A1", at="Conceptos/Concepto")
    def unsure(_concepto: Concepto, _ctx: EvaluationContext) -> RuleResult:
        return Indeterminate("a list")

    outcome = Engine([RuleSet("test", "1", (unsure,))]).check(nodes(ingreso(concepts=3)), reference_data(), PLAIN)
    assert outcome.not_evaluated == (NotEvaluated("A1", "a list", "test"),)


def test_findings_are_in_document_order_and_by_code() -> None:
    broken = concepto({"@ClaveUnidad": "ZZZ", "@ObjetoImp": "01"})
    text = ingreso({"Receptor/@UsoCFDI": "X01", "Impuestos/@TotalImpuestosTrasladados": "1.000"}, concepts=[broken] * 2)
    places = [(finding.code, finding.path) for finding in checked(text).findings]
    assert places == [
        ("CFDI40119", "@Total"),
        ("CFDI40160", "Receptor/@UsoCFDI"),
        ("CFDI40165", "Conceptos/Concepto[1]/@ClaveUnidad"),
        ("CFDI40172", "Conceptos/Concepto[1]/Impuestos"),
        ("CFDI40165", "Conceptos/Concepto[2]/@ClaveUnidad"),
        ("CFDI40172", "Conceptos/Concepto[2]/Impuestos"),
        ("CFDI40204", "Impuestos/@TotalImpuestosTrasladados"),
        ("CFDI40205", "Impuestos/@TotalImpuestosTrasladados"),
    ]


def test_validated_document_has_versions_of_its_checks() -> None:
    comprobante = nodes(ingreso())
    validated = validate_for_stamping(comprobante, reference_data())
    assert validated.document is comprobante
    assert validated.checked_at == NOW
    assert (validated.catalogs_version, validated.lists_version) == ("small", "2026-11-17")
    assert validated.rules_version.startswith("cfdi40:")
    assert validated.rules_version.split() == list(
        dict.fromkeys(f"{book.name}:{book.revision}" for book in ENGINE.rule_sets)
    )


def test_validate_for_stamping_rejects_with_the_first_error() -> None:
    text = ingreso({"Receptor/@UsoCFDI": "X01", "@FormaPago": "98"})
    with pytest.raises(ServiceError) as caught:
        validate_for_stamping(nodes(text), reference_data())
    assert caught.value.code == "CFDI40104"
    assert caught.value.detail == (
        "@FormaPago: se encontró «98»; se esperaba una clave de c_FormaPago vigente el 2026-11-17."
    )


def test_validate_for_stamping_accepts_warnings() -> None:
    text = ingreso({"Emisor/@Nombre": "OTRO"})
    warnings = validate_for_stamping(nodes(text), reference_data(), VALIDATE).warnings
    assert [finding.code for finding in warnings] == ["CFDI40139", "CFDI40138"]
    with pytest.raises(ServiceError):
        validate_for_stamping(nodes(text), reference_data(), STAMP)


def test_validated_document_is_made_by_the_engine_only() -> None:
    validated = validate_for_stamping(nodes(ingreso()), reference_data())
    with pytest.raises(TypeError):
        replace(validated)
    with pytest.raises(TypeError):
        ValidatedDocument(validated.document, (), (), NOW, "", "", "")
    with pytest.raises(TypeError):
        ValidatedDocument(validated.document, (), (), NOW, "", "", "", permit=object())


def test_rule_set_rejects_a_repeated_code() -> None:
    with pytest.raises(ValueError, match="A1"):
        RuleSet("test", "1", (always("A1"), always("A1")))
    with pytest.raises(ValueError, match="A1"):
        RuleSet("test", "1", (always("A1"),), not_implemented=(sample_row("A1", "Parte", "no data"),))


def test_rule_rejects_a_place_outside_its_node() -> None:
    def predicate(_concepto: Concepto, _ctx: EvaluationContext) -> RuleResult:
        return None

    with pytest.raises(ValueError, match="Receptor"):
        sample_rule("A1", at="Receptor/@Rfc")(predicate)


def test_rule_requires_the_type_of_its_node() -> None:
    def predicate(_text: str, _ctx: EvaluationContext) -> RuleResult:
        return None

    with pytest.raises(TypeError):
        sample_rule("A1", at="Receptor/@Rfc")(predicate)


@pytest.mark.parametrize(
    ("finding", "detail"),
    [
        (Finding("C", "@A", Severity.ERROR, "b", "x", "y"), "@A: se encontró «x»; se esperaba y."),
        (Finding("C", "@A", Severity.ERROR, "b", "x"), "@A: se encontró «x»."),
        (Finding("C", "", Severity.ERROR, "b", None, "y", "Z."), "Comprobante: no está presente; se esperaba y. Z."),
        (Finding("C", "@A", Severity.ERROR, "b", literal="tal cual"), "tal cual"),
    ],
)
def test_finding_detail_has_place_found_and_expected(finding: Finding, detail: str) -> None:
    assert finding.detail == detail


def test_rules_evaluate_a_thousand_conceptos() -> None:
    assert codes(ingreso(concepts=1000)) == set()


@pytest.mark.parametrize("example", [ingreso, pago, nomina, flete, exportacion])
def test_evaluation_leaves_nothing_to_the_garbage_collector(example: Callable[[], str]) -> None:
    data = reference_data()
    ENGINE.check(nodes(example()), data, VALIDATE)
    gc.disable()
    gc.freeze()  # what earlier tests made takes longer to search than what the evaluation leaves
    try:
        ENGINE.check(nodes(example()), data, VALIDATE)
        assert gc.collect() == 0
    finally:
        gc.enable()


def test_rule_without_an_example_names_its_file() -> None:
    rule = RULE_SETS[0].rules[0]
    with pytest.raises(LookupError, match=r"FAILS of timbra\.rules\.rulesets\.\w+\.examples has no document for NEW1"):
        _ = replace(rule, code="NEW1").fails
