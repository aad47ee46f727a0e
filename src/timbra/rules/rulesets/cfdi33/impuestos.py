"""Taxes of Conceptos and Comprobante/Impuestos: the rules that CFDI 4.0 does not repeat."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal

from timbra.cfdi.nodes import ImpuestosTotales, Retencion, RetencionTotal, Traslado, TrasladoTotal
from timbra.cfdi.nodes.base import ZERO
from timbra.core.money import half_up
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Violation
from timbra.rules.engine.rule import row, rule
from timbra.rules.shared.invoice.impuestos import rounds_to_sum_of_conceptos
from timbra.rules.shared.predicates import has_rate, in_catalog

CFDI33155 = row(
    "CFDI33155",
    Traslado,
    at="Conceptos/Concepto/Impuestos/Traslados/Traslado/@Impuesto",
    says="Impuesto del traslado debe ser una clave de c_Impuesto.",
    check=in_catalog("c_Impuesto", "Impuesto"),
    inseparable=("CFDI33191",),
)


CFDI33159 = row(
    "CFDI33159",
    Traslado,
    at="Conceptos/Concepto/Impuestos/Traslados/Traslado/@TasaOCuota",
    says="TasaOCuota del traslado debe corresponder a c_TasaOCuota.",
    note="Ningún código indica qué impuestos se pueden trasladar, así que aquí se evalúa también una tasa de ISR.",
    check=has_rate("transfer", every_tax=True),
    inseparable=("CFDI33193",),
)


CFDI33164 = row(
    "CFDI33164",
    Retencion,
    at="Conceptos/Concepto/Impuestos/Retenciones/Retencion/@Impuesto",
    says="Impuesto de la retención debe ser una clave de c_Impuesto.",
    check=in_catalog("c_Impuesto", "Impuesto"),
    inseparable=("CFDI33185",),
)


CFDI33167 = row(
    "CFDI33167",
    Retencion,
    at="Conceptos/Concepto/Impuestos/Retenciones/Retencion/@TasaOCuota",
    says="TasaOCuota de la retención debe corresponder a c_TasaOCuota.",
    check=has_rate("withholding", every_tax=True),
)


def _equals_sum(
    ctx: EvaluationContext, text: str | None, value: Decimal, rows: Iterable[Decimal], what: str
) -> RuleResult:
    """Compare at the decimals of the currency: rows may have more, because CFDI33188 and CFDI33194 are not applied."""
    if text is None or ctx.decimals is None:
        return None
    total = sum(rows, ZERO)
    expected = half_up(total, ctx.decimals)
    if half_up(value, ctx.decimals) == expected:
        return None
    return Violation(found=text, expected=f"{expected:f}, la suma {total:f} de {what}")


@rule(
    "CFDI33181",
    at="Impuestos/@TotalImpuestosRetenidos",
    says="TotalImpuestosRetenidos debe ser la suma de las retenciones.",
    note="Ambos lados se comparan con los decimales de la moneda, porque las filas pueden tener más.",
)
def withheld_total_equals_sum_of_rows(impuestos: ImpuestosTotales, ctx: EvaluationContext) -> RuleResult:
    rows = (row.importe for row in impuestos.retenciones)
    return _equals_sum(ctx, impuestos.TotalImpuestosRetenidos, impuestos.retenidos, rows, "las retenciones")


@rule(
    "CFDI33183",
    at="Impuestos/@TotalImpuestosTrasladados",
    says="TotalImpuestosTrasladados debe ser la suma de los traslados.",
    note="Ambos lados se comparan con los decimales de la moneda, porque las filas pueden tener más.",
)
def transferred_total_equals_sum_of_rows(impuestos: ImpuestosTotales, ctx: EvaluationContext) -> RuleResult:
    rows = (row.importe for row in impuestos.traslados)
    return _equals_sum(ctx, impuestos.TotalImpuestosTrasladados, impuestos.trasladados, rows, "los traslados")


@rule(
    "CFDI33190",
    at="Impuestos/@TotalImpuestosTrasladados",
    says="Con el nodo Traslados debe existir TotalImpuestosTrasladados.",
)
def traslados_have_transferred_total(impuestos: ImpuestosTotales, _ctx: EvaluationContext) -> RuleResult:
    if not impuestos.has_traslados or impuestos.TotalImpuestosTrasladados is not None:
        return None
    return Violation(expected="el total, por el nodo Traslados")


@rule(
    "CFDI33189",
    at="Impuestos/Retenciones/Retencion/@Importe",
    says="Importe de la retención total debe ser la suma de las retenciones de los conceptos.",
    note="Ambos lados se comparan con los decimales de la moneda; se aceptaron importes sin redondear.",
)
def withheld_amount_equals_sum_of_conceptos(retencion: RetencionTotal, ctx: EvaluationContext) -> RuleResult:
    total = ctx.sums.retencion(retencion.Impuesto)
    return rounds_to_sum_of_conceptos(ctx, retencion.Importe, retencion.importe, total)


CFDI33193 = row(
    "CFDI33193",
    TrasladoTotal,
    at="Impuestos/Traslados/Traslado/@TasaOCuota",
    says="TasaOCuota del traslado total debe corresponder a c_TasaOCuota.",
    check=has_rate("transfer", every_tax=True),
)


@rule(
    "CFDI33195",
    at="Impuestos/Traslados/Traslado/@Importe",
    says="Importe del traslado total debe ser la suma de los traslados de los conceptos.",
    note="Ambos lados se comparan con los decimales de la moneda; se aceptaron importes sin redondear.",
)
def transferred_amount_equals_sum_of_conceptos(traslado: TrasladoTotal, ctx: EvaluationContext) -> RuleResult:
    total = ctx.sums.traslado(traslado.row).importe
    return rounds_to_sum_of_conceptos(ctx, traslado.Importe, traslado.importe, total)
