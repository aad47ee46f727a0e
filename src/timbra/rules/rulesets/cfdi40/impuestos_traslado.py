"""Each transferred tax of the document: CFDI40213 to CFDI40221."""

from __future__ import annotations

from decimal import Decimal

from timbra.cfdi.nodes import TrasladoTotal
from timbra.money import half_up
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Violation
from timbra.rules.engine.rule import rule
from timbra.rules.engine.tax_sums import EXENTO
from timbra.rules.shared.conditions import decimals_of, key_of
from timbra.rules.shared.rates import rate_of

AT = "Impuestos/Traslados/Traslado"


def is_exempt(traslado: TrasladoTotal, _ctx: EvaluationContext) -> bool:
    return traslado.TipoFactor == EXENTO


def is_taxed(traslado: TrasladoTotal, _ctx: EvaluationContext) -> bool:
    return traslado.TipoFactor != EXENTO


@rule("CFDI40213", at=AT)
def exempt_documents_sum_only_bases(traslado: TrasladoTotal, ctx: EvaluationContext) -> RuleResult:
    """When all traslados of the Conceptos are exempt: Base, Impuesto and TipoFactor, and no total."""
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


@rule("CFDI40214", at=f"{AT}/@Base")
def transferred_base_has_the_decimals_of_its_currency(traslado: TrasladoTotal, ctx: EvaluationContext) -> RuleResult:
    return decimals_of(ctx, traslado.Base)


@rule("CFDI40215", at=f"{AT}/@Base", applies=is_taxed, applies_reads=("row",))
def transferred_base_is_the_sum_of_conceptos(traslado: TrasladoTotal, ctx: EvaluationContext) -> RuleResult:
    return _is_sum(ctx, traslado.Base, traslado.base, ctx.sums.traslado(traslado.row).base)


@rule("CFDI40216", at=f"{AT}/@Base", applies=is_exempt, applies_reads=("row",))
def exempt_base_is_the_sum_of_conceptos(traslado: TrasladoTotal, ctx: EvaluationContext) -> RuleResult:
    return _is_sum(ctx, traslado.Base, traslado.base, ctx.sums.exempt_base(traslado.Impuesto))


@rule("CFDI40217", at=f"{AT}/@Impuesto", reads=("row",))
def transferred_tax_is_a_key(traslado: TrasladoTotal, ctx: EvaluationContext) -> RuleResult:
    return key_of(ctx, "c_Impuesto", traslado.Impuesto)


@rule("CFDI40218", at=f"{AT}/@Impuesto")
def transferred_tax_appears_once(traslado: TrasladoTotal, ctx: EvaluationContext) -> RuleResult:
    if ctx.sums.is_first(traslado):
        return None
    found = " ".join(part for part in traslado.row if part is not None)
    return Violation(found=found, expected="un solo Traslado por Impuesto, TipoFactor y TasaOCuota")


@rule("CFDI40219", at=f"{AT}/@TasaOCuota", reads=("row",))
def summed_rate_is_in_its_catalog(traslado: TrasladoTotal, ctx: EvaluationContext) -> RuleResult:
    return rate_of(ctx, traslado.row, "transfer")


@rule("CFDI40220", at=f"{AT}/@Importe")
def transferred_amount_has_the_decimals_of_its_currency(traslado: TrasladoTotal, ctx: EvaluationContext) -> RuleResult:
    return None if traslado.Importe is None else decimals_of(ctx, traslado.Importe)


@rule("CFDI40221", at=f"{AT}/@Importe")
def transferred_amount_is_the_sum_of_conceptos(traslado: TrasladoTotal, ctx: EvaluationContext) -> RuleResult:
    if traslado.Importe is None:
        return None
    return _is_sum(ctx, traslado.Importe, traslado.importe, ctx.sums.traslado(traslado.row).importe)


def _is_sum(ctx: EvaluationContext, text: str, value: Decimal, total: Decimal) -> RuleResult:
    if ctx.decimals is None:
        return None
    expected = half_up(total, ctx.decimals)
    if value == expected:
        return None
    return Violation(found=text, expected=f"{expected:f}, de la suma {total:f} de los conceptos")
