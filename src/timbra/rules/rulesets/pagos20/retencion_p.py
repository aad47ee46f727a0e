"""Retenciones of a payment: CRP20262 to CRP20265."""

from __future__ import annotations

from timbra.cfdi.nodes.pagos20 import RetencionP
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Violation
from timbra.rules.engine.rule import rule
from timbra.rules.rulesets.pagos20.impuesto_p import any_total, is_sum
from timbra.rules.rulesets.pagos20.sums import WITHHELD, Payments
from timbra.rules.shared.conditions import key_of

AT = RetencionP.PATH


@rule("CRP20262", at=f"{AT}/@ImpuestoP")
def withheld_tax_is_a_key(retencion: RetencionP, ctx: EvaluationContext) -> RuleResult:
    return key_of(ctx, "c_Impuesto", retencion.ImpuestoP)


@rule("CRP20263", at=f"{AT}/@ImpuestoP")
def withheld_tax_appears_once(retencion: RetencionP, ctx: EvaluationContext) -> RuleResult:
    if ctx.memoize(Payments).sums(retencion).is_first(retencion):
        return None
    return Violation(found=retencion.ImpuestoP, expected="una sola RetencionP por ImpuestoP en el pago")


@rule("CRP20264", at=f"{AT}/@ImporteP", inseparable=("CRP20201",))
def withheld_amount_has_a_total(retencion: RetencionP, ctx: EvaluationContext) -> RuleResult:
    """With ISR or IEPS in place of IVA, CRP20202 or CRP20203 breaks in place of CRP20201."""
    return any_total(retencion, ctx, WITHHELD.values())


@rule("CRP20265", at=f"{AT}/@ImporteP")
def withheld_amount_is_the_sum_of_documents(retencion: RetencionP, ctx: EvaluationContext) -> RuleResult:
    total = ctx.memoize(Payments).sums(retencion).retencion(retencion.ImpuestoP)
    return is_sum(retencion.ImporteP, retencion.importe, total)
