"""Traslados of a Concepto: CFDI33154 to CFDI33159, CFDI33161."""

from __future__ import annotations

from timbra.cfdi.nodes import Traslado
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult
from timbra.rules.engine.rule import rule
from timbra.rules.shared.conditions import key_of
from timbra.rules.shared.invoice import taxes
from timbra.rules.shared.rates import rate_of

TRASLADO = "Conceptos/Concepto/Impuestos/Traslados/Traslado"


@rule("CFDI33154", at=f"{TRASLADO}/@Base")
def transferred_base_is_positive(traslado: Traslado, _ctx: EvaluationContext) -> RuleResult:
    return taxes.base_is_positive(traslado)


@rule("CFDI33155", at=f"{TRASLADO}/@Impuesto", reads=("row",), inseparable=("CFDI33191",))
def transferred_tax_is_a_key(traslado: Traslado, ctx: EvaluationContext) -> RuleResult:
    return key_of(ctx, "c_Impuesto", traslado.Impuesto)


@rule("CFDI33156", at=f"{TRASLADO}/@TipoFactor", reads=("row",))
def transferred_factor_is_a_key(traslado: Traslado, ctx: EvaluationContext) -> RuleResult:
    return key_of(ctx, "c_TipoFactor", traslado.TipoFactor)


@rule("CFDI33157", at=f"{TRASLADO}/@TipoFactor", applies=taxes.is_exempt, applies_reads=("row",))
def exempt_has_neither_rate_nor_amount(traslado: Traslado, _ctx: EvaluationContext) -> RuleResult:
    return taxes.exempt_has_neither_rate_nor_amount(traslado)


@rule("CFDI33158", at=f"{TRASLADO}/@TipoFactor", applies=taxes.is_taxed, applies_reads=("row",))
def taxed_has_rate_and_amount(traslado: Traslado, _ctx: EvaluationContext) -> RuleResult:
    if traslado.TasaOCuota is not None and traslado.Importe is not None:
        return None
    return taxes.no_rate_or_amount(traslado)


@rule("CFDI33159", at=f"{TRASLADO}/@TasaOCuota", reads=("row",), inseparable=("CFDI33193",))
def transferred_rate_is_in_its_catalog(traslado: Traslado, ctx: EvaluationContext) -> RuleResult:
    """No row says which taxes may be transferred, so a rate of ISR is judged here too."""
    return rate_of(ctx, traslado.row, "transfer", every_tax=True)


@rule("CFDI33161", at=f"{TRASLADO}/@Importe", applies=taxes.has_rate, applies_reads=("row",))
def transferred_amount_is_base_times_rate(traslado: Traslado, ctx: EvaluationContext) -> RuleResult:
    return taxes.amount_is_base_times_rate(ctx, traslado)
