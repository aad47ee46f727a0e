"""Payrolls of CFDI 4.0 before the service: stamped, or refused and reported by their own book."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest
from tests.support.desk import FECHA, Desk

from timbra.examples import Change, Node, nomina
from timbra.examples.codes.example import at
from timbra.examples.codes.nomina12 import CONCEPTO, WORKER, deceased
from timbra.examples.nomina12 import dated, deduction, earned, employed, incapacity, payroll
from timbra.service.report import Report

SECTION = "CFDI40 - Validaciones Proveedor Complemento nomina12:Nomina"


def report(desk: Desk, text: str) -> Report:
    return asyncio.run(desk.house.validation.validate(desk.sealed(text, desk.mint()), with_status=False))


def told(found: Report) -> dict[str | None, str]:
    """The section of each code that something is found with."""
    return {entry.code: section.name for section in found.sections for entry in section.entries if entry.is_finding}


def of(*payrolls: Node) -> Callable[[], str]:
    return lambda: nomina(fecha=FECHA, payrolls=payrolls)


MADE: dict[str, Callable[[], str]] = {
    "assimilated": of(payroll()),
    "employed": of(employed(withheld=[deduction("002", "20.00")])),
    "ill": of(employed([earned("001"), earned("014")], incapacities=[incapacity("200.00")])),
    "retired": of(payroll([earned("039")])),
    "two at once": of(employed(), payroll([earned("022")])),
}


@pytest.mark.parametrize("kind", MADE)
def test_payrolls_are_validated_and_stamped(desk: Desk, kind: str) -> None:
    text = MADE[kind]()
    assert told(report(desk, text)) == {}
    desk.store(desk.mint())
    assert desk.issue(text.encode()).cfdi


def test_a_deceased_worker_is_paid(desk: Desk) -> None:
    desk.store(desk.mint())
    text = deceased("605").but({"@Fecha": FECHA}).written(nomina)
    assert told(report(desk, text)) == {}
    assert desk.issue(text.encode()).cfdi


def test_stamping_refuses_with_the_complements_code(desk: Desk) -> None:
    desk.store(desk.mint())
    wrong = nomina(at(WORKER, PeriodicidadPago="99"), fecha=FECHA)
    refusal = desk.refusal(wrong.encode(), issue=True)
    assert refusal.code == "NOM33"
    assert refusal.detail == (
        "Complemento/Nomina/Receptor/@PeriodicidadPago: se encontró «99»; se esperaba distinta de 99, por TipoNomina O."
    )
    assert told(report(desk, wrong)) == {"NOM33": SECTION}


def test_a_misplaced_payroll_is_refused_and_told(desk: Desk) -> None:
    there = Node("cfdi:ComplementoConcepto", children=[dated(payroll(), FECHA[:10])])
    changes: dict[str, Change] = {"Complemento": None, f"{CONCEPTO}/ComplementoConcepto": there}
    wrong = nomina(changes, fecha=FECHA)
    assert set(told(report(desk, wrong))) == {"NOM30"}
    desk.store(desk.mint())
    assert desk.refusal(wrong.encode(), issue=True).code == "NOM30"


def test_a_payroll_without_curp_has_a_wrong_structure(desk: Desk) -> None:
    """So nobody is left for NOM10."""
    desk.store(desk.mint())
    wrong = deceased("605").but({"@Fecha": FECHA, **at(WORKER, Curp=None)}).written(nomina)
    assert desk.refusal(wrong.encode(), issue=True).code == "301"
