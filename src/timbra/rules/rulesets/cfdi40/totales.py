"""SubTotal, Descuento and Total: CFDI40107 to CFDI40112, CFDI40119, CFDI40120."""

from __future__ import annotations

from timbra.cfdi.nodes import Comprobante
from timbra.cfdi.nodes.base import ZERO
from timbra.money import half_up
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Severity, Violation
from timbra.rules.engine.rule import rule
from timbra.rules.shared.conditions import decimals_of
from timbra.rules.shared.invoice import totals


@rule("CFDI40107", at="@SubTotal")
def subtotal_has_the_decimals_of_its_currency(comprobante: Comprobante, ctx: EvaluationContext) -> RuleResult:
    return decimals_of(ctx, comprobante.SubTotal)


@rule("CFDI40108", at="@SubTotal", types="IEN")
def subtotal_is_the_sum_of_amounts(comprobante: Comprobante, ctx: EvaluationContext) -> RuleResult:
    return totals.subtotal_is_the_sum(comprobante, ctx)


@rule("CFDI40109", at="@SubTotal", types="TP")
def subtotal_is_zero(comprobante: Comprobante, _ctx: EvaluationContext) -> RuleResult:
    return totals.subtotal_is_zero(comprobante)


@rule("CFDI40110", at="@Descuento", inseparable=("CFDI40169",))
def discount_is_at_most_the_subtotal(comprobante: Comprobante, _ctx: EvaluationContext) -> RuleResult:
    return None if comprobante.descuento <= comprobante.subtotal else totals.high_discount(comprobante)


@rule("CFDI40111", at="@Descuento")
def discount_is_the_sum_of_discounts(comprobante: Comprobante, ctx: EvaluationContext) -> RuleResult:
    return totals.discount_is_the_sum(comprobante, ctx)


@rule("CFDI40112", at="@Descuento")
def discount_has_the_decimals_of_its_currency(comprobante: Comprobante, ctx: EvaluationContext) -> RuleResult:
    return None if comprobante.Descuento is None else decimals_of(ctx, comprobante.Descuento)


@rule("CFDI40119", at="@Total")
def total_is_what_remains(comprobante: Comprobante, ctx: EvaluationContext) -> RuleResult:
    """SubTotal - Descuento + trasladados - retenidos + local traslados - local retenciones; 0 for T and P."""
    if ctx.decimals is None:
        return None
    violation = decimals_of(ctx, comprobante.Total)
    if violation is not None:
        return violation
    moves_money = comprobante.TipoDeComprobante not in ("T", "P")
    expected = half_up(totals.remainder(comprobante), ctx.decimals) if moves_money else ZERO
    if comprobante.total == expected:
        return None
    why = totals.how(comprobante) if moves_money else f"por el tipo {comprobante.TipoDeComprobante}"
    return Violation(found=comprobante.Total, expected=f"{expected:f}, {why}")


@rule("CFDI40120", at="@Total", types="IEN", severity=Severity.SUSPENDED)
def unusual_total_is_confirmed(comprobante: Comprobante, ctx: EvaluationContext) -> RuleResult:
    return totals.unusual_total_is_confirmed(comprobante, ctx)
