"""How and in which currency it is paid: CRP201 to CRP205, CRP237, keys of FormaDePagoP and MonedaP."""

from __future__ import annotations

from timbra.cfdi.nodes.pagos10 import Impuestos, Pago
from timbra.rules.case import Case
from timbra.rules.conditions import absent, key_of
from timbra.rules.finding import Breach, Need, Severity, Verdict
from timbra.rules.pagos import pago as payments
from timbra.rules.pagos.pago import AT, PESOS
from timbra.rules.pagos10.matrix import STANDARD
from timbra.rules.rule import rule


@rule("CRP201", at=f"{AT}/@FormaDePagoP")
def form_of_payment_is_known(pago: Pago, _case: Case) -> Verdict:
    return payments.form_is_known(pago)


@rule("CRP999:FormaDePagoP", at=f"{AT}/@FormaDePagoP", source=STANDARD)
def form_of_payment_is_a_key(pago: Pago, case: Case) -> Verdict:
    return payments.form_is_a_key(pago, case)


@rule("CRP202", at=f"{AT}/@MonedaP")
def payment_has_a_currency(pago: Pago, _case: Case) -> Verdict:
    return payments.is_a_currency(pago.MonedaP)


@rule("CRP999:MonedaP", at=f"{AT}/@MonedaP", source=STANDARD)
def currency_is_a_key(pago: Pago, case: Case) -> Verdict:
    return key_of(case, "c_Moneda", pago.MonedaP)


@rule("CRP203", at=f"{AT}/@TipoCambioP")
def other_currencies_have_a_rate(pago: Pago, _case: Case) -> Verdict:
    return payments.other_currencies_have_a_rate(pago)


@rule("CRP204", at=f"{AT}/@TipoCambioP")
def pesos_have_no_rate(pago: Pago, _case: Case) -> Verdict:
    return absent(pago.TipoCambioP, "con MonedaP MXN") if pago.MonedaP == PESOS else None


@rule("CRP205", at=f"{AT}/@TipoCambioP", needs=(Need.EXCHANGE_RATES,), severity=Severity.SUSPENDED)
def unusual_rate_is_confirmed(pago: Pago, case: Case) -> Verdict:
    return payments.unusual_rate_is_confirmed(pago, case)


@rule("CRP237", at=f"{AT}/Impuestos")
def payment_has_no_taxes(_impuestos: Impuestos, _case: Case) -> Verdict:
    return Breach(found="Impuestos", expected="que no exista dentro de Pago")
