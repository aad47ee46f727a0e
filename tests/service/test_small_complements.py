"""Documents of the small complements are stamped in a sandbox, and validated in a section of their own."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest
from tests.support.desk import FECHA, Desk

from timbra.examples import estado_de_cuenta, gasolina, gastos_hidrocarburos, ine, ingreso, ingresos_hidrocarburos
from timbra.examples.codes.hidroypetro10 import COMPLEMENT
from timbra.examples.hidroypetro10 import fuel

BUILDERS = (ine, estado_de_cuenta, ingresos_hidrocarburos, gastos_hidrocarburos, gasolina)
HYP = "CFDI40 - Validaciones Proveedor Complemento hidrocarburospetroliferos:HidroYPetro"


@pytest.mark.parametrize("builder", BUILDERS, ids=lambda builder: str(builder.__name__))
def test_they_are_stamped_and_right(desk: Desk, builder: Callable[..., str]) -> None:
    desk.store(desk.mint())
    stamped = desk.issue(builder(fecha=FECHA).encode()).cfdi
    report = asyncio.run(desk.house.validation.validate(stamped.encode(), with_status=False))
    assert [entry for entry in report.entries if entry.is_finding] == []


def test_a_wrong_permit_is_refused_and_told_in_its_section(desk: Desk) -> None:
    wrong = gasolina({f"{COMPLEMENT}/@NumeroPermiso": "PL/1/COM/2015"}, fecha=FECHA)
    assert desk.refusal(desk.sealed(wrong, desk.mint())).code == "CCHYP107"
    report = asyncio.run(desk.house.validation.validate(desk.sealed(wrong, desk.mint()), with_status=False))
    told = {entry.code: section.name for section in report.sections for entry in section.entries if entry.is_finding}
    assert told == {"CCHYP107": HYP, "CFDI40999": HYP}


def test_fuel_without_its_permit_is_refused(desk: Desk) -> None:
    refusal = desk.refusal(desk.sealed(ingreso(concepts=[fuel()], fecha=FECHA), desk.mint()))
    assert refusal.code == "CFDI40999"
    assert "Hidrocarburos y Petrolíferos" in (refusal.detail or "")
