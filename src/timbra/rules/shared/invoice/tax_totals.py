"""Comprobante/Impuestos: totals that must exist, rows that must be unique, amounts that are sums."""

from __future__ import annotations

from decimal import Decimal

from timbra.cfdi.nodes import ImpuestosTotales, RetencionTotal, TrasladoTotal
from timbra.core.money import half_up
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Violation


def has_withheld_total_with_container(impuestos: ImpuestosTotales, _ctx: EvaluationContext) -> RuleResult:
    """TotalImpuestosRetenidos is present with the node Retenciones."""
    if not impuestos.has_retenciones or impuestos.TotalImpuestosRetenidos is not None:
        return None
    return Violation(expected="el total, por el nodo Retenciones")


def has_withheld_total_with_row(impuestos: ImpuestosTotales, _ctx: EvaluationContext) -> RuleResult:
    """TotalImpuestosRetenidos is present with a node Retencion."""
    if not impuestos.retenciones or impuestos.TotalImpuestosRetenidos is not None:
        return None
    return Violation(expected="el total, por el nodo Retencion")


def withheld_tax_is_unique(retencion: RetencionTotal, ctx: EvaluationContext) -> RuleResult:
    """No earlier Retencion has the same Impuesto."""
    if ctx.sums.is_first(retencion):
        return None
    return Violation(found=retencion.Impuesto, expected="una sola Retencion por impuesto")


def transferred_tax_is_unique(traslado: TrasladoTotal, ctx: EvaluationContext) -> RuleResult:
    """No earlier Traslado has the same Impuesto, TipoFactor and TasaOCuota."""
    if ctx.sums.is_first(traslado):
        return None
    found = " ".join(part for part in traslado.row if part is not None)
    return Violation(found=found, expected="un solo Traslado por Impuesto, TipoFactor y TasaOCuota")


def equals_sum_of_conceptos(ctx: EvaluationContext, text: str, value: Decimal, total: Decimal) -> RuleResult:
    """Check that an amount is a sum over the Conceptos, rounded once to the decimals of the currency.

    Args:
        text: the amount as written.
        value: the amount as a number.
        total: the unrounded sum.

    Returns:
        None also when the currency is unknown.
    """
    if ctx.decimals is None:
        return None
    expected = half_up(total, ctx.decimals)
    if value == expected:
        return None
    return Violation(found=text, expected=f"{expected:f}, de la suma {total:f} de los conceptos")


def rounds_to_sum_of_conceptos(ctx: EvaluationContext, text: str | None, value: Decimal, total: Decimal) -> RuleResult:
    """As `equals_sum_of_conceptos`, with the amount rounded to the decimals of the currency too."""
    if ctx.decimals is None:
        return None
    expected = half_up(total, ctx.decimals)
    if half_up(value, ctx.decimals) == expected:
        return None
    return Violation(found=text, expected=f"{expected:f}, de la suma {total:f} de los conceptos")
