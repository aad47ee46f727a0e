"""Every example document passes the structure check."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from lxml import etree
from tests.support.rule_set_examples import EXAMPLES
from tests.support.sat import make_snapshot

from timbra.cfdi.structure import Structure
from timbra.examples import (
    carta_porte,
    egreso,
    estado_de_cuenta,
    exportacion,
    exportacion33,
    flete,
    gasolina,
    gastos_hidrocarburos,
    global_invoice,
    ine,
    ingreso,
    ingreso33,
    ingresos_hidrocarburos,
    nomina,
    pago,
    traslado,
    traslado33,
)

BUILDERS = (
    carta_porte,
    flete,
    ingresos_hidrocarburos,
    ine,
    gastos_hidrocarburos,
    gasolina,
    estado_de_cuenta,
    ingreso,
    egreso,
    global_invoice,
    traslado,
    pago,
    exportacion,
    nomina,
    ingreso33,
    traslado33,
    exportacion33,
)


@pytest.fixture(scope="module")
def structure(tmp_path_factory: pytest.TempPathFactory) -> Structure:
    return Structure(make_snapshot(tmp_path_factory.mktemp("sat")))


def faults(structure: Structure, text: str) -> list[str]:
    return [fault.message for fault in structure.check(etree.fromstring(text.encode()))]


@pytest.mark.parametrize("builder", BUILDERS, ids=lambda builder: str(builder.__name__))
def test_builders_make_valid_structures(structure: Structure, builder: Callable[[], str]) -> None:
    assert faults(structure, builder()) == []


UNRULED = {"CFDI40176", "CFDI33156"}
"""Their failing examples change the global tax too, whose TipoFactor only the structure check judges."""


def test_passing_examples_have_a_valid_structure(structure: Structure) -> None:
    found = {code: faults(structure, example.passing()) for code, example in EXAMPLES.items()}
    assert {code: each for code, each in found.items() if each} == {}


def test_failing_examples_have_a_valid_structure(structure: Structure) -> None:
    found = {code: faults(structure, example.failing()) for code, example in EXAMPLES.items()}
    wrong = {code: each for code, each in found.items() if each}
    assert {code: each for code, each in wrong.items() if code not in UNRULED} == {}
    assert {code: ["TipoFactor" in fault for fault in each] for code, each in wrong.items()} == {
        code: [True] for code in UNRULED
    }
