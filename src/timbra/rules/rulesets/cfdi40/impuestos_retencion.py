"""Each withheld tax of the document: CFDI40207, CFDI40208, CFDI40210, CFDI40211."""

from __future__ import annotations

from timbra.cfdi.nodes import RetencionTotal
from timbra.money import half_up
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Violation
from timbra.rules.engine.rule import rule
from timbra.rules.shared.conditions import decimals_of, key_of

AT = "Impuestos/Retenciones/Retencion"


@rule("CFDI40207", at=f"{AT}/@Impuesto")
def withheld_tax_is_a_key(retencion: RetencionTotal, ctx: EvaluationContext) -> RuleResult:
    return key_of(ctx, "c_Impuesto", retencion.Impuesto)


@rule("CFDI40208", at=f"{AT}/@Impuesto")
def withheld_tax_appears_once(retencion: RetencionTotal, ctx: EvaluationContext) -> RuleResult:
    if ctx.sums.is_first(retencion):
        return None
    return Violation(found=retencion.Impuesto, expected="una sola Retencion por impuesto")


@rule("CFDI40210", at=f"{AT}/@Importe")
def withheld_amount_has_the_decimals_of_its_currency(retencion: RetencionTotal, ctx: EvaluationContext) -> RuleResult:
    return decimals_of(ctx, retencion.Importe)


@rule("CFDI40211", at=f"{AT}/@Importe")
def withheld_amount_is_the_sum_of_conceptos(retencion: RetencionTotal, ctx: EvaluationContext) -> RuleResult:
    if ctx.decimals is None:
        return None
    total = ctx.sums.retencion(retencion.Impuesto)
    expected = half_up(total, ctx.decimals)
    if retencion.importe == expected:
        return None
    return Violation(found=retencion.Importe, expected=f"{expected:f}, de la suma {total:f} de los conceptos")
