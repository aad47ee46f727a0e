"""How and in which currency it is paid: CRP20212 to CRP20216, keys of MonedaP."""

from __future__ import annotations

from timbra.cfdi.nodes.pagos20 import Pago
from timbra.rules.case import Case
from timbra.rules.conditions import key_of
from timbra.rules.finding import Breach, Need, Severity, Verdict
from timbra.rules.pagos import pago as payments
from timbra.rules.pagos.pago import AT, PESOS
from timbra.rules.rule import rule


@rule("CRP20212", at=f"{AT}/@FormaDePagoP")
def form_of_payment_is_known(pago: Pago, case: Case) -> Verdict:
    return payments.form_is_known(pago) or payments.form_is_a_key(pago, case)


@rule("CRP20213", at=f"{AT}/@MonedaP")
def payment_has_a_currency(pago: Pago, _case: Case) -> Verdict:
    return payments.is_a_currency(pago.MonedaP)


@rule("CRP20999:MonedaP", at=f"{AT}/@MonedaP")
def currency_is_a_key(pago: Pago, case: Case) -> Verdict:
    return key_of(case, "c_Moneda", pago.MonedaP)


@rule("CRP20214", at=f"{AT}/@TipoCambioP")
def other_currencies_have_a_rate(pago: Pago, _case: Case) -> Verdict:
    return payments.other_currencies_have_a_rate(pago)


@rule("CRP20215", at=f"{AT}/@TipoCambioP")
def pesos_are_worth_one(pago: Pago, _case: Case) -> Verdict:
    if pago.MonedaP != PESOS or pago.TipoCambioP == "1":
        return None
    return Breach(found=pago.TipoCambioP, expected="1, por MonedaP MXN")


@rule("CRP20216", at=f"{AT}/@TipoCambioP", needs=(Need.EXCHANGE_RATES,), severity=Severity.SUSPENDED)
def unusual_rate_is_confirmed(pago: Pago, case: Case) -> Verdict:
    return payments.unusual_rate_is_confirmed(pago, case)
