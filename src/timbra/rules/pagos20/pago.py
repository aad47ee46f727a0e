"""How and in which currency it is paid: CRP20212 to CRP20216, keys of MonedaP."""

from __future__ import annotations

from timbra.cfdi.nodes.pagos20 import Pago
from timbra.rules.case import Case
from timbra.rules.conditions import key_of
from timbra.rules.exchange import published_limits
from timbra.rules.finding import Breach, Need, Severity, Unknown, Verdict
from timbra.rules.instants import local_date
from timbra.rules.rule import rule

AT = "Complemento/Pagos/Pago"
PESOS, NONE = "MXN", "XXX"
TO_BE_DEFINED = "99"


@rule("CRP20212", at=f"{AT}/@FormaDePagoP")
def form_of_payment_is_known(pago: Pago, case: Case) -> Verdict:
    if pago.FormaDePagoP == TO_BE_DEFINED:
        return Breach(found=TO_BE_DEFINED, expected="una forma de pago distinta de 99")
    return key_of(case, "c_FormaPago", pago.FormaDePagoP)


@rule("CRP20213", at=f"{AT}/@MonedaP")
def payment_has_a_currency(pago: Pago, _case: Case) -> Verdict:
    return Breach(found=NONE, expected="una moneda distinta de XXX") if pago.MonedaP == NONE else None


@rule("CRP20999:MonedaP", at=f"{AT}/@MonedaP")
def currency_is_a_key(pago: Pago, case: Case) -> Verdict:
    return key_of(case, "c_Moneda", pago.MonedaP)


@rule("CRP20214", at=f"{AT}/@TipoCambioP")
def other_currencies_have_a_rate(pago: Pago, _case: Case) -> Verdict:
    if pago.MonedaP == PESOS or pago.TipoCambioP is not None:
        return None
    return Breach(expected=f"el tipo de cambio de {pago.MonedaP}")


@rule("CRP20215", at=f"{AT}/@TipoCambioP")
def pesos_are_worth_one(pago: Pago, _case: Case) -> Verdict:
    if pago.MonedaP != PESOS or pago.TipoCambioP == "1":
        return None
    return Breach(found=pago.TipoCambioP, expected="1, por MonedaP MXN")


@rule("CRP20216", at=f"{AT}/@TipoCambioP", needs=(Need.EXCHANGE_RATES,), severity=Severity.SUSPENDED)
def unusual_rate_is_confirmed(pago: Pago, case: Case) -> Verdict:
    """The rate published for the day of the payment."""
    if pago.MonedaP in (PESOS, NONE) or pago.TipoCambioP is None or case.comprobante.Confirmacion is not None:
        return None
    limits = published_limits(case, pago.MonedaP, local_date(pago.FechaPago) or case.on)
    if limits is None or isinstance(limits, Unknown) or limits.lower <= pago.tipo_cambio <= limits.upper:
        return limits if isinstance(limits, Unknown) else None
    return Breach(found=pago.TipoCambioP, expected=f"{limits}, o una Confirmacion")
