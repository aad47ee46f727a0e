"""Transferred taxes of the document, one row for each tax: CFDI33193, CFDI33195."""

from __future__ import annotations

from timbra.cfdi.nodes import TrasladoTotal
from timbra.examples.cfdi33 import ingreso33
from timbra.examples.codes.cfdi33 import unrounded
from timbra.examples.codes.example import Example
from timbra.examples.tree import ExampleNode
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
    fails={
        "Impuestos/Traslados/Traslado[2]": ExampleNode(
            "cfdi:Traslado", {"Impuesto": "002", "TipoFactor": "Tasa", "Importe": "0.00", "TasaOCuota": "0.150000"}
        )
    },
)


@rule(
    "CFDI33195",
    at="Impuestos/Traslados/Traslado/@Importe",
    says="Importe del traslado total debe ser la suma de los traslados de los conceptos.",
    note="Ambos lados se comparan con los decimales de la moneda; se aceptaron importes sin redondear.",
    fails=Example(
        unrounded,
        lambda: ingreso33(
            {
                "Impuestos/Traslados/Traslado/@Importe": "33.00",
                "Impuestos/@TotalImpuestosTrasladados": "33.00",
                "@Total": "233.00",
            }
        ),
    ),
)
def transferred_amount_equals_sum_of_conceptos(traslado: TrasladoTotal, ctx: EvaluationContext) -> RuleResult:
    total = ctx.sums.traslado(traslado.row).importe
    return tax_totals.rounds_to_sum_of_conceptos(ctx, traslado.Importe, traslado.importe, total)
