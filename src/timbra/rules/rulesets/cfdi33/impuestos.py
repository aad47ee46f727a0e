"""Totals of Comprobante/Impuestos: CFDI33181, CFDI33183, CFDI33190."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal

from timbra.cfdi.nodes import ImpuestosTotales
from timbra.cfdi.nodes.base import ZERO
from timbra.core.money import half_up
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Violation
from timbra.rules.engine.rule import rule


def _equals_sum(
    ctx: EvaluationContext, text: str | None, value: Decimal, rows: Iterable[Decimal], what: str
) -> RuleResult:
    """Compare at the decimals of the currency: rows may have more, because CFDI33188 and CFDI33194 are not applied."""
    if text is None or ctx.decimals is None:
        return None
    total = sum(rows, ZERO)
    expected = half_up(total, ctx.decimals)
    if half_up(value, ctx.decimals) == expected:
        return None
    return Violation(found=text, expected=f"{expected:f}, la suma {total:f} de {what}")


@rule(
    "CFDI33181",
    at="Impuestos/@TotalImpuestosRetenidos",
    says="TotalImpuestosRetenidos debe ser la suma de las retenciones.",
    note="Ambos lados se comparan con los decimales de la moneda, porque las filas pueden tener más.",
)
def withheld_total_equals_sum_of_rows(impuestos: ImpuestosTotales, ctx: EvaluationContext) -> RuleResult:
    rows = (row.importe for row in impuestos.retenciones)
    return _equals_sum(ctx, impuestos.TotalImpuestosRetenidos, impuestos.retenidos, rows, "las retenciones")


@rule(
    "CFDI33183",
    at="Impuestos/@TotalImpuestosTrasladados",
    says="TotalImpuestosTrasladados debe ser la suma de los traslados.",
    note="Ambos lados se comparan con los decimales de la moneda, porque las filas pueden tener más.",
)
def transferred_total_equals_sum_of_rows(impuestos: ImpuestosTotales, ctx: EvaluationContext) -> RuleResult:
    rows = (row.importe for row in impuestos.traslados)
    return _equals_sum(ctx, impuestos.TotalImpuestosTrasladados, impuestos.trasladados, rows, "los traslados")


@rule(
    "CFDI33190",
    at="Impuestos/@TotalImpuestosTrasladados",
    says="Con el nodo Traslados debe existir TotalImpuestosTrasladados.",
)
def traslados_have_transferred_total(impuestos: ImpuestosTotales, _ctx: EvaluationContext) -> RuleResult:
    if not impuestos.has_traslados or impuestos.TotalImpuestosTrasladados is not None:
        return None
    return Violation(expected="el total, por el nodo Traslados")
