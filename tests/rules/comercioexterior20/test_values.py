"""Values of goods: limits in dollars, sums by identification number, values that mean none."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.rules import checked, codes, unknown

from timbra.core.money import round_up, truncate, written_decimals
from timbra.examples import envio, exportacion
from timbra.examples.codes.comercioexterior20 import (
    GOODS,
    HEAD,
    export_without_customs_data,
    goods_without_customs_data,
    service_export,
    valued,
)
from timbra.examples.codes.example import at
from timbra.examples.comercio_exterior20 import mercancia, pieces
from timbra.examples.tree import Change
from timbra.rules.rulesets.comercioexterior20.goods import converted
from timbra.rules.shared.amounts import Factor

AMOUNTS = st.decimals(min_value=Decimal("0.01"), max_value=Decimal(10**9), places=2)
RATES = st.decimals(min_value=Decimal("0.01"), max_value=Decimal(500), places=4)


def factor(value: Decimal | str) -> Factor:
    text = format(value, "f") if isinstance(value, Decimal) else value
    return Factor(text, Decimal(text))


def half(number: Factor) -> Fraction:
    return Fraction(1, 2 * 10 ** written_decimals(number.text))


@given(AMOUNTS, RATES, RATES)
def test_converted_limits_follow_the_formula(amount: Decimal, rate: Decimal, dollar: Decimal) -> None:
    """Compared with exact fractions: the lower limit is truncated, the upper one rounded up."""
    imp, own = factor(amount), factor(rate)
    limits = converted(imp, own, dollar)
    tiny = Fraction(1, 10**12)
    assert limits is not None
    lower = (Fraction(amount) - half(imp)) * (Fraction(rate) - half(own)) / (Fraction(dollar) + half(own) - tiny)
    top = (Fraction(amount) + half(imp) - tiny) * (Fraction(rate) + half(own) - tiny)
    upper = top / (Fraction(dollar) - half(own))
    assert limits.lower == truncate(Decimal(int(lower * 10**6)) / 10**6, 2)
    assert limits.upper == round_up(Decimal(-int(-upper * 10**20 // 1)) / 10**20, 2)
    assert limits.lower <= truncate(amount * rate / dollar, 2) <= limits.upper


def test_converted_is_none_without_a_rate() -> None:
    assert converted(factor("1.00"), factor("18.5000"), Decimal(0)) is None
    assert converted(factor("1.00"), Factor("nada", Decimal(0)), Decimal("18.5000")) is None


def in_pesos(value: str) -> set[str]:
    changes: dict[str, Change] = {"@Moneda": "MXN", "@TipoCambio": None}
    return codes(exportacion(changes, goods=[valued(value)]))


@pytest.mark.parametrize(
    ("value", "accepted"), [("10.81", True), ("5.26", True), ("16.67", True), ("5.25", False), ("16.68", False)]
)
def test_cce157_converts_values_in_pesos(value: str, accepted: bool) -> None:
    """200.00 pesos at 18.5000 are 10.81; SAT's formula leaves the 1 of a peso, which has no decimals, half a unit."""
    assert in_pesos(value) == (set() if accepted else {"CCE157"})


@pytest.mark.parametrize(
    ("value", "accepted"), [("200.00", True), ("185.00", True), ("190.00", False), ("200.02", False)]
)
def test_cce157_accepts_dollars_without_conversion(value: str, accepted: bool) -> None:
    """TipoCambioUSD is 20.0000, TipoCambio of the invoice 18.5000."""
    found = codes(exportacion(at(HEAD, TipoCambioUSD="20.0000"), goods=[valued(value)]))
    assert found == (set() if accepted else {"CCE157"})


def test_cce157_converts_other_currencies() -> None:
    yen: dict[str, Change] = {"@Moneda": "JPY", "@TipoCambio": "0.1200", "@SubTotal": "200", "@Total": "200"}
    found = codes(exportacion(yen, goods=[valued("1.30")]))
    assert "CCE157" not in found
    assert "CCE157" in codes(exportacion(yen, goods=[valued("2.00")]))


def test_cce157_sums_goods_of_one_number() -> None:
    lines = [pieces(), pieces()]
    half_each = [valued("150.00"), valued("250.00", FraccionArancelaria="2402100100", UnidadAduana="06")]
    assert codes(exportacion(concepts=lines, goods=half_each)) == set()
    assert codes(exportacion(concepts=lines, goods=half_each[:1])) == {"CCE157"}
    assert codes(exportacion(concepts=lines, goods=[goods_without_customs_data(ValorDolares="400.00")])) >= {"CCE165"}


@pytest.mark.parametrize("value", ["0", "1"])
def test_cce157_ignores_values_that_mean_none(value: str) -> None:
    free = {**at(GOODS, ValorDolares=value, ValorUnitarioAduana=value), **at(HEAD, TotalUSD=f"{value}.00")}
    assert codes(service_export(free)) == set()


def test_cce172_accepts_the_value_one_for_goods_as_invoiced() -> None:
    for value, found in (("1", set()), ("0", {"CCE172"}), ("190.00", {"CCE157", "CCE172"})):
        total = format(Decimal(value), ".2f")
        assert (
            codes(export_without_customs_data({**at(GOODS, ValorDolares=value), **at(HEAD, TotalUSD=total)})) == found
        )


def test_cce157_ignores_goods_that_are_not_invoiced() -> None:
    """A traslado invoices nothing, so there is no Importe to compare with."""
    assert codes(envio(goods=[valued("75.00")])) == set()


@pytest.mark.parametrize("text", ["200", "200.0", "200.000", "200.0000000"])
def test_cce122_requires_two_decimals(text: str) -> None:
    assert codes(exportacion(at(HEAD, TotalUSD=text))) == {"CCE122"}


def test_total_accepts_values_of_four_decimals_that_sum_to_cents() -> None:
    fine = [valued("100.0050"), valued("99.9950", FraccionArancelaria="2402100100", UnidadAduana="06")]
    assert codes(exportacion(goods=fine)) == set()


def test_rules_on_lists_are_not_evaluated_without_them() -> None:
    assert "CCE121" in unknown(exportacion())
    registered: dict[str, Change] = {"Receptor/@Rfc": "URE180429TM6"}
    assert "CCE107" in unknown(exportacion(registered), taxpayers=None)
    assert "CCE107" not in unknown(exportacion(), taxpayers=None)
    sold = at(HEAD, MotivoTraslado="01")
    related: dict[str, Change] = {**sold, "CfdiRelacionados/@TipoRelacion": "05"}
    assert codes(envio(related)) == {"CCE116"}


def test_sums_are_computed_once_for_each_number(monkeypatch: pytest.MonkeyPatch) -> None:
    """The sum of a number is computed for the first of its goods only."""
    from timbra.rules.rulesets.comercioexterior20 import goods

    made = 0
    summed = goods._summed

    def counted(amounts: object) -> Factor:
        nonlocal made
        made += 1
        return summed(amounts)  # type: ignore[arg-type]

    monkeypatch.setattr(goods, "_summed", counted)
    found = checked(exportacion(concepts=[pieces() for _ in range(300)], goods=[mercancia() for _ in range(300)]))
    assert {finding.code for finding in found.findings} == {"CCE153"}
    assert made <= 3


def test_rules_ignore_another_version_of_the_complement() -> None:
    assert codes(exportacion(at(HEAD, Version="1.1", Incoterm=None))) == set()


@pytest.mark.parametrize(
    ("country", "state", "found"),
    [
        ("MEX", "TX", {"CCE126", "CCE130"}),
        ("USA", "TX", {"CCE125", "CCE126", "CCE130"}),
        ("DEU", "Hessen", {"CCE125", "CCE126", "CCE130"}),
    ],
)
def test_cce126_requires_a_state_of_mexico(country: str, state: str, found: set[str]) -> None:
    address = "Complemento/ComercioExterior/Emisor/Domicilio"
    text = exportacion({f"{address}/@Pais": country, f"{address}/@Estado": state})
    assert codes(text) == found
