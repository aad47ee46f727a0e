"""The 8 % IVA of the border region. Products and postal codes are those of CFDI 4.0: what they disprove warns."""

from __future__ import annotations

from timbra.cfdi.nodes import Comprobante, Traslado
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import DataRequirement, RuleResult, Severity
from timbra.rules.engine.rule import rule
from timbra.rules.shared.invoice import border

TASA = "Conceptos/Concepto/Impuestos/Traslados/Traslado/@TasaOCuota"
OBLIGATIONS = (DataRequirement.OBLIGATIONS,)


@rule(
    "CFDI33196:IVA8-RFC",
    at=TASA,
    needs=OBLIGATIONS,
    applies=border.is_border_iva,
    applies_reads=("row",),
)
def issuer_is_of_the_border(traslado: Traslado, ctx: EvaluationContext) -> RuleResult:
    return border.issuer_is_registered(traslado, ctx)


@rule(
    "CFDI33196:IVA8-LugarExpedicion",
    at="@LugarExpedicion",
    needs=OBLIGATIONS,
    applies=border.transfers_border_iva,
    severity=Severity.WARNING,
)
def place_of_issue_is_of_the_border(comprobante: Comprobante, ctx: EvaluationContext) -> RuleResult:
    return border.place_is_of_its_region(comprobante, ctx)


@rule(
    "CFDI33196:IVA8-ClaveProdServ",
    at=TASA,
    columns=(("c_ClaveProdServ", "estimulo_frontera"),),
    applies=border.is_border_iva,
    applies_reads=("row",),
    severity=Severity.WARNING,
)
def product_is_of_the_border(traslado: Traslado, ctx: EvaluationContext) -> RuleResult:
    return border.product_has_the_stimulus(traslado, ctx)
