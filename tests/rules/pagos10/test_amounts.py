"""Amounts of payments: documents in the payment's currency are compared exactly, others within limits."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree
from tests.support.rules import codes

from timbra.cfdi.nodes.pagos10 import DoctoRelacionado, Pago
from timbra.examples import pago10
from timbra.examples.codes.example import at
from timbra.examples.codes.pagos10 import dollars_in_pesos, paying, pesos_in_dollars, two_documents, without_balance
from timbra.examples.pagos10 import document
from timbra.rules.rulesets.pagos10.pago import lowest_paid_amount

NAMESPACE = "{http://www.sat.gob.mx/Pagos}"

PAGO = Pago.PATH
AMOUNTS = st.decimals(min_value=Decimal("0.01"), max_value=Decimal("99999999.99"), places=2)
RATES = st.decimals(min_value=Decimal("0.000001"), max_value=Decimal(9999), places=6)


def paid(amount: str, rate: str | None, currency: str) -> DoctoRelacionado:
    attributes = {"ImpPagado": amount, "MonedaDR": currency} | ({} if rate is None else {"TipoCambioDR": rate})
    return DoctoRelacionado(etree.Element(f"{NAMESPACE}DoctoRelacionado", attributes), (1, 0, 1, 1))


def payment(currency: str, rate: str | None = None) -> Pago:
    attributes = {"MonedaP": currency} | ({} if rate is None else {"TipoCambioP": rate})
    return Pago(etree.Element(f"{NAMESPACE}Pago", attributes), (1, 0, 1))


@given(AMOUNTS, RATES)
def test_lowest_paid_amount_follows_the_formula(amount: Decimal, rate: Decimal) -> None:
    """Compared with exact fractions that are truncated at two decimals."""
    found = lowest_paid_amount(payment("MXN"), paid(format(amount, "f"), format(rate, "f"), "USD"), 2)
    lower = (Fraction(amount) - Fraction(1, 200)) / (Fraction(rate) + Fraction(1, 2 * 10**6) - Fraction(1, 10**10))
    assert found == Decimal(int(lower * 100)) / 100


def test_lowest_paid_amount_is_the_paid_amount_in_the_currency_of_the_payment() -> None:
    assert lowest_paid_amount(payment("USD", "18.50"), paid("100.00", None, "USD"), 2) == 100


def test_lowest_paid_amount_uses_the_rate_of_the_payment_for_pesos() -> None:
    """TipoCambioDR is 1 for pesos in a payment in another currency."""
    found = lowest_paid_amount(payment("USD", "18.50"), paid("185.00", "1", "MXN"), 2)
    assert found == Decimal("9.99")
    assert codes(pesos_in_dollars()) == set()
    assert codes(pesos_in_dollars(at(PAGO, Monto="9.98"))) == {"CRP206"}


@pytest.mark.parametrize(
    ("amount", "holds"),
    [("1850.00", True), ("2000.00", True), ("1849.99", True), ("1849.89", True), ("1849.88", False)],
)
def test_crp206_compares_other_currencies_within_limits(amount: str, holds: bool) -> None:
    """100.00 at 0.054054: at least 1849.89 (99.995 / 0.0540545, cut); without limit above."""
    assert codes(dollars_in_pesos(at(PAGO, Monto=amount))) == (set() if holds else {"CRP206"})


def test_crp206_compares_the_same_currency_exactly() -> None:
    assert codes(two_documents(at(PAGO, Monto="463.99"))) == {"CRP206"}
    assert codes(two_documents(at(PAGO, Monto="500.00"))) == set()


def test_crp226_uses_the_amount_for_a_single_document_without_imp_pagado() -> None:
    balanced = without_balance(ImpSaldoAnt="300.00", ImpSaldoInsoluto="68.00")
    assert codes(paying(balanced, amount="232.00")()) == set()
    wrong = without_balance(ImpSaldoAnt="300.00", ImpSaldoInsoluto="69.00")
    assert codes(paying(wrong, amount="232.00")()) == {"CRP226"}


def test_crp235_requires_imp_pagado_with_several_documents_or_a_rate() -> None:
    assert codes(paying(without_balance(), without_balance(), amount="232.00")()) == {"CRP235"}
    dollars = document("100.00", {"@ImpPagado": None}, currency="USD", rate="0.054054")
    assert codes(paying(dollars, amount="1850.00")()) == {"CRP235"}


def test_crp207_requires_a_positive_amount() -> None:
    assert codes(paying(amount="10.00")()) == set()
    assert codes(paying(amount="0.00")()) == {"CRP207"}


def test_crp226_requires_a_nonnegative_balance() -> None:
    assert codes(paying(without_balance(ImpSaldoInsoluto="5.00"), amount="1.00")()) == set()
    assert codes(paying(without_balance(ImpSaldoInsoluto="-5.00"), amount="1.00")()) == {"CRP226"}


def test_rules_evaluate_a_thousand_documents() -> None:
    assert codes(paying(*[document() for _ in range(1000)])()) == set()


@pytest.mark.parametrize(("account", "holds"), [("1234567890", True), ("12345678901", False), ("", False)])
def test_crp239_checks_accounts_by_form_of_payment(account: str, holds: bool) -> None:
    assert codes(pago10(at(PAGO, CtaBeneficiario=account))) == (set() if holds else {"CRP239"})


@pytest.mark.parametrize("form", ["01", "99"])
def test_crp212_and_crp216_forbid_accounts_for_other_forms(form: str) -> None:
    found = codes(pago10(at(PAGO, FormaDePagoP=form, CtaOrdenante="1234567890", TipoCadPago="01")))
    assert {"CRP212", "CRP216"} <= found
