"""Amounts of payments: sums of documents and payments, and limits between currencies."""

from __future__ import annotations

from collections.abc import Callable
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree
from tests.support.rules import codes

from timbra.cfdi.nodes.pagos20 import DoctoRelacionado, Pago, Totales
from timbra.core.money import half_up, round_up, truncate
from timbra.examples import ExampleNode, pago, tax
from timbra.examples.codes.example import at
from timbra.examples.codes.pagos20 import currency_in_pesos
from timbra.examples.pagos20 import document, payment
from timbra.rules.rulesets.pagos20.impuestos_p import compare_sum
from timbra.rules.rulesets.pagos20.pago import paid_limits

NAMESPACE = "{http://www.sat.gob.mx/Pagos20}"

PAGO, TOTALS = Pago.PATH, Totales.PATH
AMOUNTS = st.decimals(min_value=Decimal("0.01"), max_value=Decimal("99999999.99"), places=2)
EQUIVALENCES = st.decimals(min_value=Decimal("0.000001"), max_value=Decimal(9999), places=6)
RATES = st.decimals(min_value=Decimal("0.01"), max_value=Decimal(500), places=4)
TAXES = st.sampled_from(
    [("002", "0.160000"), ("002", "0.080000"), ("002", "0.000000"), ("002", None), ("003", "0.080000")]
)
WITHHELD = st.sampled_from([("001", "0.100000"), ("002", "0.106667"), ("003", "0.080000")])


@st.composite
def documents(draw: st.DrawFn, currency: str, own: bool) -> ExampleNode:
    """A document with taxes, in the payment's currency or in another."""
    amount = format(draw(AMOUNTS), "f")
    equivalence = "1.0000000000" if own else format(draw(EQUIVALENCES), "f")
    traslados = [tax(amount, *each) for each in draw(st.lists(TAXES, max_size=3, unique=True))]
    retenciones = [tax(amount, *each) for each in draw(st.lists(WITHHELD, max_size=2, unique=True))]
    other = "USD" if currency == "MXN" else "MXN"
    return document(
        amount,
        currency=currency if own else other,
        equivalence=equivalence,
        traslados=traslados,
        retenciones=retenciones,
    )


@st.composite
def payments(draw: st.DrawFn) -> ExampleNode:
    currency = draw(st.sampled_from(["MXN", "USD"]))
    rate = "1" if currency == "MXN" else format(draw(RATES), "f")
    owns = draw(st.lists(st.booleans(), min_size=1, max_size=3))
    return payment([draw(documents(currency, own)) for own in owns], currency=currency, rate=rate)


def is_tiny(node: ExampleNode) -> bool:
    """Return whether the paid amount rounds to zero in the payment's currency."""
    return Decimal(node.attributes["Monto"]) <= 0


@given(st.lists(payments(), min_size=1, max_size=3))
def test_exact_sums_are_accepted(made: list[ExampleNode]) -> None:
    tolerated = {"CRP20218", "CRP20217"} if any(map(is_tiny, made)) else set()
    assert codes(pago(payments=made)) <= tolerated


@given(payments(), st.sampled_from(["0.01", "-0.01"]))
def test_crp20211_rejects_a_cent_more_or_less(made: ExampleNode, cent: str) -> None:
    text = pago(payments=[made])
    total = Decimal(text.partition('MontoTotalPagos="')[2].partition('"')[0]) + Decimal(cent)
    if total >= 0:
        assert "CRP20211" in codes(pago(at(TOTALS, MontoTotalPagos=format(total, "f")), payments=[made]))


@pytest.mark.parametrize("rounded", [half_up, truncate, round_up])
@given(total=st.decimals(min_value=0, max_value=10**12, places=12), decimals=st.integers(0, 6))
def test_compare_sum_accepts_truncated_and_rounded_sums(
    rounded: Callable[[Decimal, int], Decimal], total: Decimal, decimals: int
) -> None:
    text = format(rounded(total, decimals), "f")
    assert compare_sum(text, Decimal(text), total) is None
    unit = Decimal(1).scaleb(-decimals)
    for wrong in (truncate(total, decimals) - unit, truncate(total, decimals) + 2 * unit):
        assert compare_sum(format(wrong, "f"), wrong, total) is not None


def related(paid: str, equivalence: str, currency: str = "USD") -> DoctoRelacionado:
    attributes = {"ImpPagado": paid, "EquivalenciaDR": equivalence, "MonedaDR": currency}
    return DoctoRelacionado(etree.Element(f"{NAMESPACE}DoctoRelacionado", attributes), (1, 0, 1, 1))


@given(AMOUNTS, EQUIVALENCES)
def test_paid_limits_follow_the_formula(paid: Decimal, equivalence: Decimal) -> None:
    """Compared with exact fractions: the lower limit is truncated, the upper one rounded."""
    document = related(format(paid, "f"), format(equivalence, "f"))
    limits = paid_limits(document, "MXN", 2)
    tiny, half, half_rate = Fraction(1, 10**16), Fraction(1, 200), Fraction(1, 2 * 10**6)
    lower = (Fraction(paid) - half) / (Fraction(equivalence) + half_rate - tiny)
    upper = (Fraction(paid) + half - tiny) / (Fraction(equivalence) - half_rate)
    assert limits.lower == Decimal(int(lower * 100)) / 100
    assert limits.upper == (Decimal(int(upper * 1000)) / 1000).quantize(Decimal("0.01"), ROUND_HALF_UP)
    assert limits.lower <= truncate(paid / equivalence, 2) <= limits.upper


def test_paid_limits_treat_one_as_written_with_ten_decimals() -> None:
    assert paid_limits(related("100.00", "1", "MXN"), "MXN", 2) == paid_limits(
        related("100.00", "1.0000000000", "MXN"), "MXN", 2
    )
    assert paid_limits(related("100.00", "1"), "MXN", 2).upper > 190


@pytest.mark.parametrize(
    ("amount", "holds"),
    [("1850.00", True), ("2000.00", True), ("1849.99", True), ("1849.89", True), ("1849.88", False)],
)
def test_crp20276_compares_other_currencies_within_limits(amount: str, holds: bool) -> None:
    """100.00 at 0.054054: between 1849.89 (99.995 / 0.0540545, cut) and 1850.11; without limit above."""
    changes = {**at(PAGO, Monto=amount), **at(TOTALS, MontoTotalPagos=amount)}
    found = codes(currency_in_pesos("USD", "100.00", "0.054054")(changes))
    assert found == (set() if holds else {"CRP20276"})


def test_crp20217_compares_the_same_currency_exactly() -> None:
    half = {**at(PAGO, Monto="463.99"), **at(TOTALS, MontoTotalPagos="463.99")}
    assert codes(pago(half, payments=[payment([document(), document()])])) == {"CRP20217"}
    more = {**at(PAGO, Monto="500.00"), **at(TOTALS, MontoTotalPagos="500.00")}
    assert codes(pago(more, payments=[payment([document(), document()])])) == set()
