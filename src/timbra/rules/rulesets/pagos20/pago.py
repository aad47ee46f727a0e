"""How and in which currency it is paid: CRP20212 to CRP20216, keys of MonedaP."""

from __future__ import annotations

from timbra.cfdi.nodes.pagos20 import Pago
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import DataRequirement, RuleResult, Severity, Violation
from timbra.rules.engine.rule import rule
from timbra.rules.shared.conditions import key_of
from timbra.rules.shared.pagos import pago as payments
from timbra.rules.shared.pagos.pago import AT, PESOS


@rule("CRP20212", at=f"{AT}/@FormaDePagoP")
def form_of_payment_is_known(pago: Pago, ctx: EvaluationContext) -> RuleResult:
    return payments.form_is_known(pago) or payments.form_is_a_key(pago, ctx)


@rule("CRP20213", at=f"{AT}/@MonedaP")
def payment_has_a_currency(pago: Pago, _ctx: EvaluationContext) -> RuleResult:
    return payments.is_a_currency(pago.MonedaP)


@rule("CRP20999:MonedaP", at=f"{AT}/@MonedaP")
def currency_is_a_key(pago: Pago, ctx: EvaluationContext) -> RuleResult:
    return key_of(ctx, "c_Moneda", pago.MonedaP)


@rule("CRP20214", at=f"{AT}/@TipoCambioP")
def other_currencies_have_a_rate(pago: Pago, _ctx: EvaluationContext) -> RuleResult:
    return payments.other_currencies_have_a_rate(pago)


@rule("CRP20215", at=f"{AT}/@TipoCambioP")
def pesos_are_worth_one(pago: Pago, _ctx: EvaluationContext) -> RuleResult:
    if pago.MonedaP != PESOS or pago.TipoCambioP == "1":
        return None
    return Violation(found=pago.TipoCambioP, expected="1, por MonedaP MXN")


@rule("CRP20216", at=f"{AT}/@TipoCambioP", needs=(DataRequirement.EXCHANGE_RATES,), severity=Severity.SUSPENDED)
def unusual_rate_is_confirmed(pago: Pago, ctx: EvaluationContext) -> RuleResult:
    return payments.unusual_rate_is_confirmed(pago, ctx)
