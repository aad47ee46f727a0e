"""Findings that rest on l_RFC or LCO are errors only when the list is of the document's own time."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from tests.rules.certificates.sealed import listed_reference_data, sealed
from tests.support.reference_data import NOW, reference_data
from tests.support.rules import checked, nodes

from timbra.examples import ingreso, ingreso33
from timbra.examples.codes.example import CodeExampleBuilder
from timbra.rules.engine.ports import dated_lists
from timbra.rules.engine.profiles import VALIDATE
from timbra.rules.engine.result import DataRequirement, EvaluationResult, Finding, Severity
from timbra.rules.registry import check
from timbra.rules.rulesets.certificates import evaluation as seals
from timbra.rules.shared.list_freshness import downgrade_stale

WRITTEN = datetime(2026, 11, 17, 18, 0, tzinfo=UTC)
"""The example's Fecha as an instant."""
HOURS = timedelta(hours=72)
SECOND = timedelta(seconds=1)


@pytest.mark.parametrize(
    ("distance", "severity"),
    [
        (timedelta(), Severity.ERROR),
        (HOURS, Severity.ERROR),
        (-HOURS, Severity.ERROR),
        (HOURS + SECOND, Severity.WARNING),
        (-HOURS - SECOND, Severity.WARNING),
        (timedelta(days=3000), Severity.WARNING),
    ],
)
def test_downgrade_stale_accepts_lists_within_72_hours(distance: timedelta, severity: Severity) -> None:
    dated = dated_lists(WRITTEN + distance, WRITTEN + distance)
    there = listed_reference_data(obligations=None, number="30001000000500000000", dated=dated)
    outcome = downgrade_stale(seals.examine(sealed(reference_data=there), seals.ISSUER["4.0"]), there, [WRITTEN])
    assert {finding.code: finding.severity for finding in outcome.findings} == {"402": severity, "305": severity}


def test_downgrade_stale_names_the_list_and_its_date() -> None:
    there = reference_data(dated=dated_lists(datetime(2026, 1, 2, 6, tzinfo=UTC), WRITTEN))
    result = checked(ingreso({"Receptor/@Rfc": "CACX7605101P8", "Receptor/@Nombre": "OTRA"}))
    outcome = downgrade_stale(result, there, [WRITTEN])
    assert {finding.severity for finding in outcome.findings if DataRequirement.TAXPAYERS in finding.rests_on} == {
        Severity.WARNING
    }
    assert "La l_RFC consultada es del 2026-01-02" in outcome.findings[0].detail


@pytest.mark.parametrize(
    ("need", "name"),
    [
        (DataRequirement.OBLIGATIONS, "LCO"),
        (DataRequirement.TAXPAYERS, "l_RFC"),
        (DataRequirement.MARKS, "l_RFC"),
        (DataRequirement.COORDINATED, "l_RFC"),
    ],
)
def test_downgrade_stale_names_the_list_that_the_need_comes_from(need: DataRequirement, name: str) -> None:
    """The marks are columns of l_RFC, not lists of their own."""
    finding = Finding("A1", "@Fecha", Severity.ERROR, "test", hint="Una causa.", rests_on=frozenset({need}))
    there = reference_data(dated=dated_lists(WRITTEN - timedelta(days=30), WRITTEN - timedelta(days=30)))
    [warning] = downgrade_stale(EvaluationResult((finding,)), there, [WRITTEN]).findings
    assert warning.severity is Severity.WARNING
    assert warning.hint == (
        f"Una causa. La {name} consultada es del 2026-10-18 y el comprobante es de otra fecha: puede haber cambiado."
    )


def test_downgrade_stale_keeps_errors_that_rest_on_the_document() -> None:
    there = listed_reference_data(dated=dated_lists(None, NOW - timedelta(days=900)))
    late = seals.examine(sealed({"@Fecha": "2031-01-01T00:00:00"}, reference_data=there), seals.ISSUER["4.0"])
    assert {finding.code: finding.severity for finding in downgrade_stale(late, there, [WRITTEN]).findings} == {
        "305": Severity.ERROR
    }


def test_downgrade_stale_keeps_errors_of_lists_without_a_date() -> None:
    there = listed_reference_data(obligations=None)
    outcome = downgrade_stale(seals.examine(sealed(reference_data=there), seals.ISSUER["4.0"]), there, [WRITTEN])
    assert [finding.severity for finding in outcome.findings] == [Severity.ERROR]


def test_downgrade_stale_keeps_errors_that_rest_on_no_list() -> None:
    there = reference_data(dated=dated_lists(NOW - timedelta(days=900), NOW - timedelta(days=900)))
    outcome = downgrade_stale(checked(ingreso({"@FormaPago": "XX"})), there, [WRITTEN])
    assert {finding.severity for finding in outcome.findings} == {Severity.ERROR}


REGISTERED = {"Receptor/@ResidenciaFiscal": "USA", "Receptor/@NumRegIdTrib": "123456789"}


@pytest.mark.parametrize(("build", "family"), [(ingreso, "CFDI40"), (ingreso33, "CFDI33")])
def test_downgrade_stale_covers_rules_that_sometimes_need_a_list(build: CodeExampleBuilder, family: str) -> None:
    """A taxpayer that is registered today may have lived abroad then; the generic RFC needs no list."""
    there = reference_data(dated=dated_lists(NOW - timedelta(days=900), None))
    outcome = downgrade_stale(check(nodes(build(REGISTERED)), there, VALIDATE), there, [WRITTEN])
    resting = {finding.code: finding.severity for finding in outcome.findings if "l_RFC" in finding.detail}
    assert set(resting.values()) == {Severity.WARNING}
    assert set(resting) == {f"{family}{number}" for number in ((151, 154) if family == "CFDI40" else (134, 137))}
    general = {**REGISTERED, "Receptor/@Rfc": "XAXX010101000"}
    findings = downgrade_stale(check(nodes(build(general)), there, VALIDATE), there, [WRITTEN]).findings
    assert {one.severity for one in findings if one.code in resting} == {Severity.ERROR}
