"""The sums of taxes: CFDI40201 to CFDI40206, CFDI40209, CFDI40212."""

from __future__ import annotations

from timbra.cfdi.nodes import Comprobante, ImpuestosTotales
from timbra.cfdi.nodes.base import ZERO
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Violation
from timbra.rules.engine.rule import rule
from timbra.rules.shared.conditions import decimals_of

WITHHELD, TRANSFERRED = "TotalImpuestosRetenidos", "TotalImpuestosTrasladados"


@rule("CFDI40201", at="Impuestos", types="TP")
def no_taxes_are_summed(impuestos: ImpuestosTotales, ctx: EvaluationContext) -> RuleResult:
    return _no_taxes(impuestos, ctx)


@rule("CFDI40999:Impuestos-N", at="Impuestos", types="N")
def payroll_sums_no_taxes(impuestos: ImpuestosTotales, ctx: EvaluationContext) -> RuleResult:
    return _no_taxes(impuestos, ctx)


def _no_taxes(_impuestos: ImpuestosTotales, ctx: EvaluationContext) -> RuleResult:
    return Violation(found="Impuestos", expected=f"que no exista, por el tipo {ctx.comprobante.TipoDeComprobante}")


@rule("CFDI40202", at=f"Impuestos/@{WITHHELD}")
def withheld_total_has_the_decimals_of_its_currency(impuestos: ImpuestosTotales, ctx: EvaluationContext) -> RuleResult:
    text = impuestos.TotalImpuestosRetenidos
    return None if text is None else decimals_of(ctx, text)


@rule("CFDI40203", at=f"Impuestos/@{WITHHELD}")
def withheld_total_is_the_sum(impuestos: ImpuestosTotales, _ctx: EvaluationContext) -> RuleResult:
    if impuestos.TotalImpuestosRetenidos is None:
        return None
    expected = sum([row.importe for row in impuestos.retenciones], ZERO)
    if impuestos.retenidos == expected:
        return None
    return Violation(found=impuestos.TotalImpuestosRetenidos, expected=f"{expected:f}, la suma de las retenciones")


@rule("CFDI40204", at=f"Impuestos/@{TRANSFERRED}")
def transferred_total_has_the_decimals_of_its_currency(
    impuestos: ImpuestosTotales, ctx: EvaluationContext
) -> RuleResult:
    text = impuestos.TotalImpuestosTrasladados
    return None if text is None else decimals_of(ctx, text)


@rule("CFDI40205", at=f"Impuestos/@{TRANSFERRED}")
def transferred_total_is_the_sum(impuestos: ImpuestosTotales, _ctx: EvaluationContext) -> RuleResult:
    if impuestos.TotalImpuestosTrasladados is None:
        return None
    expected = sum([row.importe for row in impuestos.traslados], ZERO)
    if impuestos.trasladados == expected:
        return None
    return Violation(found=impuestos.TotalImpuestosTrasladados, expected=f"{expected:f}, la suma de los traslados")


@rule("CFDI40206", at=f"Impuestos/@{WITHHELD}", inseparable=("CFDI40209",))
def withholdings_have_a_total(impuestos: ImpuestosTotales, _ctx: EvaluationContext) -> RuleResult:
    if not impuestos.has_retenciones or impuestos.TotalImpuestosRetenidos is not None:
        return None
    return Violation(expected="el total, por el nodo Retenciones")


@rule("CFDI40209", at=f"Impuestos/@{WITHHELD}", inseparable=("CFDI40206",))
def each_withholding_has_a_total(impuestos: ImpuestosTotales, _ctx: EvaluationContext) -> RuleResult:
    if not impuestos.retenciones or impuestos.TotalImpuestosRetenidos is not None:
        return None
    return Violation(expected="el total, por el nodo Retencion")


@rule("CFDI40212", at=f"Impuestos/@{TRANSFERRED}")
def transfers_have_a_total(comprobante: Comprobante, ctx: EvaluationContext) -> RuleResult:
    impuestos = comprobante.impuestos
    if not ctx.sums.some_taxed or (impuestos is not None and impuestos.TotalImpuestosTrasladados is not None):
        return None
    return Violation(expected="el total, por los traslados de los conceptos que no son exentos")
