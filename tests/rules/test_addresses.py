"""Addresses: each attribute is a key that belongs to the others."""

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

CASE = EvaluationContext(nodes(ingreso()), reference_data())


WHOLE = {
    "Colonia": "0115",
    "Localidad": "31",
    "Municipio": "015",
    "Estado": "GUA",
    "Pais": "MEX",
    "CodigoPostal": "36257",
}


def address(**changes: str | None) -> Domicilio:
    """An address that belongs together, but for the changes; None takes an attribute away."""
    attributes = {name: value for name, value in {**WHOLE, **changes}.items() if value is not None}
    return Domicilio(etree.Element("Domicilio", attributes), ())


LOCALIDAD = partial(localidad_holds, catalog="cartaporte31:c_Localidad")
MUNICIPIO = partial(municipio_holds, catalog="cartaporte31:c_Municipio")
ESTADO = partial(estado_holds, catalog="c_Estado")
IN_MEXICO = (colonia_holds, LOCALIDAD, MUNICIPIO, ESTADO, codigo_postal_holds)


def test_an_address_that_belongs_together_holds() -> None:
    assert [holds(address(), CASE) for holds in IN_MEXICO] == [None] * 5
    least = address(Colonia=None, Localidad=None, Municipio=None)
    assert [holds(least, CASE) for holds in IN_MEXICO] == [None] * 5


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
def test_what_belongs_elsewhere_is_rejected(
    holds: Callable[[Domicilio, EvaluationContext], RuleResult], found: Domicilio
) -> None:
    result = holds(found, CASE)
    assert isinstance(result, Violation)
    assert result.expected


@pytest.mark.parametrize("country", ["USA", "DEU", "ZZZ", None])
def test_postal_codes_abroad_have_the_form_of_their_country(country: str | None) -> None:
    assert foreign_codigo_postal_holds(address(Pais=country, CodigoPostal="78701"), CASE) is None


def test_which_countries_are_evaluated() -> None:
    assert [in_mexico(address(Pais=pais), CASE) for pais in ("MEX", "USA", "DEU")] == [True, False, False]
    assert [has_states(address(Pais=pais), CASE) for pais in ("MEX", "USA", "CAN", "DEU")] == [True, True, True, False]
    assert estado_holds(address(Pais="USA", Estado="TX"), CASE, "c_Estado") is None


def test_the_hint_tells_where_a_postal_code_lies() -> None:
    result = codigo_postal_holds(address(Estado="HID"), CASE)
    assert isinstance(result, Violation)
    assert result.hint == "c_CodigoPostal le asigna Estado GUA."
