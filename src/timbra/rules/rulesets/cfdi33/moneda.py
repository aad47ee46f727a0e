"""Currency and rate of exchange: CFDI33112 to CFDI33117."""

from __future__ import annotations

from timbra.cfdi.nodes import Comprobante
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import DataRequirement, RuleResult, Severity, Violation
from timbra.rules.engine.rule import rule
from timbra.rules.shared.conditions import HEAD, key_of
from timbra.rules.shared.invoice import currency


@rule("CFDI33112", at="@Moneda", reads=HEAD)
def currency_is_a_key(comprobante: Comprobante, ctx: EvaluationContext) -> RuleResult:
    return key_of(ctx, "c_Moneda", comprobante.Moneda)


@rule("CFDI33113", at="@TipoCambio", reads=HEAD)
def pesos_are_worth_one(comprobante: Comprobante, _ctx: EvaluationContext) -> RuleResult:
    """As a number: 1.000000 was accepted."""
    if comprobante.Moneda != currency.PESOS or comprobante.TipoCambio is None or comprobante.tipo_cambio == 1:
        return None
    return Violation(found=comprobante.TipoCambio, expected="1, o que no exista, por Moneda MXN")


@rule("CFDI33114", at="@TipoCambio", reads=HEAD)
def other_currencies_have_a_rate(comprobante: Comprobante, _ctx: EvaluationContext) -> RuleResult:
    return currency.others_have_a_rate(comprobante)


@rule("CFDI33115", at="@TipoCambio", reads=HEAD)
def no_currency_has_no_rate(comprobante: Comprobante, _ctx: EvaluationContext) -> RuleResult:
    return currency.none_has_no_rate(comprobante)


@rule("CFDI33116", at="@TipoCambio", reads=HEAD)
def rate_has_its_form(comprobante: Comprobante, _ctx: EvaluationContext) -> RuleResult:
    text = comprobante.TipoCambio
    if text is None or currency.RATE.fullmatch(text):
        return None
    return Violation(found=text, expected="un número de hasta 18 enteros y 6 decimales")


@rule("CFDI33117", at="@TipoCambio", needs=(DataRequirement.EXCHANGE_RATES,), severity=Severity.SUSPENDED)
def unusual_rate_is_confirmed(comprobante: Comprobante, ctx: EvaluationContext) -> RuleResult:
    return currency.unusual_rate_is_confirmed(comprobante, ctx)
