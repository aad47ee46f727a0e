"""Retenciones of paid documents: CRP20249 to CRP20254."""

from __future__ import annotations

from timbra.cfdi.nodes.pagos20 import RetencionDR
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Violation
from timbra.rules.engine.rule import rule
from timbra.rules.engine.tax_sums import EXENTO
from timbra.rules.rulesets.pagos20 import impuesto_dr
from timbra.rules.shared.conditions import key_of
from timbra.rules.shared.rates import rate_of

AT = RetencionDR.PATH


@rule("CRP20249", at=f"{AT}/@BaseDR")
def withheld_base_is_positive(retencion: RetencionDR, _ctx: EvaluationContext) -> RuleResult:
    return impuesto_dr.base_is_positive(retencion)


@rule("CRP20250", at=f"{AT}/@ImpuestoDR", reads=("row",))
def withheld_tax_is_a_key(retencion: RetencionDR, ctx: EvaluationContext) -> RuleResult:
    return key_of(ctx, "c_Impuesto", retencion.ImpuestoDR)


@rule("CRP20251", at=f"{AT}/@TipoFactorDR", reads=("row",))
def withheld_factor_is_a_key(retencion: RetencionDR, ctx: EvaluationContext) -> RuleResult:
    return key_of(ctx, "c_TipoFactor", retencion.TipoFactorDR)


@rule("CRP20252", at=f"{AT}/@TipoFactorDR", reads=("row",))
def nothing_exempt_is_withheld(retencion: RetencionDR, _ctx: EvaluationContext) -> RuleResult:
    return Violation(found=EXENTO, expected="Tasa o Cuota") if retencion.TipoFactorDR == EXENTO else None


@rule("CRP20253", at=f"{AT}/@TasaOCuotaDR", reads=("row",))
def withheld_rate_is_in_its_catalog(retencion: RetencionDR, ctx: EvaluationContext) -> RuleResult:
    return rate_of(ctx, retencion.row, "withholding", every_tax=True)


@rule("CRP20254", at=f"{AT}/@ImporteDR")
def withheld_amount_is_base_times_rate(retencion: RetencionDR, _ctx: EvaluationContext) -> RuleResult:
    return impuesto_dr.amount_is_base_times_rate(retencion)
