"""Withheld taxes of the document, one row for each tax: CFDI33189."""

from __future__ import annotations

from timbra.cfdi.nodes import RetencionTotal
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult
from timbra.rules.engine.rule import rule
from timbra.rules.shared.invoice import tax_totals


@rule(
    "CFDI33189",
    at="Impuestos/Retenciones/Retencion/@Importe",
    says="Importe de la retención total debe ser la suma de las retenciones de los conceptos.",
    note="Ambos lados se comparan con los decimales de la moneda; se aceptaron importes sin redondear.",
)
def withheld_amount_equals_sum_of_conceptos(retencion: RetencionTotal, ctx: EvaluationContext) -> RuleResult:
    total = ctx.sums.retencion(retencion.Impuesto)
    return tax_totals.rounds_to_sum_of_conceptos(ctx, retencion.Importe, retencion.importe, total)
