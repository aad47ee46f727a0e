"""Traslados of a Concepto: CFDI40174 to CFDI40180."""

from __future__ import annotations

from timbra.cfdi.nodes import Traslado
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult
from timbra.rules.engine.rule import rule
from timbra.rules.shared.conditions import key_of
from timbra.rules.shared.invoice import taxes
from timbra.rules.shared.rates import rate_of

TRASLADO = "Conceptos/Concepto/Impuestos/Traslados/Traslado"


@rule("CFDI40174", at=f"{TRASLADO}/@Base")
def transferred_base_is_positive(traslado: Traslado, _ctx: EvaluationContext) -> RuleResult:
    return taxes.base_is_positive(traslado)


@rule("CFDI40175", at=f"{TRASLADO}/@Impuesto", reads=("row",))
def tax_may_be_transferred(traslado: Traslado, ctx: EvaluationContext) -> RuleResult:
    return taxes.tax_is_usable(ctx, traslado, "traslado", "trasladar")


@rule("CFDI40176", at=f"{TRASLADO}/@TipoFactor", reads=("row",))
def transferred_factor_is_a_key(traslado: Traslado, ctx: EvaluationContext) -> RuleResult:
    return key_of(ctx, "c_TipoFactor", traslado.TipoFactor)


@rule("CFDI40177", at=f"{TRASLADO}/@TipoFactor", applies=taxes.is_exempt, applies_reads=("row",))
def exempt_has_neither_rate_nor_amount(traslado: Traslado, _ctx: EvaluationContext) -> RuleResult:
    return taxes.exempt_has_neither_rate_nor_amount(traslado)


@rule("CFDI40178", at=f"{TRASLADO}/@TipoFactor", applies=taxes.is_taxed, applies_reads=("row",))
def taxed_has_rate_and_amount(traslado: Traslado, _ctx: EvaluationContext) -> RuleResult:
    if traslado.TasaOCuota is not None and traslado.Importe is not None:
        return None
    return taxes.no_rate_or_amount(traslado)


@rule("CFDI40179", at=f"{TRASLADO}/@TasaOCuota", reads=("row",), inseparable=("CFDI40219",))
def transferred_rate_is_in_its_catalog(traslado: Traslado, ctx: EvaluationContext) -> RuleResult:
    return rate_of(ctx, traslado.row, "transfer")


@rule("CFDI40180", at=f"{TRASLADO}/@Importe", applies=taxes.has_rate, applies_reads=("row",))
def transferred_amount_is_base_times_rate(traslado: Traslado, ctx: EvaluationContext) -> RuleResult:
    return taxes.amount_is_base_times_rate(ctx, traslado)
