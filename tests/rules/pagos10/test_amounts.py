"""What the amount of a payment covers: documents in its currency exactly, others within their limits."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree
from tests.support.rules import codes

from timbra.cfdi.nodes.pagos10 import NAMESPACE, DoctoRelacionado, Pago
from timbra.examples import pago10
from timbra.examples.codes.example import at
from timbra.examples.codes.pagos10 import PAGO, of, of_dollars, of_pesos_in_dollars, two, without_balance
from timbra.examples.pagos10 import document
from timbra.rules.rulesets.pagos10.monto import least

AMOUNTS = st.decimals(min_value=Decimal("0.01"), max_value=Decimal("99999999.99"), places=2)
RATES = st.decimals(min_value=Decimal("0.000001"), max_value=Decimal(9999), places=6)


def paid(amount: str, rate: str | None, currency: str) -> DoctoRelacionado:
    attributes = {"ImpPagado": amount, "MonedaDR": currency} | ({} if rate is None else {"TipoCambioDR": rate})
    return DoctoRelacionado(etree.Element(f"{NAMESPACE}DoctoRelacionado", attributes), (1, 0, 1, 1))


def payment(currency: str, rate: str | None = None) -> Pago:
    attributes = {"MonedaP": currency} | ({} if rate is None else {"TipoCambioP": rate})
    return Pago(etree.Element(f"{NAMESPACE}Pago", attributes), (1, 0, 1))


@given(AMOUNTS, RATES)
def test_property_the_lower_limit_follows_the_formula(amount: Decimal, rate: Decimal) -> None:
    """Beside exact fractions, cut at two decimals."""
    found = least(payment("MXN"), paid(format(amount, "f"), format(rate, "f"), "USD"), 2)
    lower = (Fraction(amount) - Fraction(1, 200)) / (Fraction(rate) + Fraction(1, 2 * 10**6) - Fraction(1, 10**10))
    assert found == Decimal(int(lower * 100)) / 100


def test_a_document_in_the_payments_currency_has_no_limits() -> None:
    assert least(payment("USD", "18.50"), paid("100.00", None, "USD"), 2) == 100


def test_pesos_paid_in_another_currency_count_at_the_rate_of_the_payment() -> None:
    """TipoCambioDR is 1 there, whatever the currencies are worth."""
    found = least(payment("USD", "18.50"), paid("185.00", "1", "MXN"), 2)
    assert found == Decimal("9.99")
    assert codes(of_pesos_in_dollars()) == set()
    assert codes(of_pesos_in_dollars(at(PAGO, Monto="9.98"))) == {"CRP206"}


@pytest.mark.parametrize(
    ("amount", "holds"),
    [("1850.00", True), ("2000.00", True), ("1849.99", True), ("1849.89", True), ("1849.88", False)],
)
def test_the_amount_covers_documents_in_other_currencies_within_their_limits(amount: str, holds: bool) -> None:
    """100.00 at 0.054054: at least 1849.89 (99.995 / 0.0540545, cut); without limit above."""
    assert codes(of_dollars(at(PAGO, Monto=amount))) == (set() if holds else {"CRP206"})


def test_the_amount_covers_documents_in_its_currency_without_tolerance() -> None:
    assert codes(two(at(PAGO, Monto="463.99"))) == {"CRP206"}
    assert codes(two(at(PAGO, Monto="500.00"))) == set()


def test_the_only_document_without_imp_pagado_is_paid_the_amount() -> None:
    told = without_balance(ImpSaldoAnt="300.00", ImpSaldoInsoluto="68.00")
    assert codes(of(told, amount="232.00")()) == set()
    wrong = without_balance(ImpSaldoAnt="300.00", ImpSaldoInsoluto="69.00")
    assert codes(of(wrong, amount="232.00")()) == {"CRP226"}


def test_imp_pagado_is_told_where_there_are_several_documents_or_a_rate() -> None:
    assert codes(of(without_balance(), without_balance(), amount="232.00")()) == {"CRP235"}
    dollars = document("100.00", {"@ImpPagado": None}, currency="USD", rate="0.054054")
    assert codes(of(dollars, amount="1850.00")()) == {"CRP235"}


def test_a_payment_without_documents_pays_something() -> None:
    assert codes(of(amount="10.00")()) == set()
    assert codes(of(amount="0.00")()) == {"CRP207"}


def test_a_balance_without_an_earlier_one_is_not_negative() -> None:
    assert codes(of(without_balance(ImpSaldoInsoluto="5.00"), amount="1.00")()) == set()
    assert codes(of(without_balance(ImpSaldoInsoluto="-5.00"), amount="1.00")()) == {"CRP226"}


def test_thousand_documents_are_evaluated_like_one() -> None:
    assert codes(of(*[document() for _ in range(1000)])()) == set()


@pytest.mark.parametrize(("account", "holds"), [("1234567890", True), ("12345678901", False), ("", False)])
def test_accounts_have_the_form_of_their_form_of_payment(account: str, holds: bool) -> None:
    assert codes(pago10(at(PAGO, CtaBeneficiario=account))) == (set() if holds else {"CRP239"})


@pytest.mark.parametrize("form", ["01", "99"])
def test_forms_without_accounts_admit_none(form: str) -> None:
    found = codes(pago10(at(PAGO, FormaDePagoP=form, CtaOrdenante="1234567890", TipoCadPago="01")))
    assert {"CRP212", "CRP216"} <= found
