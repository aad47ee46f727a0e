"""Amounts in dollars: the limits are accepted, one unit of the last decimal beyond them is not."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.boundaries_trade import (
    amounts,
    assert_equality,
    assert_limits,
    assert_upper_limit,
    few_examples,
    half_unit,
    rounded_up,
    truncated,
)
from tests.support.rules import codes

from timbra.examples import envio, exportacion
from timbra.examples.codes.comercioexterior20 import (
    CONCEPTO,
    GOODS,
    HEAD,
    good,
    traslado_without_customs_data,
    valued,
)
from timbra.examples.codes.example import at
from timbra.examples.comercio_exterior20 import RATE, pieces
from timbra.examples.lists import PublishedRates
from timbra.examples.tree import Change

DOLLAR = Decimal(RATE)
TINY = Fraction(1, 10**12)
DISCOUNT = "9801000100"


def bounds(number: Decimal) -> tuple[Fraction, Fraction]:
    """Return the least and the greatest number that is written as this one."""
    return Fraction(number) - half_unit(number), Fraction(number) + half_unit(number) - TINY


def in_dollars(amount: Decimal, rate: Decimal) -> tuple[Decimal, Decimal]:
    """Return the limits of an amount in dollars; both rates are uncertain by half a unit of the rate."""
    lower, upper = bounds(amount)
    least, most = bounds(rate)
    cheapest, dearest = Fraction(DOLLAR) - half_unit(rate), Fraction(DOLLAR) + half_unit(rate) - TINY
    return truncated(lower * least / dearest, 2), rounded_up(upper * most / cheapest, 2)


@given(amounts("1.01", "99999", 2), amounts("1.01", "99999", 2))
@few_examples
def test_cce122_accepts_only_the_sum_of_the_goods(one: Decimal, other: Decimal) -> None:
    goods = [valued(str(one)), valued(str(other), FraccionArancelaria="2402100100", UnidadAduana="06")]
    assert_equality(lambda text: codes(envio(at(HEAD, TotalUSD=text), goods=goods)), one + other, {"CCE122"}, places=2)


@given(amounts("1", "999", 3), st.integers(0, 6), st.data())
@few_examples
def test_cce169_and_cce171_accept_only_the_limits_of_the_product(
    quantity: Decimal, places: int, data: st.DataObject
) -> None:
    price = data.draw(amounts("3", "9999", places))
    (least_quantity, most_quantity), (least_price, most_price) = bounds(quantity), bounds(price)
    lower = truncated(least_quantity * least_price, 2)
    upper = rounded_up(most_quantity * most_price, 2)

    def evaluate(text: str) -> set[str]:
        attributes = {"CantidadAduana": str(quantity), "ValorUnitarioAduana": f"{price:.{places}f}"}
        return codes(envio(goods=[good(**attributes, ValorDolares=text)]))

    assert_limits(evaluate, lower, upper, {"CCE169", "CCE171"}, places=2)


@given(amounts("100", "99999", 2))
@few_examples
def test_cce157_accepts_only_the_limits_of_an_amount_in_pesos(amount: Decimal) -> None:
    lower, upper = in_dollars(amount, Decimal(1))
    pesos: dict[str, Change] = {"@Moneda": "MXN", "@TipoCambio": None}
    line = pieces(price=str(amount))
    assert_limits(
        lambda text: codes(exportacion(pesos, concepts=[line], goods=[valued(text)])),
        lower,
        upper,
        {"CCE157"},
        places=2,
    )


@given(amounts("100", "99999", 2))
@few_examples
def test_cce158_accepts_only_the_limits_of_the_sum_of_goods(amount: Decimal) -> None:
    lower, upper = in_dollars(amount, Decimal(1))
    pesos: dict[str, Change] = {"@Moneda": "MXN", "@TipoCambio": None}
    line, part = pieces(price=str(amount)), Decimal("1.50")

    def evaluate(text: str) -> set[str]:
        other = valued(str(Decimal(text) - part), FraccionArancelaria="2402100100", UnidadAduana="06")
        return codes(exportacion(pesos, concepts=[line], goods=[valued(str(part)), other]))

    assert_limits(evaluate, lower, upper, {"CCE157", "CCE158"}, places=2)


@given(amounts("100", "99999", 2))
@few_examples
def test_cce172_accepts_only_the_limits_of_its_concepto(amount: Decimal) -> None:
    lower, upper = in_dollars(amount, Decimal(1))
    pesos: dict[str, Change] = {"@Moneda": "MXN", "@TipoCambio": None}
    line = pieces({"@Unidad": "01"}, price=str(amount))
    without = dict.fromkeys(("CantidadAduana", "UnidadAduana", "ValorUnitarioAduana"))

    def evaluate(text: str) -> set[str]:
        return codes(exportacion(pesos, concepts=[line], goods=[good(**without, ValorDolares=text)]))

    assert_limits(evaluate, lower, upper, {"CCE157", "CCE172"}, places=2)


@given(amounts("1.02", "150", 2))
@few_examples
def test_cce164_accepts_at_most_the_discount_of_the_conceptos(discount: Decimal) -> None:
    """The document is in dollars: the limit is the greater one of the converted and the written discount."""
    limit = max(in_dollars(discount, DOLLAR)[1], rounded_up(bounds(discount)[1], 2))
    line = pieces({"@Descuento": str(discount)})

    def evaluate(text: str) -> set[str]:
        rest = valued(str(Decimal("200.00") - Decimal(text)))
        return codes(exportacion(concepts=[line], goods=[rest, valued(text, FraccionArancelaria=DISCOUNT)]))

    assert_upper_limit(evaluate, limit, {"CCE164"}, places=2)


@given(amounts("15", "25", 4))
@few_examples
def test_cce121_accepts_only_the_published_rate(published: Decimal) -> None:
    rates = PublishedRates({"USD": published})
    assert_equality(
        lambda text: codes(exportacion(at(HEAD, TipoCambioUSD=text)), exchange_rates=rates),
        published,
        {"CCE121"},
        places=4,
    )


@pytest.mark.parametrize("places", range(1, 7))
def test_cce168_accepts_the_least_price_above_zero(places: int) -> None:
    def evaluate(price: Decimal) -> set[str]:
        return codes(envio(goods=[good(ValorUnitarioAduana=f"{price:.{places}f}", ValorDolares="1")]))

    assert evaluate(Decimal(1).scaleb(-places)) == set()
    assert evaluate(Decimal(0)) == {"CCE168"}


@pytest.mark.parametrize(
    ("quantity", "accepted"),
    [("0.001", True), ("0.000", False), ("1.0001", False), ("9" * 14, True), ("1" + "0" * 14, False)],
)
def test_cce154_accepts_the_quantities_of_customs(quantity: str, accepted: bool) -> None:
    found = codes(traslado_without_customs_data({f"{CONCEPTO}/@Cantidad": quantity, **at(GOODS, ValorDolares="1")}))
    assert ("CCE154" in found) != accepted
