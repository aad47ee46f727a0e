"""Exchange rate: CFDI33113, CFDI33116."""

from __future__ import annotations

from timbra.cfdi.nodes import Comprobante
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Violation
from timbra.rules.engine.rule import rule
from timbra.rules.shared.invoice import currency


@rule(
    "CFDI33113",
    at="@TipoCambio",
    says="Con Moneda MXN, TipoCambio no debe existir o debe ser 1.",
    note="Se compara como número: se aceptó 1.000000.",
)
def rate_of_mxn_is_one(comprobante: Comprobante, _ctx: EvaluationContext) -> RuleResult:
    if comprobante.Moneda != currency.MXN or comprobante.TipoCambio is None or comprobante.tipo_cambio == 1:
        return None
    return Violation(found=comprobante.TipoCambio, expected="1, o que no exista, por Moneda MXN")


@rule(
    "CFDI33116",
    at="@TipoCambio",
    says="TipoCambio debe ser un número de hasta 18 enteros y 6 decimales.",
)
def rate_is_decimal(comprobante: Comprobante, _ctx: EvaluationContext) -> RuleResult:
    text = comprobante.TipoCambio
    if text is None or currency.RATE_PATTERN.fullmatch(text):
        return None
    return Violation(found=text, expected="un número de hasta 18 enteros y 6 decimales")
