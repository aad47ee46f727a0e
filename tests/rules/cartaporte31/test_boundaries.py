"""Sums of weights, distances and goods: the exact sum is accepted, one unit of the last decimal beyond is not."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st
from tests.support.boundaries_trade import amounts, assert_equality, few_examples
from tests.support.rules import codes

from timbra.examples.cartaporte31 import by_road, by_sea, carta_porte, element, mercancia
from timbra.examples.codes.cartaporte31 import (
    CARRO,
    DOCUMENTO,
    HEAD,
    MERCANCIAS,
    TREN,
    UBICACION,
    imports,
    rail,
    with_rail_container,
)
from timbra.examples.codes.example import at
from timbra.examples.tree import Change, ExampleNode

WEIGHTS = st.lists(amounts("0.001", "99999", 3), min_size=1, max_size=4)
CAR = {"TipoCarro": "TC01", "MatriculaCarro": "A00012", "GuiaCarro": "GUIA1"}


def total(weights: list[Decimal]) -> Decimal:
    return sum(weights, Decimal(0))


@given(WEIGHTS)
@few_examples
def test_cp149_accepts_only_the_sum_of_the_weights(weights: list[Decimal]) -> None:
    goods = [mercancia({"@PesoEnKg": str(weight)}) for weight in weights]

    def evaluate(text: str) -> set[str]:
        return codes(carta_porte(at(MERCANCIAS, PesoBrutoTotal=text), shipment=by_road(goods)))

    assert_equality(evaluate, total(weights), {"CP149"}, places=3)


def detailed(gross: Decimal, net: Decimal) -> ExampleNode:
    weights = {"UnidadPesoMerc": "Tu", "PesoBruto": str(gross), "PesoNeto": str(net), "PesoTara": "1"}
    return mercancia({"DetalleMercancia": element("DetalleMercancia", weights)})


@given(st.lists(st.tuples(amounts("0.001", "99999", 3), amounts("0.001", "99999", 3)), min_size=1, max_size=3))
@few_examples
def test_cp150_and_cp151_accept_only_the_sums_of_the_details(pairs: list[tuple[Decimal, Decimal]]) -> None:
    goods = [detailed(*pair) for pair in pairs]
    gross, net = total([pair[0] for pair in pairs]), total([pair[1] for pair in pairs])

    def evaluate_gross(text: str) -> set[str]:
        weights = at(MERCANCIAS, PesoBrutoTotal=text, PesoNetoTotal=str(net))
        return codes(carta_porte(weights, shipment=by_sea(goods)))

    def evaluate_net(text: str) -> set[str]:
        weights = at(MERCANCIAS, PesoBrutoTotal=str(gross), PesoNetoTotal=text)
        return codes(carta_porte(weights, shipment=by_sea(goods)))

    assert_equality(evaluate_gross, gross, {"CP150"}, places=3)
    assert_equality(evaluate_net, net, {"CP151"}, places=3)


@given(st.lists(amounts("0.001", "999", 3), min_size=1, max_size=3))
@few_examples
def test_cp152_accepts_only_the_sum_of_the_cars(tons: list[Decimal]) -> None:
    cars: dict[str, Change] = {
        f"{TREN}/Carro[{place}]": element("Carro", {**CAR, "ToneladasNetasCarro": str(each)})
        for place, each in enumerate(tons, 1)
    }
    assert_equality(
        lambda text: codes(rail({**cars, **at(MERCANCIAS, PesoNetoTotal=text)})), total(tons), {"CP152"}, places=3
    )


@given(st.lists(amounts("0.01", "19999.99", 2), min_size=5, max_size=5))
@few_examples
def test_cp126_accepts_only_the_sum_of_the_distances(distances: list[Decimal]) -> None:
    places: dict[str, Change] = {
        f"{UBICACION}[{place}]/@DistanciaRecorrida": str(distance) for place, distance in enumerate(distances, 2)
    }
    assert_equality(
        lambda text: codes(rail({**places, **at(HEAD, TotalDistRec=text)})), total(distances), {"CP126"}, places=2
    )


@given(st.integers(1, 12))
@few_examples
def test_cp154_accepts_only_the_number_of_goods(count: int) -> None:
    goods = [mercancia() for _ in range(count)]

    def evaluate(text: str) -> set[str]:
        return codes(carta_porte(at(MERCANCIAS, NumTotalMercancias=text), shipment=by_road(goods)))

    assert_equality(evaluate, Decimal(count), {"CP154"}, places=0)


@given(st.lists(amounts("0.501", "99999", 3), min_size=1, max_size=3))
@few_examples
def test_cp191_accepts_only_the_rounded_tons_of_the_containers(kilograms: list[Decimal]) -> None:
    """Tons have three decimals, so they are the kilograms rounded half up to an integer."""
    tons = Decimal(math.floor(Fraction(total(kilograms)) + Fraction(1, 2))).scaleb(-3)
    containers: dict[str, Change] = {
        f"{CARRO}/Contenedor[{place}]": element(
            "Contenedor", {"TipoContenedor": "TC01", "PesoContenedorVacio": "100", "PesoNetoMercancia": str(each)}
        )
        for place, each in enumerate(kilograms, 1)
    }

    def evaluate(text: str) -> set[str]:
        weights = {**at(CARRO, ToneladasNetasCarro=text), **at(MERCANCIAS, PesoNetoTotal=text)}
        return codes(with_rail_container({**containers, **weights}))

    assert_equality(evaluate, tons, {"CP191"}, places=3)


@given(st.integers(0, 99))
@few_examples
def test_cp174_accepts_years_until_that_of_the_document(year: int) -> None:
    """The document is of 2026."""
    found = codes(imports(at(DOCUMENTO, NumPedimento=f"{year:02}  48  3009  0001234")))
    assert found == (set() if year <= 26 else {"CP174"})
