"""Comprobante/Impuestos: CFDI40201 to CFDI40221."""

from __future__ import annotations

from timbra.cfdi.nodes import Comprobante, ImpuestosTotales, RetencionTotal, TrasladoTotal
from timbra.cfdi.nodes.base import ZERO
from timbra.rules.engine.amount_forms import ExactSum, GroupSum, implied_by
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Violation
from timbra.rules.engine.rule import row, rule
from timbra.rules.engine.tax_sums import EXENTO
from timbra.rules.rulesets.cfdi40.sources import ANEXO_20
from timbra.rules.shared.invoice.comprobante import impuestos_is_absent_in_type
from timbra.rules.shared.invoice.impuestos import (
    equals_sum_of_conceptos,
    has_withheld_total_with_container,
    has_withheld_total_with_row,
    transferred_tax_is_unique,
    withheld_tax_is_unique,
)
from timbra.rules.shared.predicates import has_decimals_of_currency, has_rate, in_catalog

TRASLADOS = "Conceptos/Concepto/Impuestos/Traslados/Traslado"
ROW = ("Impuesto", "TipoFactor", "TasaOCuota")

CFDI40201 = row(
    "CFDI40201",
    ImpuestosTotales,
    at="Impuestos",
    says="El nodo Impuestos del comprobante no debe existir en los tipos T y P.",
    check=impuestos_is_absent_in_type,
    types="TP",
)


CFDI40999_Impuestos_N = row(
    "CFDI40999:Impuestos-N",
    ImpuestosTotales,
    at="Impuestos",
    says="El nodo Impuestos del comprobante no debe existir en el tipo N.",
    check=impuestos_is_absent_in_type,
    types="N",
    cites=ANEXO_20,
)


CFDI40202 = row(
    "CFDI40202",
    ImpuestosTotales,
    at="Impuestos/@TotalImpuestosRetenidos",
    says="TotalImpuestosRetenidos no debe tener más decimales que la moneda.",
    check=has_decimals_of_currency("TotalImpuestosRetenidos"),
)


@rule(
    "CFDI40203",
    at="Impuestos/@TotalImpuestosRetenidos",
    says="TotalImpuestosRetenidos debe ser la suma de las retenciones.",
)
@implied_by(ExactSum("TotalImpuestosRetenidos", "Impuestos/Retenciones/Retencion/@Importe"))
def withheld_total_equals_sum_of_rows(impuestos: ImpuestosTotales, _ctx: EvaluationContext) -> RuleResult:
    if impuestos.TotalImpuestosRetenidos is None:
        return None
    expected = sum([row.importe for row in impuestos.retenciones], ZERO)
    if impuestos.retenidos == expected:
        return None
    return Violation(found=impuestos.TotalImpuestosRetenidos, expected=f"{expected:f}, la suma de las retenciones")


CFDI40204 = row(
    "CFDI40204",
    ImpuestosTotales,
    at="Impuestos/@TotalImpuestosTrasladados",
    says="TotalImpuestosTrasladados no debe tener más decimales que la moneda.",
    check=has_decimals_of_currency("TotalImpuestosTrasladados"),
)


@rule(
    "CFDI40205",
    at="Impuestos/@TotalImpuestosTrasladados",
    says="TotalImpuestosTrasladados debe ser la suma de los traslados.",
)
@implied_by(ExactSum("TotalImpuestosTrasladados", "Impuestos/Traslados/Traslado/@Importe"))
def transferred_total_equals_sum_of_rows(impuestos: ImpuestosTotales, _ctx: EvaluationContext) -> RuleResult:
    if impuestos.TotalImpuestosTrasladados is None:
        return None
    expected = sum([row.importe for row in impuestos.traslados], ZERO)
    if impuestos.trasladados == expected:
        return None
    return Violation(found=impuestos.TotalImpuestosTrasladados, expected=f"{expected:f}, la suma de los traslados")


CFDI40206 = row(
    "CFDI40206",
    ImpuestosTotales,
    at="Impuestos/@TotalImpuestosRetenidos",
    says="Con el nodo Retenciones debe existir TotalImpuestosRetenidos.",
    check=has_withheld_total_with_container,
    inseparable=("CFDI40209",),
)


CFDI40209 = row(
    "CFDI40209",
    ImpuestosTotales,
    at="Impuestos/@TotalImpuestosRetenidos",
    says="Con una retención total debe existir TotalImpuestosRetenidos.",
    check=has_withheld_total_with_row,
    inseparable=("CFDI40206",),
)


@rule(
    "CFDI40212",
    at="Impuestos/@TotalImpuestosTrasladados",
    says="TotalImpuestosTrasladados debe existir si algún traslado no es Exento.",
)
def taxed_conceptos_have_transferred_total(comprobante: Comprobante, ctx: EvaluationContext) -> RuleResult:
    impuestos = comprobante.impuestos
    if not ctx.sums.some_taxed or (impuestos is not None and impuestos.TotalImpuestosTrasladados is not None):
        return None
    return Violation(expected="el total, por los traslados de los conceptos que no son exentos")


CFDI40207 = row(
    "CFDI40207",
    RetencionTotal,
    at="Impuestos/Retenciones/Retencion/@Impuesto",
    says="Impuesto de la retención total debe ser una clave vigente de c_Impuesto.",
    check=in_catalog("c_Impuesto", "Impuesto"),
)


CFDI40208 = row(
    "CFDI40208",
    RetencionTotal,
    at="Impuestos/Retenciones/Retencion/@Impuesto",
    says="Debe haber una sola retención total por impuesto.",
    check=withheld_tax_is_unique,
)


CFDI40210 = row(
    "CFDI40210",
    RetencionTotal,
    at="Impuestos/Retenciones/Retencion/@Importe",
    says="Importe de la retención total no debe tener más decimales que la moneda.",
    check=has_decimals_of_currency("Importe"),
)


@rule(
    "CFDI40211",
    at="Impuestos/Retenciones/Retencion/@Importe",
    says="Importe de la retención total debe ser la suma redondeada de las retenciones de los conceptos.",
)
@implied_by(GroupSum("Importe", "Conceptos/Concepto/Impuestos/Retenciones/Retencion/@Importe", ("Impuesto",)))
def withheld_amount_equals_sum_of_conceptos(retencion: RetencionTotal, ctx: EvaluationContext) -> RuleResult:
    total = ctx.sums.retencion(retencion.Impuesto)
    return equals_sum_of_conceptos(ctx, retencion.Importe, retencion.importe, total)


def is_exempt(traslado: TrasladoTotal, _ctx: EvaluationContext) -> bool:
    """Whether the row is of exempt traslados."""
    return traslado.TipoFactor == EXENTO


def is_taxed(traslado: TrasladoTotal, _ctx: EvaluationContext) -> bool:
    """Whether the row is of traslados with a rate or quota."""
    return traslado.TipoFactor != EXENTO


@rule(
    "CFDI40213",
    at="Impuestos/Traslados/Traslado",
    says="Si todos los traslados de los conceptos son Exento, el total solo debe llevar Base, Impuesto y TipoFactor.",
    note="Tampoco debe existir TotalImpuestosTrasladados.",
)
def exempt_totals_have_only_bases(traslado: TrasladoTotal, ctx: EvaluationContext) -> RuleResult:
    if not ctx.sums.all_exempt:
        return None
    extra = [name for name in ("TasaOCuota", "Importe") if getattr(traslado, name) is not None]
    totals = ctx.comprobante.impuestos
    if totals is not None and totals.TotalImpuestosTrasladados is not None:
        extra.append("TotalImpuestosTrasladados")
    if not extra:
        return None
    return Violation(
        found=", ".join(extra), expected="solo Base, Impuesto y TipoFactor: todos los traslados son Exento"
    )


CFDI40214 = row(
    "CFDI40214",
    TrasladoTotal,
    at="Impuestos/Traslados/Traslado/@Base",
    says="Base del traslado total no debe tener más decimales que la moneda.",
    check=has_decimals_of_currency("Base"),
)


@rule(
    "CFDI40215",
    at="Impuestos/Traslados/Traslado/@Base",
    says="Base del traslado total debe ser la suma redondeada de las bases de los conceptos.",
    applies=is_taxed,
)
@implied_by(GroupSum("Base", f"{TRASLADOS}/@Base", ROW))
def transferred_base_equals_sum_of_conceptos(traslado: TrasladoTotal, ctx: EvaluationContext) -> RuleResult:
    return equals_sum_of_conceptos(ctx, traslado.Base, traslado.base, ctx.sums.traslado(traslado.row).base)


@rule(
    "CFDI40216",
    at="Impuestos/Traslados/Traslado/@Base",
    says="Base del traslado total Exento debe ser la suma redondeada de las bases exentas de los conceptos.",
    applies=is_exempt,
)
@implied_by(GroupSum("Base", f"{TRASLADOS}/@Base", ROW))
def exempt_base_equals_sum_of_conceptos(traslado: TrasladoTotal, ctx: EvaluationContext) -> RuleResult:
    return equals_sum_of_conceptos(ctx, traslado.Base, traslado.base, ctx.sums.exempt_base(traslado.Impuesto))


CFDI40217 = row(
    "CFDI40217",
    TrasladoTotal,
    at="Impuestos/Traslados/Traslado/@Impuesto",
    says="Impuesto del traslado total debe ser una clave vigente de c_Impuesto.",
    check=in_catalog("c_Impuesto", "Impuesto"),
)


CFDI40218 = row(
    "CFDI40218",
    TrasladoTotal,
    at="Impuestos/Traslados/Traslado/@Impuesto",
    says="Debe haber un solo traslado total por Impuesto, TipoFactor y TasaOCuota.",
    check=transferred_tax_is_unique,
)


CFDI40219 = row(
    "CFDI40219",
    TrasladoTotal,
    at="Impuestos/Traslados/Traslado/@TasaOCuota",
    says="TasaOCuota del traslado total debe corresponder a c_TasaOCuota.",
    check=has_rate("transfer"),
)


CFDI40220 = row(
    "CFDI40220",
    TrasladoTotal,
    at="Impuestos/Traslados/Traslado/@Importe",
    says="Importe del traslado total no debe tener más decimales que la moneda.",
    check=has_decimals_of_currency("Importe"),
)


@rule(
    "CFDI40221",
    at="Impuestos/Traslados/Traslado/@Importe",
    says="Importe del traslado total debe ser la suma redondeada de los traslados de los conceptos.",
)
@implied_by(GroupSum("Importe", f"{TRASLADOS}/@Importe", ROW))
def transferred_amount_equals_sum_of_conceptos(traslado: TrasladoTotal, ctx: EvaluationContext) -> RuleResult:
    if traslado.Importe is None:
        return None
    return equals_sum_of_conceptos(ctx, traslado.Importe, traslado.importe, ctx.sums.traslado(traslado.row).importe)
