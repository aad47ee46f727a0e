"""Addresses: the keys of each attribute belong together."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest
from lxml import etree
from tests.support.reference_data import reference_data
from tests.support.rules import nodes

from timbra.cfdi.nodes.domicilio import Domicilio
from timbra.examples import ingreso
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Violation
from timbra.rules.shared.addresses import (
    codigo_postal_holds,
    colonia_holds,
    estado_holds,
    foreign_codigo_postal_holds,
    has_states,
    in_mexico,
    localidad_holds,
    municipio_holds,
)

CONTEXT = EvaluationContext(nodes(ingreso()), reference_data())


WHOLE = {
    "Colonia": "0115",
    "Localidad": "31",
    "Municipio": "015",
    "Estado": "GUA",
    "Pais": "MEX",
    "CodigoPostal": "36257",
}


def address(**changes: str | None) -> Domicilio:
    """Return a consistent address with changes; None removes an attribute."""
    attributes = {name: value for name, value in {**WHOLE, **changes}.items() if value is not None}
    return Domicilio(etree.Element("Domicilio", attributes), ())


LOCALIDAD = partial(localidad_holds, catalog="cartaporte31:c_Localidad")
MUNICIPIO = partial(municipio_holds, catalog="cartaporte31:c_Municipio")
ESTADO = partial(estado_holds, catalog="c_Estado")
IN_MEXICO = (colonia_holds, LOCALIDAD, MUNICIPIO, ESTADO, codigo_postal_holds)


def test_consistent_address_is_accepted() -> None:
    assert [holds(address(), CONTEXT) for holds in IN_MEXICO] == [None] * 5
    least = address(Colonia=None, Localidad=None, Municipio=None)
    assert [holds(least, CONTEXT) for holds in IN_MEXICO] == [None] * 5


@pytest.mark.parametrize(
    ("holds", "found"),
    [
        (colonia_holds, address(Colonia="0528")),
        (colonia_holds, address(Colonia="Centro")),
        (colonia_holds, address(CodigoPostal=None)),
        (LOCALIDAD, address(Localidad="04")),
        (LOCALIDAD, address(Estado=None)),
        (MUNICIPIO, address(Municipio="004")),
        (ESTADO, address(Estado="TX")),
        (ESTADO, address(Estado=None)),
        (ESTADO, address(Estado="ON", Pais="USA")),
        (codigo_postal_holds, address(CodigoPostal="99999")),
        (codigo_postal_holds, address(CodigoPostal=None)),
        (codigo_postal_holds, address(Estado="HID")),
        (codigo_postal_holds, address(Municipio="003")),
        (codigo_postal_holds, address(Localidad="04")),
        (codigo_postal_holds, address(Estado="HID", Municipio="003", Localidad=None, CodigoPostal="42501")),
        (foreign_codigo_postal_holds, address(Pais="USA", CodigoPostal="787")),
    ],
)
def test_inconsistent_attribute_is_rejected(
    holds: Callable[[Domicilio, EvaluationContext], RuleResult], found: Domicilio
) -> None:
    result = holds(found, CONTEXT)
    assert isinstance(result, Violation)
    assert result.expected


@pytest.mark.parametrize("country", ["USA", "DEU", "ZZZ", None])
def test_foreign_codigo_postal_holds_accepts_the_form_of_the_country(country: str | None) -> None:
    assert foreign_codigo_postal_holds(address(Pais=country, CodigoPostal="78701"), CONTEXT) is None


def test_in_mexico_and_has_states_depend_on_the_country() -> None:
    assert [in_mexico(address(Pais=pais), CONTEXT) for pais in ("MEX", "USA", "DEU")] == [True, False, False]
    assert [has_states(address(Pais=pais), CONTEXT) for pais in ("MEX", "USA", "CAN", "DEU")] == [
        True,
        True,
        True,
        False,
    ]
    assert estado_holds(address(Pais="USA", Estado="TX"), CONTEXT, "c_Estado") is None


def test_codigo_postal_holds_hints_at_the_state() -> None:
    result = codigo_postal_holds(address(Estado="HID"), CONTEXT)
    assert isinstance(result, Violation)
    assert result.hint == "c_CodigoPostal le asigna Estado GUA."
