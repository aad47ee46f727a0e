"""How and in which currency it is paid: CRP201 to CRP205, CRP237, keys of FormaDePagoP and MonedaP."""

from __future__ import annotations

from timbra.cfdi.nodes.pagos10 import Impuestos, Pago
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import DataRequirement, RuleResult, Severity, Violation
from timbra.rules.engine.rule import rule
from timbra.rules.rulesets.pagos10.matrix import STANDARD
from timbra.rules.shared.conditions import absent, key_of
from timbra.rules.shared.pagos import pago as payments
from timbra.rules.shared.pagos.pago import AT, PESOS


@rule("CRP201", at=f"{AT}/@FormaDePagoP")
def form_of_payment_is_known(pago: Pago, _ctx: EvaluationContext) -> RuleResult:
    return payments.form_is_known(pago)


@rule("CRP999:FormaDePagoP", at=f"{AT}/@FormaDePagoP", source=STANDARD)
def form_of_payment_is_a_key(pago: Pago, ctx: EvaluationContext) -> RuleResult:
    return payments.form_is_a_key(pago, ctx)


@rule("CRP202", at=f"{AT}/@MonedaP")
def payment_has_a_currency(pago: Pago, _ctx: EvaluationContext) -> RuleResult:
    return payments.is_a_currency(pago.MonedaP)


@rule("CRP999:MonedaP", at=f"{AT}/@MonedaP", source=STANDARD)
def currency_is_a_key(pago: Pago, ctx: EvaluationContext) -> RuleResult:
    return key_of(ctx, "c_Moneda", pago.MonedaP)


@rule("CRP203", at=f"{AT}/@TipoCambioP")
def other_currencies_have_a_rate(pago: Pago, _ctx: EvaluationContext) -> RuleResult:
    return payments.other_currencies_have_a_rate(pago)


@rule("CRP204", at=f"{AT}/@TipoCambioP")
def pesos_have_no_rate(pago: Pago, _ctx: EvaluationContext) -> RuleResult:
    return absent(pago.TipoCambioP, "con MonedaP MXN") if pago.MonedaP == PESOS else None


@rule("CRP205", at=f"{AT}/@TipoCambioP", needs=(DataRequirement.EXCHANGE_RATES,), severity=Severity.SUSPENDED)
def unusual_rate_is_confirmed(pago: Pago, ctx: EvaluationContext) -> RuleResult:
    return payments.unusual_rate_is_confirmed(pago, ctx)


@rule("CRP237", at=f"{AT}/Impuestos")
def payment_has_no_taxes(_impuestos: Impuestos, _ctx: EvaluationContext) -> RuleResult:
    return Violation(found="Impuestos", expected="que no exista dentro de Pago")
