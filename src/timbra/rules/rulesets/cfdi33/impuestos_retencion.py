"""Each withheld tax of the document: CFDI33185, CFDI33186, CFDI33189."""

from __future__ import annotations

from timbra.cfdi.nodes import RetencionTotal
from timbra.money import half_up
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Violation
from timbra.rules.engine.rule import rule
from timbra.rules.shared.conditions import key_of

RETENCION = "Impuestos/Retenciones/Retencion"


@rule("CFDI33185", at=f"{RETENCION}/@Impuesto")
def summed_withheld_tax_is_a_key(retencion: RetencionTotal, ctx: EvaluationContext) -> RuleResult:
    return key_of(ctx, "c_Impuesto", retencion.Impuesto)


@rule("CFDI33186", at=f"{RETENCION}/@Impuesto")
def withheld_tax_appears_once(retencion: RetencionTotal, ctx: EvaluationContext) -> RuleResult:
    if ctx.sums.is_first(retencion):
        return None
    return Violation(found=retencion.Impuesto, expected="una sola Retencion por impuesto")


@rule("CFDI33189", at=f"{RETENCION}/@Importe")
def withheld_amount_is_the_sum_of_conceptos(retencion: RetencionTotal, ctx: EvaluationContext) -> RuleResult:
    """Both sides at the decimals of the currency: an unrounded amount was accepted."""
    if ctx.decimals is None:
        return None
    total = ctx.sums.retencion(retencion.Impuesto)
    expected = half_up(total, ctx.decimals)
    if half_up(retencion.importe, ctx.decimals) == expected:
        return None
    return Violation(found=retencion.Importe, expected=f"{expected:f}, de la suma {total:f} de los conceptos")
