"""Currency and exchange rate: CFDI40113 to CFDI40118."""

from __future__ import annotations

from timbra.cfdi.nodes import Comprobante
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import DataRequirement, RuleResult, Severity, Violation
from timbra.rules.engine.rule import row, rule
from timbra.rules.shared.invoice import currency
from timbra.rules.shared.predicates import in_catalog

CFDI40113 = row(
    "CFDI40113",
    Comprobante,
    at="@Moneda",
    says="Moneda debe ser una clave vigente de c_Moneda.",
    check=in_catalog("c_Moneda", "Moneda"),
)


@rule(
    "CFDI40114",
    at="@TipoCambio",
    says="Con Moneda MXN, TipoCambio no debe existir o debe ser 1.",
)
def rate_of_mxn_is_one(comprobante: Comprobante, _ctx: EvaluationContext) -> RuleResult:
    if comprobante.Moneda != currency.MXN or comprobante.TipoCambio in (None, "1"):
        return None
    return Violation(found=comprobante.TipoCambio, expected="1, o que no exista, por Moneda MXN")


CFDI40115 = row(
    "CFDI40115",
    Comprobante,
    at="@TipoCambio",
    says="TipoCambio debe existir cuando la moneda no es MXN ni XXX.",
    check=currency.has_rate_in_foreign_currency,
)


CFDI40116 = row(
    "CFDI40116",
    Comprobante,
    at="@TipoCambio",
    says="Con Moneda XXX, TipoCambio no debe existir.",
    check=currency.has_no_rate_without_currency,
)


@rule(
    "CFDI40117",
    at="@TipoCambio",
    says="TipoCambio debe ser un número positivo de hasta 18 enteros y 6 decimales.",
)
def rate_is_positive_decimal(comprobante: Comprobante, _ctx: EvaluationContext) -> RuleResult:
    text = comprobante.TipoCambio
    if text is None or (currency.RATE_PATTERN.fullmatch(text) and comprobante.tipo_cambio > 0):
        return None
    return Violation(found=text, expected="un número desde 0.000001, de hasta 18 enteros y 6 decimales")


CFDI40118 = row(
    "CFDI40118",
    Comprobante,
    at="@TipoCambio",
    says="Un TipoCambio fuera de los límites publicados requiere Confirmacion.",
    check=currency.rate_is_within_limits_or_confirmed,
    needs=(DataRequirement.EXCHANGE_RATES,),
    severity=Severity.SUSPENDED,
)
