"""Each transferred tax of the document: CFDI33191 to CFDI33193, CFDI33195."""

from __future__ import annotations

from timbra.cfdi.nodes import TrasladoTotal
from timbra.money import half_up
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Violation
from timbra.rules.engine.rule import rule
from timbra.rules.shared.conditions import key_of
from timbra.rules.shared.rates import rate_of

TRASLADO = "Impuestos/Traslados/Traslado"


@rule("CFDI33191", at=f"{TRASLADO}/@Impuesto", reads=("row",))
def summed_transferred_tax_is_a_key(traslado: TrasladoTotal, ctx: EvaluationContext) -> RuleResult:
    return key_of(ctx, "c_Impuesto", traslado.Impuesto)


@rule("CFDI33192", at=f"{TRASLADO}/@Impuesto")
def transferred_tax_appears_once(traslado: TrasladoTotal, ctx: EvaluationContext) -> RuleResult:
    if ctx.sums.is_first(traslado):
        return None
    found = " ".join(part for part in traslado.row if part is not None)
    return Violation(found=found, expected="un solo Traslado por Impuesto, TipoFactor y TasaOCuota")


@rule("CFDI33193", at=f"{TRASLADO}/@TasaOCuota", reads=("row",))
def summed_rate_is_in_its_catalog(traslado: TrasladoTotal, ctx: EvaluationContext) -> RuleResult:
    return rate_of(ctx, traslado.row, "transfer", every_tax=True)


@rule("CFDI33195", at=f"{TRASLADO}/@Importe")
def transferred_amount_is_the_sum_of_conceptos(traslado: TrasladoTotal, ctx: EvaluationContext) -> RuleResult:
    """Both sides at the decimals of the currency: an unrounded amount was accepted."""
    if ctx.decimals is None:
        return None
    total = ctx.sums.traslado(traslado.row).importe
    expected = half_up(total, ctx.decimals)
    if half_up(traslado.importe, ctx.decimals) == expected:
        return None
    return Violation(found=traslado.Importe, expected=f"{expected:f}, de la suma {total:f} de los conceptos")
