"""Documents of the small complements are stamped in a sandbox, and validated in their own sections."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest
from tests.support.sandbox_app import FECHA, SandboxApp

from timbra.examples import estado_de_cuenta, gasolina, gastos_hidrocarburos, ine, ingreso, ingresos_hidrocarburos
from timbra.examples.codes.hidroypetro10 import COMPLEMENT
from timbra.examples.hidroypetro10 import fuel
from timbra.validation.build import validation_services

UNSTAMPED_CODE = "SIN-TIMBRE"

BUILDERS = (ine, estado_de_cuenta, ingresos_hidrocarburos, gastos_hidrocarburos, gasolina)
HYP = "Complemento HidroYPetro"


@pytest.fixture(scope="module")
def sandbox_app(module_sandbox_app: SandboxApp) -> SandboxApp:
    return module_sandbox_app


@pytest.mark.parametrize("builder", BUILDERS, ids=lambda builder: str(builder.__name__))
def test_examples_are_stamped_and_valid(sandbox_app: SandboxApp, builder: Callable[..., str]) -> None:
    sandbox_app.store(sandbox_app.mint())
    stamped = sandbox_app.issue(builder(fecha=FECHA).encode()).cfdi
    report = asyncio.run(
        sandbox_app.container.get(validation_services).validation.validate(stamped.encode(), with_status=False)
    )
    assert report.entries == []


def test_wrong_permit_is_rejected_and_reported_in_its_section(sandbox_app: SandboxApp) -> None:
    wrong = gasolina({f"{COMPLEMENT}/@NumeroPermiso": "PL/1/COM/2015"}, fecha=FECHA)
    assert sandbox_app.rejection(sandbox_app.sealed(wrong, sandbox_app.mint())).code == "CCHYP107"
    report = asyncio.run(
        sandbox_app.container.get(validation_services).validation.validate(
            sandbox_app.sealed(wrong, sandbox_app.mint()), with_status=False
        )
    )
    sections = {
        entry.code: section.title
        for section in report.sections
        for entry in section.entries
        if entry.code != UNSTAMPED_CODE
    }
    assert sections == {"CCHYP107": HYP, "CFDI40999": HYP}  # the length is a consequence of the form


def test_stamp_rejects_fuel_without_permit(sandbox_app: SandboxApp) -> None:
    rejection = sandbox_app.rejection(sandbox_app.sealed(ingreso(concepts=[fuel()], fecha=FECHA), sandbox_app.mint()))
    assert rejection.code == "CFDI140228"
    assert "Hidrocarburos y Petrolíferos" in (rejection.detail or "")
