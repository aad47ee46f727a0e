"""Limits of the SAT: amounts by the formula are accepted, one unit outside is rejected."""

from __future__ import annotations

from decimal import Decimal, localcontext

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.rules import codes, only

from timbra.core.money import half_unit, half_up, written_decimals
from timbra.examples import concepto, ingreso, tax, traslado
from timbra.rules.engine.engine import WIDE
from timbra.rules.shared.amounts import Factor, is_near, is_within_product_limits, product_limits, tax_holds, tax_limits


def written(largest: int = 10**9) -> st.SearchStrategy[Factor]:
    """Return positive numbers that are written with 0 to 6 decimals."""
    return st.integers(0, 6).flatmap(
        lambda places: st.integers(1, largest * 10**places).map(lambda units: _factor(Decimal(units).scaleb(-places)))
    )


def _factor(value: Decimal) -> Factor:
    return Factor(f"{value:f}", value)


def _amounts(value: Decimal, decimals: int) -> tuple[Factor, Factor, Factor]:
    """Return the amount, one unit less and one unit more."""
    unit = Decimal(1).scaleb(-decimals)
    return _factor(value), _factor(value - unit), _factor(value + unit)


@given(written(), written(), st.integers(0, 6))
def test_is_within_product_limits_accepts_exactly_the_limits(quantity: Factor, price: Factor, decimals: int) -> None:
    with localcontext(WIDE):
        lower, upper = product_limits(quantity, price, decimals)
        least, below, _ = _amounts(lower, decimals)
        most, _, above = _amounts(upper, decimals)
        assert is_within_product_limits(quantity, price, least)
        assert is_within_product_limits(quantity, price, most)
        assert not is_within_product_limits(quantity, price, above)
        assert below.value < 0 or not is_within_product_limits(quantity, price, below)


@given(written(), st.decimals(0, 2, places=6), st.integers(0, 6))
def test_tax_holds_accepts_exactly_the_limits(base: Factor, rate: Decimal, decimals: int) -> None:
    with localcontext(WIDE):
        lower, upper = tax_limits(base, rate, decimals)
        least, below, _ = _amounts(lower, decimals)
        most, _, above = _amounts(upper, decimals)
        assert tax_holds(base, rate, least)
        assert tax_holds(base, rate, most)
        assert not tax_holds(base, rate, above)
        assert below.value < 0 or not tax_holds(base, rate, below)


def test_limits_exclude_amount_one_unit_below_an_exact_lower_limit() -> None:
    ten, one = Factor("10.00", Decimal("10.00")), Factor("1.0", Decimal("1.0"))
    assert is_within_product_limits(ten, one, _factor(Decimal("9.49525")))
    assert not is_within_product_limits(ten, one, _factor(Decimal("9.49524")))
    assert tax_holds(ten, Decimal("0.16"), _factor(Decimal("1.5992")))
    assert not tax_holds(ten, Decimal("0.16"), _factor(Decimal("1.5991")))


@given(written(), written(), st.integers(0, 6))
def test_is_within_product_limits_accepts_the_rounded_product(quantity: Factor, price: Factor, decimals: int) -> None:
    with localcontext(WIDE):
        rounded = (quantity.value * price.value).quantize(Decimal(1).scaleb(-decimals))
        assert is_within_product_limits(quantity, price, _factor(rounded))


@given(written(), written(), st.integers(0, 6), st.integers(-3, 3))
def test_is_near_implies_the_limits(quantity: Factor, price: Factor, decimals: int, off: int) -> None:
    with localcontext(WIDE):
        unit = Decimal(1).scaleb(-decimals)
        product = quantity.value * price.value
        amount = _factor(product.quantize(unit) + off * unit)
        if is_near(product, amount.value, amount.text):
            assert is_within_product_limits(quantity, price, amount)


def test_tax_limits_match_the_example_of_the_standard() -> None:
    base = Factor("924.224956", Decimal("924.224956"))
    limits = tax_limits(base, Decimal(1), 2)
    assert (limits.lower, limits.upper) == (Decimal("924.22"), Decimal("924.23"))
    assert str(limits) == "entre 924.22 y 924.23"


@pytest.mark.parametrize(
    ("importe", "passes"), [("99.99", True), ("99.98", False), ("300.01", True), ("300.02", False)]
)
def test_cfdi40167_allows_half_a_unit_for_whole_quantities(importe: str, passes: bool) -> None:
    text = ingreso(concepts=[concepto({"@Importe": importe})])
    assert codes(text) == (set() if passes else {"CFDI40167"})


def test_finding_shows_both_limits() -> None:
    line = concepto({"@Cantidad": "2.00", "@Importe": "401.99"})
    finding = only(ingreso(concepts=[line]))
    assert finding.found == "401.99"
    assert finding.expected == "entre 398.99 y 401.02, de 2.00 por 200.00"


@pytest.mark.parametrize(("importe", "passes"), [("31.99", True), ("31.98", False), ("32.01", True), ("32.02", False)])
def test_cfdi40180_limits_amounts_of_taxes(importe: str, passes: bool) -> None:
    row = {**tax("200.00", "002", "0.160000"), "Importe": importe}
    assert codes(ingreso(concepts=[concepto(traslados=[row])])) == (set() if passes else {"CFDI40180"})


@given(st.lists(st.decimals("0.01", 10**6, places=2), min_size=1, max_size=5))
def test_documents_by_the_formulas_are_accepted(prices: list[Decimal]) -> None:
    assert codes(ingreso(concepts=[concepto(price=f"{price:f}") for price in prices])) == set()


@given(st.lists(st.decimals("1", 10**6, places=3), min_size=1, max_size=5))
def test_totals_in_yen_are_rounded_once(prices: list[Decimal]) -> None:
    lines = [concepto(price=f"{price:f}") for price in prices]
    assert codes(ingreso({"@Moneda": "JPY", "@TipoCambio": "0.12"}, concepts=lines, decimals=0)) == set()


@given(st.integers(-3, 3).filter(bool), st.sampled_from(["@SubTotal", "@Total"]))
def test_totals_reject_one_cent_of_difference(cents: int, attribute: str) -> None:
    value = {"@SubTotal": Decimal("600.00"), "@Total": Decimal("696.00")}[attribute] + Decimal(cents) / 100
    found = codes(ingreso({attribute: f"{value:f}"}, concepts=3))
    assert found >= {"CFDI40108" if attribute == "@SubTotal" else "CFDI40119"}


WRITTEN = st.decimals("0.000001", 10**6, places=6).map(lambda value: f"{value.normalize():f}")


@given(WRITTEN, WRITTEN, st.integers(0, 6))
def test_cfdi40167_uses_the_written_decimals_without_a_currency(cantidad: str, valor: str, decimals: int) -> None:
    """Moneda XXX, as in a traslado: the written decimals decide, not those of the currency."""
    importe = half_up(Decimal(cantidad) * Decimal(valor), decimals)
    outside = importe + limit_width(cantidad, valor) + Decimal(2).scaleb(-decimals)

    def found(amount: Decimal) -> set[str]:
        line = {"@Cantidad": cantidad, "@ValorUnitario": valor, "@Importe": f"{amount:f}"}
        return codes(traslado({f"Conceptos/Concepto/{name}": text for name, text in line.items()}))

    assert "CFDI40167" not in found(importe)
    assert "CFDI40167" in found(outside)


def limit_width(cantidad: str, valor: str) -> Decimal:
    """Return more than the distance of the upper limit from the product."""
    half = half_unit(written_decimals(cantidad)), half_unit(written_decimals(valor))
    return Decimal(cantidad) * half[1] + Decimal(valor) * half[0] + half[0] * half[1]


@pytest.mark.parametrize(
    ("amount", "near"), [("10.00", True), ("10.009", True), ("9.991", True), ("10.01", False), ("9.99", False)]
)
def test_is_near_excludes_a_difference_of_one_unit(amount: str, near: bool) -> None:
    """The written amount has two decimals; the value is that of the comparison."""
    assert is_near(Decimal(amount), Decimal("10.00"), "10.00") is near


def test_is_near_compares_with_63_decimals_at_most() -> None:
    one, text = Decimal(1), f"1.{'0' * 64}"
    with localcontext(WIDE):
        assert is_near(one, one, text)
        assert is_near(one + Decimal("1E-64"), one, text)
        assert not is_near(one + Decimal("1E-63"), one, text)


def test_factor_decimals_are_at_most_63() -> None:
    assert [Factor(f"0.{'1' * count}", Decimal(1)).decimals for count in (1, 62, 63, 64)] == [1, 62, 63, 63]


def test_upper_limits_exclude_the_next_written_number() -> None:
    """A number below 100.005 rounds to 100.00, so 100.005 itself is outside of the interval."""
    base, one = Factor("100.00", Decimal("100.00")), Factor("1", Decimal(1))
    assert tax_limits(base, Decimal(1), 3) == (Decimal("99.995"), Decimal("100.005"))
    assert product_limits(one, one, 2) == (Decimal("0.25"), Decimal("2.25"))
    assert tax_holds(base, Decimal(1), _factor(Decimal("100.005")))
    assert not tax_holds(base, Decimal(1), _factor(Decimal("100.006")))
    assert is_within_product_limits(one, one, _factor(Decimal("2.25")))
    assert not is_within_product_limits(one, one, _factor(Decimal("2.26")))
