"""Transferred taxes of the document, one row for each tax: CFDI33193, CFDI33195."""

from __future__ import annotations

from timbra.cfdi.nodes import TrasladoTotal
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult
from timbra.rules.engine.rule import row, rule
from timbra.rules.shared.invoice import tax_totals
from timbra.rules.shared.predicates import has_rate

CFDI33193 = row(
    "CFDI33193",
    TrasladoTotal,
    at="Impuestos/Traslados/Traslado/@TasaOCuota",
    says="TasaOCuota del traslado total debe corresponder a c_TasaOCuota.",
    check=has_rate("transfer", every_tax=True),
)


@rule(
    "CFDI33195",
    at="Impuestos/Traslados/Traslado/@Importe",
    says="Importe del traslado total debe ser la suma de los traslados de los conceptos.",
    note="Ambos lados se comparan con los decimales de la moneda; se aceptaron importes sin redondear.",
)
def transferred_amount_equals_sum_of_conceptos(traslado: TrasladoTotal, ctx: EvaluationContext) -> RuleResult:
    total = ctx.sums.traslado(traslado.row).importe
    return tax_totals.rounds_to_sum_of_conceptos(ctx, traslado.Importe, traslado.importe, total)
