"""Payrolls of CFDI 4.0 in the service: stamped, or rejected and reported by their own rule set."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest
from tests.support.sandbox_app import FECHA, SandboxApp

from timbra.cfdi.nodes import Concepto
from timbra.cfdi.nodes.nomina12 import ReceptorNomina
from timbra.examples import Change, ExampleNode, nomina
from timbra.examples.codes.example import at
from timbra.examples.codes.nomina12 import deceased
from timbra.examples.nomina12 import dated, deduction, earned, employed, incapacity, payroll
from timbra.validation.build import validation_services
from timbra.validation.models import ValidationReport

UNSTAMPED_CODE = "SIN-TIMBRE"

CONCEPTO, WORKER = Concepto.PATH, ReceptorNomina.PATH
SECTION = "Complemento Nomina"


@pytest.fixture(scope="module")
def sandbox_app(module_sandbox_app: SandboxApp) -> SandboxApp:
    return module_sandbox_app


def report(sandbox_app: SandboxApp, text: str) -> ValidationReport:
    return asyncio.run(
        sandbox_app.container.get(validation_services).validation.validate(
            sandbox_app.sealed(text, sandbox_app.mint()), with_status=False
        )
    )


def reported_codes(found: ValidationReport) -> dict[str | None, str]:
    """Return the section of each code with a finding."""
    return {
        entry.code: section.title
        for section in found.sections
        for entry in section.entries
        if entry.code != UNSTAMPED_CODE
    }


def of(*payrolls: ExampleNode) -> Callable[[], str]:
    return lambda: nomina(fecha=FECHA, payrolls=payrolls)


MADE: dict[str, Callable[[], str]] = {
    "assimilated": of(payroll()),
    "employed": of(employed(withheld=[deduction("002", "20.00")])),
    "ill": of(employed([earned("001"), earned("014")], incapacities=[incapacity("200.00")])),
    "retired": of(payroll([earned("039")])),
    "two at once": of(employed(), payroll([earned("022")])),
}


@pytest.mark.parametrize("kind", MADE)
def test_payroll_examples_are_validated_and_stamped(sandbox_app: SandboxApp, kind: str) -> None:
    text = MADE[kind]()
    assert reported_codes(report(sandbox_app, text)) == {}
    sandbox_app.store(sandbox_app.mint())
    assert sandbox_app.issue(text.encode()).cfdi


def test_validate_accepts_payroll_of_deceased_worker(sandbox_app: SandboxApp) -> None:
    sandbox_app.store(sandbox_app.mint())
    text = deceased("605").with_changes({"@Fecha": FECHA}).to_xml(nomina)
    assert reported_codes(report(sandbox_app, text)) == {}
    assert sandbox_app.issue(text.encode()).cfdi


def test_stamp_rejects_with_code_of_complement(sandbox_app: SandboxApp) -> None:
    sandbox_app.store(sandbox_app.mint())
    wrong = nomina(at(WORKER, PeriodicidadPago="99"), fecha=FECHA)
    rejection = sandbox_app.rejection(wrong.encode(), issue=True)
    assert rejection.code == "NOM33"
    assert rejection.detail == (
        "Complemento/Nomina/Receptor/@PeriodicidadPago: se encontró «99»; se esperaba distinta de 99, por TipoNomina O."
    )
    assert reported_codes(report(sandbox_app, wrong)) == {"NOM33": SECTION}


def test_misplaced_payroll_is_rejected_and_reported(sandbox_app: SandboxApp) -> None:
    there = ExampleNode("cfdi:ComplementoConcepto", children=[dated(payroll(), FECHA[:10])])
    changes: dict[str, Change] = {"Complemento": None, f"{CONCEPTO}/ComplementoConcepto": there}
    wrong = nomina(changes, fecha=FECHA)
    assert set(reported_codes(report(sandbox_app, wrong))) == {"NOM30"}
    sandbox_app.store(sandbox_app.mint())
    assert sandbox_app.rejection(wrong.encode(), issue=True).code == "NOM30"


def test_payroll_without_curp_violates_structure(sandbox_app: SandboxApp) -> None:
    """NOM10 has no rule, because the structure check covers it."""
    sandbox_app.store(sandbox_app.mint())
    wrong = deceased("605").with_changes({"@Fecha": FECHA, **at(WORKER, Curp=None)}).to_xml(nomina)
    assert sandbox_app.rejection(wrong.encode(), issue=True).code == "301"
