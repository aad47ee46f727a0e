"""Addresses: the keys of each attribute belong together."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from lxml import etree
from tests.support.reference_data import reference_data
from tests.support.rules import nodes

from timbra.cfdi.nodes.domicilio import Domicilio
from timbra.examples import ingreso
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Violation
from timbra.rules.shared.addresses import (
    colonia_is_of_postal_code,
    estado_is_of_country,
    has_states,
    is_in_mexico,
    localidad_is_of_state,
    municipio_is_of_state,
    postal_code_has_format_of_country,
    postal_code_is_of_places,
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


LOCALIDAD = localidad_is_of_state("cartaporte31:c_Localidad")
MUNICIPIO = municipio_is_of_state("cartaporte31:c_Municipio")
ESTADO = estado_is_of_country("c_Estado")
IN_MEXICO = (colonia_is_of_postal_code, LOCALIDAD, MUNICIPIO, ESTADO, postal_code_is_of_places)


def test_consistent_address_is_accepted() -> None:
    assert [predicate(address(), CONTEXT) for predicate in IN_MEXICO] == [None] * 5
    least = address(Colonia=None, Localidad=None, Municipio=None)
    assert [predicate(least, CONTEXT) for predicate in IN_MEXICO] == [None] * 5


@pytest.mark.parametrize(
    ("predicate", "found"),
    [
        (colonia_is_of_postal_code, address(Colonia="0528")),
        (colonia_is_of_postal_code, address(Colonia="Centro")),
        (colonia_is_of_postal_code, address(CodigoPostal=None)),
        (LOCALIDAD, address(Localidad="04")),
        (LOCALIDAD, address(Estado=None)),
        (MUNICIPIO, address(Municipio="004")),
        (ESTADO, address(Estado="TX")),
        (ESTADO, address(Estado=None)),
        (ESTADO, address(Estado="ON", Pais="USA")),
        (postal_code_is_of_places, address(CodigoPostal="99999")),
        (postal_code_is_of_places, address(CodigoPostal=None)),
        (postal_code_is_of_places, address(Estado="HID")),
        (postal_code_is_of_places, address(Municipio="003")),
        (postal_code_is_of_places, address(Localidad="04")),
        (postal_code_is_of_places, address(Estado="HID", Municipio="003", Localidad=None, CodigoPostal="42501")),
        (postal_code_has_format_of_country, address(Pais="USA", CodigoPostal="787")),
    ],
)
def test_inconsistent_attribute_is_rejected(
    predicate: Callable[[Domicilio, EvaluationContext], RuleResult], found: Domicilio
) -> None:
    result = predicate(found, CONTEXT)
    assert isinstance(result, Violation)
    assert result.expected


@pytest.mark.parametrize("country", ["USA", "DEU", "ZZZ", None])
def test_postal_code_has_format_of_country_accepts_the_format(country: str | None) -> None:
    assert postal_code_has_format_of_country(address(Pais=country, CodigoPostal="78701"), CONTEXT) is None


def test_is_in_mexico_and_has_states_depend_on_the_country() -> None:
    assert [is_in_mexico(address(Pais=pais), CONTEXT) for pais in ("MEX", "USA", "DEU")] == [True, False, False]
    assert [has_states(address(Pais=pais), CONTEXT) for pais in ("MEX", "USA", "CAN", "DEU")] == [
        True,
        True,
        True,
        False,
    ]
    assert ESTADO(address(Pais="USA", Estado="TX"), CONTEXT) is None


def test_postal_code_is_of_places_hints_at_the_state() -> None:
    result = postal_code_is_of_places(address(Estado="HID"), CONTEXT)
    assert isinstance(result, Violation)
    assert result.hint == "c_CodigoPostal le asigna Estado GUA."
