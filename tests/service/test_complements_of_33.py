"""Payments and payrolls of CFDI 3.3 are validated with the books of their time, each in its own section."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime

import pytest
from tests.support.desk import Desk

from timbra.examples import nomina33, pago10
from timbra.examples.codes.nomina12b import NOMINA12B
from timbra.service.report import Report

OF_PAYMENTS = "CFDI33 - Validaciones Proveedor Complemento pago10:Pagos"
OF_PAYROLLS = "CFDI33 - Validaciones Proveedor Complemento nomina12:Nomina"


def report(desk: Desk, text: str) -> Report:
    """Of the document, sealed in its time."""
    credential = desk.mint(valid_from=datetime(2022, 1, 1, tzinfo=UTC), valid_to=datetime(2026, 1, 1, tzinfo=UTC))
    return asyncio.run(desk.house.validation.validate(desk.sealed(text, credential), with_status=False))


def told(found: Report) -> dict[str | None, str]:
    """The section of each code that something is found with."""
    return {entry.code: section.name for section in found.sections for entry in section.entries if entry.is_finding}


@pytest.mark.parametrize("builder", [pago10, nomina33], ids=lambda builder: str(builder.__name__))
def test_they_are_right(desk: Desk, builder: Callable[..., str]) -> None:
    assert told(report(desk, builder())) == {}


def test_a_wrong_payment_is_told_in_its_section(desk: Desk) -> None:
    found = report(desk, pago10({"Complemento/Pagos/Pago/@FormaDePagoP": "99"}))
    assert told(found) == {"CRP201": OF_PAYMENTS}


def test_a_wrong_payroll_is_told_in_its_section(desk: Desk) -> None:
    assert told(report(desk, nomina33({"@FormaPago": "03"}))) == {"NOM133": OF_PAYROLLS}


def test_a_misplaced_payroll_is_told_too(desk: Desk) -> None:
    assert told(report(desk, NOMINA12B["NOM150"].failing())).get("NOM150") == OF_PAYROLLS
