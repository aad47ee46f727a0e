"""Retenciones of a Concepto: CFDI33163 to CFDI33167, CFDI33169."""

from __future__ import annotations

from timbra.cfdi.nodes import Retencion
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult
from timbra.rules.engine.rule import rule
from timbra.rules.shared.conditions import key_of
from timbra.rules.shared.invoice import taxes
from timbra.rules.shared.rates import rate_of

RETENCION = "Conceptos/Concepto/Impuestos/Retenciones/Retencion"


@rule("CFDI33163", at=f"{RETENCION}/@Base")
def withheld_base_is_positive(retencion: Retencion, _ctx: EvaluationContext) -> RuleResult:
    return taxes.base_is_positive(retencion)


@rule("CFDI33164", at=f"{RETENCION}/@Impuesto", reads=("row",), inseparable=("CFDI33185",))
def withheld_tax_is_a_key(retencion: Retencion, ctx: EvaluationContext) -> RuleResult:
    return key_of(ctx, "c_Impuesto", retencion.Impuesto)


@rule("CFDI33165", at=f"{RETENCION}/@TipoFactor", reads=("row",))
def withheld_factor_is_a_key(retencion: Retencion, ctx: EvaluationContext) -> RuleResult:
    return key_of(ctx, "c_TipoFactor", retencion.TipoFactor)


@rule("CFDI33166", at=f"{RETENCION}/@TipoFactor", reads=("row",))
def exempt_is_not_withheld(retencion: Retencion, _ctx: EvaluationContext) -> RuleResult:
    return taxes.exempt_is_not_withheld(retencion)


@rule("CFDI33167", at=f"{RETENCION}/@TasaOCuota", reads=("row",))
def withheld_rate_is_in_its_catalog(retencion: Retencion, ctx: EvaluationContext) -> RuleResult:
    return rate_of(ctx, retencion.row, "withholding", every_tax=True)


@rule("CFDI33169", at=f"{RETENCION}/@Importe")
def withheld_amount_is_base_times_rate(retencion: Retencion, ctx: EvaluationContext) -> RuleResult:
    return taxes.amount_is_base_times_rate(ctx, retencion)
