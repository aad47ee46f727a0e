"""Boundaries of the arithmetic rules of Recepción de Pagos 1.0."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from tests.support.boundaries_pay import CENT, Boundary, amounts, few_examples, maximum_of_payments, truncated, written

from timbra.examples.codes.pagos10 import in_dollars, paying, without_balance
from timbra.examples.lists import PublishedRates
from timbra.examples.pagos10 import document
from timbra.rules.rulesets.pagos10 import RULE_SET

MONTO = "Complemento/Pagos/Pago/@Monto"
DOCUMENT = "Complemento/Pagos/Pago/DoctoRelacionado"
CURRENCIES = st.sampled_from([("MXN", None, 2), ("JPY", "0.15", 0)])
"""MonedaP, TipoCambioP and decimals."""


def boundary(code: str) -> Boundary:
    return Boundary(RULE_SET, code)


@few_examples
@given(st.lists(amounts(), min_size=1, max_size=3))
def test_crp206_limits_the_amount_to_the_sum_of_documents(paid: list[Decimal]) -> None:
    documents = [document(written(each)) for each in paid]
    boundary("CRP206").accepts(paying(*documents, amount=written(sum(paid, Decimal(0))))())
    boundary("CRP206").rejects(paying(*documents, amount=written(sum(paid, -CENT)))())


@few_examples
@given(amounts(), amounts("0.000001", "9999", 6))
def test_crp206_limits_the_amount_to_the_lower_limit_of_other_currencies(paid: Decimal, rate: Decimal) -> None:
    lower = (Fraction(paid) - Fraction(1, 200)) / (Fraction(rate) + Fraction(1, 2 * 10**6) - Fraction(1, 10**10))
    limit = truncated(lower, 2)
    assume(limit > CENT)
    build = paying(document(written(paid), currency="USD", rate=written(rate, 6)))
    boundary("CRP206").accepts(build({MONTO: written(limit)}))
    boundary("CRP206").rejects(build({MONTO: written(limit - CENT)}))


def test_crp207_requires_a_positive_amount() -> None:
    boundary("CRP207").accepts(paying(amount="0.01")())
    boundary("CRP207").rejects(paying(amount="0.00")())


@few_examples
@given(st.integers(1, 99999999), CURRENCIES)
def test_crp208_limits_the_decimals_of_the_amount(units: int, currency: tuple[str, str | None, int]) -> None:
    key, rate, decimals = currency
    paid = written(Decimal(units), decimals)
    build = paying(document(paid, currency=key), currency=key, rate=rate, amount=paid)
    boundary("CRP208").accepts(build())
    boundary("CRP208").rejects(build({MONTO: written(Decimal(units), decimals + 1)}))


@few_examples
@given(amounts())
def test_crp209_limits_the_amount_in_pesos(amount: Decimal) -> None:
    limit = maximum_of_payments(2 * amount)
    build = paying(document("0.01", currency="USD"), currency="USD", rate="2")
    boundary("CRP209").accepts(build({MONTO: written(amount)}), **limit)
    boundary("CRP209").rejects(build({MONTO: written(amount + CENT)}), **limit)


@few_examples
@given(amounts("0.0100", "500.0000", 4))
def test_crp205_limits_the_rate_to_five_percent_of_the_published_one(published: Decimal) -> None:
    rates, unit = PublishedRates({"USD": published}), Decimal("0.000001")
    for limit, beyond in ((published * Decimal("0.95"), -unit), (published * Decimal("1.05"), unit)):
        boundary("CRP205").accepts(in_dollars(written(limit, 6))(), exchange_rates=rates)
        boundary("CRP205").rejects(in_dollars(written(limit + beyond, 6))(), exchange_rates=rates)


@few_examples
@given(amounts())
def test_crp221_requires_a_positive_previous_balance(amount: Decimal) -> None:
    paid = written(amount)
    boundary("CRP221").accepts(paying(without_balance(ImpSaldoAnt="0.01"), amount=paid)())
    boundary("CRP221").rejects(paying(without_balance(ImpSaldoAnt="0.00"), amount=paid)())


@few_examples
@given(amounts())
def test_crp223_requires_a_positive_paid_amount(balance: Decimal) -> None:
    build = paying(document(written(balance)))
    least = {f"{DOCUMENT}/@ImpPagado": "0.01", f"{DOCUMENT}/@ImpSaldoInsoluto": written(balance - CENT)}
    zero = {f"{DOCUMENT}/@ImpPagado": "0.00", f"{DOCUMENT}/@ImpSaldoInsoluto": written(balance)}
    boundary("CRP223").accepts(build(least))
    boundary("CRP223").rejects(build(zero))


@pytest.mark.parametrize(
    ("code", "name"), [("CRP222", "ImpSaldoAnt"), ("CRP224", "ImpPagado"), ("CRP225", "ImpSaldoInsoluto")]
)
@few_examples
@given(paid=amounts(), balance=amounts())
def test_decimals_of_documents_are_limited(code: str, name: str, paid: Decimal, balance: Decimal) -> None:
    values = {"ImpSaldoAnt": paid + balance, "ImpPagado": paid, "ImpSaldoInsoluto": balance}
    build = paying(document(written(paid), {f"@{key}": written(value) for key, value in values.items()}))
    boundary(code).accepts(build())
    boundary(code).rejects(build({f"{DOCUMENT}/@{name}": written(values[name], 3)}))


@few_examples
@given(amounts(), amounts("0.00"))
def test_crp226_requires_the_exact_balance(paid: Decimal, balance: Decimal) -> None:
    changes = {"@ImpSaldoAnt": written(paid + balance), "@ImpSaldoInsoluto": written(balance)}
    build = paying(document(written(paid), changes))
    boundary("CRP226").accepts(build())
    for cent in (CENT, -CENT):
        boundary("CRP226").rejects(build({f"{DOCUMENT}/@ImpSaldoInsoluto": written(balance + cent)}))


@few_examples
@given(amounts())
def test_crp226_rejects_a_negative_balance(paid: Decimal) -> None:
    build = paying(document(written(paid)))
    boundary("CRP226").accepts(build())
    below = {f"{DOCUMENT}/@ImpSaldoAnt": written(paid - CENT), f"{DOCUMENT}/@ImpSaldoInsoluto": "-0.01"}
    boundary("CRP226").rejects(build(below))
