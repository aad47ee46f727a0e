"""Transferred taxes of the document, one row for each tax: CFDI40213 to CFDI40221."""

from __future__ import annotations

from timbra.cfdi.nodes import TrasladoTotal
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Violation
from timbra.rules.engine.rule import row, rule
from timbra.rules.engine.tax_sums import EXENTO
from timbra.rules.shared.invoice import tax_totals
from timbra.rules.shared.predicates import has_decimals_of_currency, has_rate, in_catalog


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
def transferred_base_equals_sum_of_conceptos(traslado: TrasladoTotal, ctx: EvaluationContext) -> RuleResult:
    return tax_totals.equals_sum_of_conceptos(ctx, traslado.Base, traslado.base, ctx.sums.traslado(traslado.row).base)


@rule(
    "CFDI40216",
    at="Impuestos/Traslados/Traslado/@Base",
    says="Base del traslado total Exento debe ser la suma redondeada de las bases exentas de los conceptos.",
    applies=is_exempt,
)
def exempt_base_equals_sum_of_conceptos(traslado: TrasladoTotal, ctx: EvaluationContext) -> RuleResult:
    return tax_totals.equals_sum_of_conceptos(
        ctx, traslado.Base, traslado.base, ctx.sums.exempt_base(traslado.Impuesto)
    )


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
    check=tax_totals.transferred_tax_is_unique,
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
def transferred_amount_equals_sum_of_conceptos(traslado: TrasladoTotal, ctx: EvaluationContext) -> RuleResult:
    if traslado.Importe is None:
        return None
    return tax_totals.equals_sum_of_conceptos(
        ctx, traslado.Importe, traslado.importe, ctx.sums.traslado(traslado.row).importe
    )
