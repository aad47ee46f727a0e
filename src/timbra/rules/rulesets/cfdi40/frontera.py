"""The 8 % IVA of the border region. SAT's code for CFDI 4.0 is not known."""

from __future__ import annotations

from timbra.cfdi.nodes import Comprobante, Traslado
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import DataRequirement, RuleResult
from timbra.rules.engine.rule import rule
from timbra.rules.shared.invoice import border

TASA = "Conceptos/Concepto/Impuestos/Traslados/Traslado/@TasaOCuota"
OBLIGATIONS = (DataRequirement.OBLIGATIONS,)
SOURCE = "SAT, matriz de errores de CFDI 3.3 (IVA de 8 %), aplicada a CFDI 4.0"


@rule(
    "CFDI40999:IVA8-RFC",
    at=TASA,
    needs=OBLIGATIONS,
    applies=border.is_border_iva,
    applies_reads=("row",),
    source=SOURCE,
)
def issuer_is_of_the_border(traslado: Traslado, ctx: EvaluationContext) -> RuleResult:
    return border.issuer_is_registered(traslado, ctx)


@rule(
    "CFDI40999:IVA8-LugarExpedicion",
    at="@LugarExpedicion",
    needs=OBLIGATIONS,
    applies=border.transfers_border_iva,
    source=SOURCE,
)
def place_of_issue_is_of_the_border(comprobante: Comprobante, ctx: EvaluationContext) -> RuleResult:
    return border.place_is_of_its_region(comprobante, ctx)


@rule(
    "CFDI40999:IVA8-ClaveProdServ",
    at=TASA,
    columns=(("c_ClaveProdServ", "estimulo_frontera"),),
    applies=border.is_border_iva,
    applies_reads=("row",),
    source=SOURCE,
)
def product_is_of_the_border(traslado: Traslado, ctx: EvaluationContext) -> RuleResult:
    return border.product_has_the_stimulus(traslado, ctx)
