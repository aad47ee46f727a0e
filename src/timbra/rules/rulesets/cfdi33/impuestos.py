"""The sums of taxes: CFDI33179 to CFDI33184, CFDI33187, CFDI33190."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal

from timbra.cfdi.nodes import ImpuestosTotales
from timbra.cfdi.nodes.base import ZERO
from timbra.money import half_up
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Violation
from timbra.rules.engine.rule import rule
from timbra.rules.shared.conditions import decimals_of

WITHHELD, TRANSFERRED = "TotalImpuestosRetenidos", "TotalImpuestosTrasladados"


@rule("CFDI33179", at="Impuestos", types="TP")
def no_taxes_are_summed(_impuestos: ImpuestosTotales, ctx: EvaluationContext) -> RuleResult:
    """In payroll, which Anexo 20 names too, it is NOM149."""
    return Violation(found="Impuestos", expected=f"que no exista, por el tipo {ctx.comprobante.TipoDeComprobante}")


@rule("CFDI33180", at=f"Impuestos/@{WITHHELD}")
def withheld_total_has_the_decimals_of_its_currency(impuestos: ImpuestosTotales, ctx: EvaluationContext) -> RuleResult:
    text = impuestos.TotalImpuestosRetenidos
    return None if text is None else decimals_of(ctx, text)


@rule("CFDI33181", at=f"Impuestos/@{WITHHELD}")
def withheld_total_is_the_sum(impuestos: ImpuestosTotales, ctx: EvaluationContext) -> RuleResult:
    rows = (row.importe for row in impuestos.retenciones)
    return _is_sum(ctx, impuestos.TotalImpuestosRetenidos, impuestos.retenidos, rows, "las retenciones")


@rule("CFDI33182", at=f"Impuestos/@{TRANSFERRED}")
def transferred_total_has_the_decimals_of_its_currency(
    impuestos: ImpuestosTotales, ctx: EvaluationContext
) -> RuleResult:
    text = impuestos.TotalImpuestosTrasladados
    return None if text is None else decimals_of(ctx, text)


@rule("CFDI33183", at=f"Impuestos/@{TRANSFERRED}")
def transferred_total_is_the_sum(impuestos: ImpuestosTotales, ctx: EvaluationContext) -> RuleResult:
    rows = (row.importe for row in impuestos.traslados)
    return _is_sum(ctx, impuestos.TotalImpuestosTrasladados, impuestos.trasladados, rows, "los traslados")


@rule("CFDI33184", at=f"Impuestos/@{WITHHELD}", inseparable=("CFDI33187",))
def withholdings_have_a_total(impuestos: ImpuestosTotales, _ctx: EvaluationContext) -> RuleResult:
    if not impuestos.has_retenciones or impuestos.TotalImpuestosRetenidos is not None:
        return None
    return Violation(expected="el total, por el nodo Retenciones")


@rule("CFDI33187", at=f"Impuestos/@{WITHHELD}", inseparable=("CFDI33184",))
def each_withholding_has_a_total(impuestos: ImpuestosTotales, _ctx: EvaluationContext) -> RuleResult:
    if not impuestos.retenciones or impuestos.TotalImpuestosRetenidos is not None:
        return None
    return Violation(expected="el total, por el nodo Retencion")


@rule("CFDI33190", at=f"Impuestos/@{TRANSFERRED}")
def transfers_have_a_total(impuestos: ImpuestosTotales, _ctx: EvaluationContext) -> RuleResult:
    if not impuestos.has_traslados or impuestos.TotalImpuestosTrasladados is not None:
        return None
    return Violation(expected="el total, por el nodo Traslados")


def _is_sum(ctx: EvaluationContext, text: str | None, value: Decimal, rows: Iterable[Decimal], what: str) -> RuleResult:
    """Both sides at the decimals of the currency: the rows may write more (CFDI33188 and CFDI33194 are not applied)."""
    if text is None or ctx.decimals is None:
        return None
    total = sum(rows, ZERO)
    expected = half_up(total, ctx.decimals)
    if half_up(value, ctx.decimals) == expected:
        return None
    return Violation(found=text, expected=f"{expected:f}, la suma {total:f} de {what}")
