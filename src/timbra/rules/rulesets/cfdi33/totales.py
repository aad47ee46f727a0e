"""Descuento and Total: CFDI33110, CFDI33118."""

from __future__ import annotations

from timbra.cfdi.nodes import Comprobante
from timbra.cfdi.nodes.base import ZERO
from timbra.core.money import half_up
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Violation
from timbra.rules.engine.rule import rule
from timbra.rules.shared.invoice import totals


@rule(
    "CFDI33110",
    at="@Descuento",
    says="Descuento debe ser la suma de los descuentos de los conceptos, y solo existir si alguno lo tiene.",
    note="Se timbraron comprobantes con Descuento 0 aunque ningún concepto lo lleve.",
)
def discount_equals_sum_of_discounts_or_zero(comprobante: Comprobante, ctx: EvaluationContext) -> RuleResult:
    if comprobante.descuento == ZERO and all(concepto.Descuento is None for concepto in comprobante.conceptos):
        return None
    return totals.discount_equals_sum_of_discounts(comprobante, ctx)


@rule(
    "CFDI33118",
    at="@Total",
    says="Total debe ser SubTotal menos descuentos más traslados menos retenciones, o cero en los tipos T y P.",
    note="Se comparan con los decimales de la moneda, porque ninguna regla limita los de Total.",
)
def total_equals_computed_total(comprobante: Comprobante, ctx: EvaluationContext) -> RuleResult:
    if ctx.decimals is None:
        return None
    has_amounts = comprobante.TipoDeComprobante not in ("T", "P")
    expected = half_up(totals.computed_total(comprobante), ctx.decimals) if has_amounts else ZERO
    found = half_up(comprobante.total, ctx.decimals) if has_amounts else comprobante.total
    if found == expected:
        return None
    why = totals.computed_total_text(comprobante) if has_amounts else f"por el tipo {comprobante.TipoDeComprobante}"
    return Violation(found=comprobante.Total, expected=f"{expected:f}, {why}")
