"""Currency and rate of exchange: CFDI40113 to CFDI40118."""

from __future__ import annotations

from timbra.cfdi.nodes import Comprobante
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import DataRequirement, RuleResult, Severity, Violation
from timbra.rules.engine.rule import rule
from timbra.rules.shared.conditions import HEAD, key_of
from timbra.rules.shared.invoice import currency


@rule("CFDI40113", at="@Moneda", reads=HEAD)
def currency_is_a_key(comprobante: Comprobante, ctx: EvaluationContext) -> RuleResult:
    return key_of(ctx, "c_Moneda", comprobante.Moneda)


@rule("CFDI40114", at="@TipoCambio", reads=HEAD)
def pesos_are_worth_one(comprobante: Comprobante, _ctx: EvaluationContext) -> RuleResult:
    if comprobante.Moneda != currency.PESOS or comprobante.TipoCambio in (None, "1"):
        return None
    return Violation(found=comprobante.TipoCambio, expected="1, o que no exista, por Moneda MXN")


@rule("CFDI40115", at="@TipoCambio", reads=HEAD)
def other_currencies_have_a_rate(comprobante: Comprobante, _ctx: EvaluationContext) -> RuleResult:
    return currency.others_have_a_rate(comprobante)


@rule("CFDI40116", at="@TipoCambio", reads=HEAD)
def no_currency_has_no_rate(comprobante: Comprobante, _ctx: EvaluationContext) -> RuleResult:
    return currency.none_has_no_rate(comprobante)


@rule("CFDI40117", at="@TipoCambio", reads=HEAD)
def rate_has_its_form(comprobante: Comprobante, _ctx: EvaluationContext) -> RuleResult:
    text = comprobante.TipoCambio
    if text is None or (currency.RATE.fullmatch(text) and comprobante.tipo_cambio > 0):
        return None
    return Violation(found=text, expected="un número desde 0.000001, de hasta 18 enteros y 6 decimales")


@rule("CFDI40118", at="@TipoCambio", needs=(DataRequirement.EXCHANGE_RATES,), severity=Severity.SUSPENDED)
def unusual_rate_is_confirmed(comprobante: Comprobante, ctx: EvaluationContext) -> RuleResult:
    return currency.unusual_rate_is_confirmed(comprobante, ctx)
