"""Boundaries of the arithmetic rules of Recepción de Pagos 2.0."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from tests.support.boundaries_pay import (
    CENT,
    Boundary,
    amounts,
    few_examples,
    maximum_of_payments,
    rounded_up,
    truncated,
    written,
)

from timbra.examples import pago, tax
from timbra.examples.codes.pagos20 import currency_in_pesos, in_currency, two_currencies, with_taxes
from timbra.examples.lists import PublishedRates
from timbra.examples.pagos20 import document, payment
from timbra.rules.rulesets.pagos20 import RULE_SET

TOTALES = "Complemento/Pagos/Totales"
PAGO = "Complemento/Pagos/Pago"
DOCUMENT = f"{PAGO}/DoctoRelacionado"
TRASLADO_P = f"{PAGO}/ImpuestosP/TrasladosP/TrasladoP"
RETENCION_P = f"{PAGO}/ImpuestosP/RetencionesP/RetencionP"
TAXES = {
    "IVA16": ("002", "0.160000"),
    "IVA8": ("002", "0.080000"),
    "IVA0": ("002", "0.000000"),
    "IVAExento": ("002", None),
}
WITHHELD = {"IVA": ("002", "0.106667"), "ISR": ("001", "0.100000"), "IEPS": ("003", "0.080000")}
TOTALS = {
    "TotalRetencionesIVA": "CRP20201",
    "TotalRetencionesISR": "CRP20202",
    "TotalRetencionesIEPS": "CRP20203",
    "TotalTrasladosBaseIVA16": "CRP20204",
    "TotalTrasladosImpuestoIVA16": "CRP20205",
    "TotalTrasladosBaseIVA8": "CRP20206",
    "TotalTrasladosImpuestoIVA8": "CRP20207",
    "TotalTrasladosBaseIVA0": "CRP20208",
    "TotalTrasladosImpuestoIVA0": "CRP20209",
    "TotalTrasladosBaseIVAExento": "CRP20210",
    "MontoTotalPagos": "CRP20211",
}
RATES = st.sampled_from(["0.160000", "0.080000"])


def boundary(code: str) -> Boundary:
    return Boundary(RULE_SET, code)


def total_of(text: str, name: str) -> Decimal:
    """Return a total of the document."""
    return Decimal(text.partition(f' {name}="')[2].partition('"')[0])


@pytest.mark.parametrize(("name", "code"), TOTALS.items(), ids=TOTALS.values())
@few_examples
@given(paid=amounts("1.00", "999999.99"), rate=amounts("0.0100", "500.0000", 4))
def test_totals_are_rounded_sums_in_pesos(name: str, code: str, paid: Decimal, rate: Decimal) -> None:
    def build(changes: dict[str, str] | None = None) -> str:
        traslados = [tax(written(paid), *each) for each in TAXES.values()]
        retenciones = [tax(written(paid), *each) for each in WITHHELD.values()]
        node = document(written(paid), currency="USD", traslados=traslados, retenciones=retenciones)
        return pago(changes, payments=[payment([node], currency="USD", rate=written(rate, 4))])

    expected = total_of(build(), name)
    boundary(code).accepts(build())
    for cent in (CENT, -CENT):
        boundary(code).rejects(build({f"{TOTALES}/@{name}": written(expected + cent)}))


@few_examples
@given(st.lists(amounts(), min_size=1, max_size=3))
def test_crp20217_limits_the_amount_to_the_sum_of_documents(paid: list[Decimal]) -> None:
    def build(amount: Decimal) -> str:
        changes = {f"{PAGO}/@Monto": written(amount), f"{TOTALES}/@MontoTotalPagos": written(amount)}
        return pago(changes, payments=[payment([document(written(each)) for each in paid])])

    boundary("CRP20217").accepts(build(sum(paid, Decimal(0))))
    boundary("CRP20217").rejects(build(sum(paid, -CENT)))


@few_examples
@given(amounts(), amounts("0.000001", "9999", 6))
def test_crp20276_limits_the_amount_to_the_lower_limit_of_other_currencies(paid: Decimal, equivalence: Decimal) -> None:
    divisor = Fraction(equivalence) + Fraction(1, 2 * 10**6) - Fraction(1, 10**16)
    limit = truncated((Fraction(paid) - Fraction(1, 200)) / divisor, 2)
    assume(limit > CENT)

    def build(amount: Decimal) -> str:
        changes = {f"{PAGO}/@Monto": written(amount), f"{TOTALES}/@MontoTotalPagos": written(amount)}
        return currency_in_pesos("USD", written(paid), written(equivalence, 6))(changes)

    boundary("CRP20276").accepts(build(limit))
    boundary("CRP20276").rejects(build(limit - CENT))


def test_crp20218_requires_a_positive_amount() -> None:
    boundary("CRP20218").accepts(pago(payments=[payment([document("0.01")])]))
    zero = {f"{PAGO}/@Monto": "0.00", f"{TOTALES}/@MontoTotalPagos": "0.00"}
    boundary("CRP20218").rejects(pago(zero, payments=[payment([document("0.01")])]))


@few_examples
@given(st.integers(1, 99999999), st.sampled_from([("MXN", "1", 2), ("JPY", "0.15", 0)]))
def test_crp20219_limits_the_decimals_of_the_amount(units: int, currency: tuple[str, str, int]) -> None:
    key, rate, decimals = currency

    def build(changes: dict[str, str] | None = None) -> str:
        node = document(written(Decimal(units), decimals), currency=key)
        return pago(changes, payments=[payment([node], currency=key, rate=rate, decimals=decimals)])

    boundary("CRP20219").accepts(build())
    boundary("CRP20219").rejects(build({f"{PAGO}/@Monto": written(Decimal(units), decimals + 1)}))


@few_examples
@given(amounts("0.02", "9999999.99"))
def test_crp20220_limits_the_amount_in_pesos(amount: Decimal) -> None:
    """Totales is right here; in the example of the rule, the schema does not allow a total that large."""
    limit = maximum_of_payments(2 * amount)

    def build(value: Decimal, total: Decimal) -> str:
        changes = {f"{PAGO}/@Monto": written(value), f"{TOTALES}/@MontoTotalPagos": written(total)}
        return pago(changes, payments=[payment([document("0.01", currency="USD")], currency="USD", rate="2")])

    boundary("CRP20220").accepts(build(amount, 2 * amount), **limit)
    boundary("CRP20220").rejects(build(amount + CENT, 2 * amount), **limit)


@few_examples
@given(amounts("0.0100", "500.0000", 4))
def test_crp20216_limits_the_rate_to_five_percent_of_the_published_one(published: Decimal) -> None:
    rates, unit = PublishedRates({"USD": published}), Decimal("0.000001")
    for limit, beyond in ((published * Decimal("0.95"), -unit), (published * Decimal("1.05"), unit)):
        boundary("CRP20216").accepts(in_currency("USD", written(limit, 6))(), exchange_rates=rates)
        boundary("CRP20216").rejects(in_currency("USD", written(limit + beyond, 6))(), exchange_rates=rates)


def test_crp20238_requires_exactly_one() -> None:
    path = f"{DOCUMENT}/@EquivalenciaDR"
    boundary("CRP20238").accepts(pago({path: "1"}), pago({path: "1.0000000000"}))
    boundary("CRP20238").rejects(pago({path: "1.0000000001"}), pago({path: "0.9999999999"}))


@few_examples
@given(st.integers(1, 9) | st.integers(11, 20))
def test_crp20277_requires_exactly_ten_decimals(decimals: int) -> None:
    path = f"{DOCUMENT}/@EquivalenciaDR"
    boundary("CRP20277").accepts(two_currencies({path: written(Decimal(1), 10)}))
    boundary("CRP20277").rejects(two_currencies({path: written(Decimal(1), decimals)}))


@few_examples
@given(amounts())
def test_crp20239_requires_a_positive_previous_balance(paid: Decimal) -> None:
    boundary("CRP20239").accepts(pago(payments=[payment([document("0.01")])]))
    zero = {f"{DOCUMENT}/@ImpSaldoAnt": "0.00", f"{DOCUMENT}/@ImpSaldoInsoluto": written(-paid)}
    boundary("CRP20239").rejects(pago(zero, payments=[payment([document(written(paid))])]))


@few_examples
@given(amounts())
def test_crp20241_requires_a_positive_paid_amount(balance: Decimal) -> None:
    def build(paid: Decimal) -> str:
        changes = {f"{DOCUMENT}/@ImpPagado": written(paid), f"{DOCUMENT}/@ImpSaldoInsoluto": written(balance - paid)}
        return pago(changes, payments=[payment([document(written(balance))])])

    boundary("CRP20241").accepts(build(CENT))
    boundary("CRP20241").rejects(build(Decimal(0)))


@pytest.mark.parametrize(
    ("code", "name"), [("CRP20240", "ImpSaldoAnt"), ("CRP20242", "ImpPagado"), ("CRP20243", "ImpSaldoInsoluto")]
)
@few_examples
@given(paid=amounts(), balance=amounts())
def test_decimals_of_documents_are_limited(code: str, name: str, paid: Decimal, balance: Decimal) -> None:
    values = {"ImpSaldoAnt": paid + balance, "ImpPagado": paid, "ImpSaldoInsoluto": balance}

    def build(changes: dict[str, str] | None = None) -> str:
        attributes = {f"@{key}": written(value) for key, value in values.items()}
        return pago(changes, payments=[payment([document(written(paid), attributes)])])

    boundary(code).accepts(build())
    boundary(code).rejects(build({f"{DOCUMENT}/@{name}": written(values[name], 3)}))


@few_examples
@given(amounts(), amounts("0.00"))
def test_crp20244_requires_the_exact_balance(paid: Decimal, balance: Decimal) -> None:
    def build(found: Decimal) -> str:
        attributes = {"@ImpSaldoAnt": written(paid + balance), "@ImpSaldoInsoluto": written(found)}
        return pago(payments=[payment([document(written(paid), attributes)])])

    boundary("CRP20244").accepts(build(balance))
    boundary("CRP20244").rejects(build(balance + CENT), build(balance - CENT))


@pytest.mark.parametrize(("code", "withheld"), [("CRP20249", True), ("CRP20255", False)])
def test_bases_of_documents_are_positive(code: str, withheld: bool) -> None:
    def build(base: str) -> str:
        row = {**tax("1.00", "002", "0.080000"), "Base": base, "Importe": "0.00"}
        return with_taxes([], [row])() if withheld else with_taxes([row])()

    boundary(code).accepts(build("0.01"))
    boundary(code).rejects(build("0.00"))


@pytest.mark.parametrize(("code", "withheld"), [("CRP20254", True), ("CRP20261", False)])
@few_examples
@given(base=amounts("1.00", "999999.99"), rate=RATES, places=st.sampled_from([2, 6]))
def test_tax_amounts_of_documents_are_within_their_limits(
    code: str, withheld: bool, base: Decimal, rate: str, places: int
) -> None:
    """The limits follow the formula of the standard, in exact fractions."""
    half, tiny = Fraction(1, 200), Fraction(1, 10**12)
    lower = truncated((Fraction(base) - half) * Fraction(rate), places)
    upper = rounded_up((Fraction(base) + half - tiny) * Fraction(rate), places)

    def build(amount: Decimal) -> str:
        row = {**tax(written(base), "002", rate), "Importe": written(amount, places)}
        return with_taxes([], [row])() if withheld else with_taxes([row])()

    unit = Decimal(1).scaleb(-places)
    boundary(code).accepts(build(lower), build(upper))
    boundary(code).rejects(build(lower - unit), build(upper + unit))


@pytest.mark.parametrize(
    ("code", "amount", "total", "withheld"),
    [
        ("CRP20265", f"{RETENCION_P}/@ImporteP", "TotalRetencionesISR", True),
        ("CRP20268", f"{TRASLADO_P}/@BaseP", "TotalTrasladosBaseIVA16", False),
        ("CRP20269", f"{TRASLADO_P}[2]/@BaseP", "TotalTrasladosBaseIVAExento", False),
        ("CRP20274", f"{TRASLADO_P}/@ImporteP", "TotalTrasladosImpuestoIVA16", False),
    ],
)
@few_examples
@given(base=amounts("1.00", "999999.99"))
def test_taxes_of_payments_are_sums_of_their_documents(
    code: str, amount: str, total: str, withheld: bool, base: Decimal
) -> None:
    row = written(base)
    traslados = [] if withheld else [tax(row, *TAXES["IVA16"]), tax(row, *TAXES["IVAExento"])]
    build = with_taxes(traslados, [tax(row, *WITHHELD["ISR"])] if withheld else [])
    expected = total_of(build(), total)

    def changed(value: Decimal) -> str:
        return build({amount: written(value), f"{TOTALES}/@{total}": written(value)})

    boundary(code).accepts(changed(expected))
    boundary(code).rejects(changed(expected + CENT), changed(expected - CENT))
