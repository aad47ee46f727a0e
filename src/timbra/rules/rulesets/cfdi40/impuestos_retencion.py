"""Withheld taxes of the document, one row for each tax: CFDI40207, CFDI40208, CFDI40210, CFDI40211."""

from __future__ import annotations

from timbra.cfdi.nodes import RetencionTotal
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult
from timbra.rules.engine.rule import row, rule
from timbra.rules.shared.invoice import tax_totals
from timbra.rules.shared.predicates import has_decimals_of_currency, in_catalog

CFDI40207 = row(
    "CFDI40207",
    RetencionTotal,
    at="Impuestos/Retenciones/Retencion/@Impuesto",
    says="Impuesto de la retención total debe ser una clave vigente de c_Impuesto.",
    check=in_catalog("c_Impuesto", "Impuesto"),
)


CFDI40208 = row(
    "CFDI40208",
    RetencionTotal,
    at="Impuestos/Retenciones/Retencion/@Impuesto",
    says="Debe haber una sola retención total por impuesto.",
    check=tax_totals.withheld_tax_is_unique,
)


CFDI40210 = row(
    "CFDI40210",
    RetencionTotal,
    at="Impuestos/Retenciones/Retencion/@Importe",
    says="Importe de la retención total no debe tener más decimales que la moneda.",
    check=has_decimals_of_currency("Importe"),
)


@rule(
    "CFDI40211",
    at="Impuestos/Retenciones/Retencion/@Importe",
    says="Importe de la retención total debe ser la suma redondeada de las retenciones de los conceptos.",
)
def withheld_amount_equals_sum_of_conceptos(retencion: RetencionTotal, ctx: EvaluationContext) -> RuleResult:
    total = ctx.sums.retencion(retencion.Impuesto)
    return tax_totals.equals_sum_of_conceptos(ctx, retencion.Importe, retencion.importe, total)
