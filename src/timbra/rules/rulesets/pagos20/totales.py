"""The sums of all payments in pesos: CRP20201 to CRP20211."""

from __future__ import annotations

from timbra.cfdi.nodes.base import number
from timbra.cfdi.nodes.pagos20 import Totales
from timbra.money import half_up, written_decimals
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Violation
from timbra.rules.engine.rule import rule
from timbra.rules.rulesets.pagos20.sums import Payments

AT = "Complemento/Pagos/Totales"
PESO_DECIMALS = 2


def _is_sum(totales: Totales, ctx: EvaluationContext, name: str) -> RuleResult:
    """It is there exactly when there is something to sum; rounded once, at the decimals that it writes, at most 2."""
    text = totales.texts.get(name)
    total = ctx.memoize(Payments).totals(totales).get(name)
    if total is None:
        return None if text is None else Violation(found=text, expected="que no exista: ningún pago tiene ese impuesto")
    decimals = PESO_DECIMALS if text is None else min(written_decimals(text), PESO_DECIMALS)
    expected = half_up(total, decimals)
    if text is not None and number(text) == expected:
        return None
    return Violation(found=text, expected=f"{expected:f}, de la suma {total.normalize():f} de los pagos en pesos")


@rule("CRP20201", at=f"{AT}/@TotalRetencionesIVA")
def withheld_iva_is_summed(totales: Totales, ctx: EvaluationContext) -> RuleResult:
    return _is_sum(totales, ctx, "TotalRetencionesIVA")


@rule("CRP20202", at=f"{AT}/@TotalRetencionesISR")
def withheld_isr_is_summed(totales: Totales, ctx: EvaluationContext) -> RuleResult:
    return _is_sum(totales, ctx, "TotalRetencionesISR")


@rule("CRP20203", at=f"{AT}/@TotalRetencionesIEPS")
def withheld_ieps_is_summed(totales: Totales, ctx: EvaluationContext) -> RuleResult:
    return _is_sum(totales, ctx, "TotalRetencionesIEPS")


@rule("CRP20204", at=f"{AT}/@TotalTrasladosBaseIVA16")
def bases_at_16_are_summed(totales: Totales, ctx: EvaluationContext) -> RuleResult:
    return _is_sum(totales, ctx, "TotalTrasladosBaseIVA16")


@rule("CRP20205", at=f"{AT}/@TotalTrasladosImpuestoIVA16")
def iva_at_16_is_summed(totales: Totales, ctx: EvaluationContext) -> RuleResult:
    return _is_sum(totales, ctx, "TotalTrasladosImpuestoIVA16")


@rule("CRP20206", at=f"{AT}/@TotalTrasladosBaseIVA8")
def bases_at_8_are_summed(totales: Totales, ctx: EvaluationContext) -> RuleResult:
    return _is_sum(totales, ctx, "TotalTrasladosBaseIVA8")


@rule("CRP20207", at=f"{AT}/@TotalTrasladosImpuestoIVA8")
def iva_at_8_is_summed(totales: Totales, ctx: EvaluationContext) -> RuleResult:
    return _is_sum(totales, ctx, "TotalTrasladosImpuestoIVA8")


@rule("CRP20208", at=f"{AT}/@TotalTrasladosBaseIVA0")
def bases_at_0_are_summed(totales: Totales, ctx: EvaluationContext) -> RuleResult:
    return _is_sum(totales, ctx, "TotalTrasladosBaseIVA0")


@rule("CRP20209", at=f"{AT}/@TotalTrasladosImpuestoIVA0")
def iva_at_0_is_summed(totales: Totales, ctx: EvaluationContext) -> RuleResult:
    return _is_sum(totales, ctx, "TotalTrasladosImpuestoIVA0")


@rule("CRP20210", at=f"{AT}/@TotalTrasladosBaseIVAExento")
def exempt_bases_are_summed(totales: Totales, ctx: EvaluationContext) -> RuleResult:
    return _is_sum(totales, ctx, "TotalTrasladosBaseIVAExento")


@rule("CRP20211", at=f"{AT}/@MontoTotalPagos")
def payments_are_summed(totales: Totales, ctx: EvaluationContext) -> RuleResult:
    return _is_sum(totales, ctx, "MontoTotalPagos")
