"""Withheld taxes of the document, one row for each tax: CFDI33185, CFDI33186, CFDI33189."""

from __future__ import annotations

from timbra.cfdi.nodes import RetencionTotal
from timbra.examples.codes.cfdi33 import with_isr_withheld
from timbra.examples.codes.example import example
from timbra.examples.tree import ExampleNode
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult
from timbra.rules.engine.rule import row, rule
from timbra.rules.rulesets.cfdi33.sources import MATRIX_2022_01
from timbra.rules.shared.invoice import tax_totals
from timbra.rules.shared.predicates import in_catalog

CFDI33185 = row(
    "CFDI33185",
    RetencionTotal,
    at="Impuestos/Retenciones/Retencion/@Impuesto",
    says="Impuesto de la retención total debe ser una clave vigente de c_Impuesto.",
    check=in_catalog("c_Impuesto", "Impuesto"),
    cites=MATRIX_2022_01,
    fails=example(
        with_isr_withheld,
        {"Impuestos/Retenciones/Retencion[2]": ExampleNode("cfdi:Retencion", {"Impuesto": "004", "Importe": "0.00"})},
    ),
)


CFDI33186 = row(
    "CFDI33186",
    RetencionTotal,
    at="Impuestos/Retenciones/Retencion/@Impuesto",
    says="Debe haber una sola retención total por impuesto.",
    check=tax_totals.withheld_tax_is_unique,
    cites=MATRIX_2022_01,
    fails=example(
        with_isr_withheld,
        {
            "Impuestos/Retenciones/Retencion[2]": ExampleNode(
                "cfdi:Retencion", {"Impuesto": "001", "Importe": "20.00"}
            ),
            "Impuestos/@TotalImpuestosRetenidos": "40.00",
            "@Total": "192.00",
        },
    ),
)


@rule(
    "CFDI33189",
    at="Impuestos/Retenciones/Retencion/@Importe",
    says="Importe de la retención total debe ser la suma de las retenciones de los conceptos.",
    note="Ambos lados se comparan con los decimales de la moneda; se aceptaron importes sin redondear.",
    cites=MATRIX_2022_01,
    fails=example(
        with_isr_withheld,
        {
            "Impuestos/Retenciones/Retencion/@Importe": "21.00",
            "Impuestos/@TotalImpuestosRetenidos": "21.00",
            "@Total": "211.00",
        },
        passes={"Impuestos/Retenciones/Retencion/@Importe": "20.004"},
    ),
)
def withheld_amount_equals_sum_of_conceptos(retencion: RetencionTotal, ctx: EvaluationContext) -> RuleResult:
    total = ctx.sums.retencion(retencion.Impuesto)
    return tax_totals.rounds_to_sum_of_conceptos(ctx, retencion.Importe, retencion.importe, total)
