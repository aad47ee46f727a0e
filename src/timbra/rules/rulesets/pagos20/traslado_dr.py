"""Traslados of paid documents: CRP20255 to CRP20261."""

from __future__ import annotations

from timbra.cfdi.nodes.pagos20 import TrasladoDR
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Violation
from timbra.rules.engine.rule import rule
from timbra.rules.engine.tax_sums import EXENTO
from timbra.rules.rulesets.pagos20 import impuesto_dr
from timbra.rules.shared.conditions import key_of
from timbra.rules.shared.rates import rate_of

AT = TrasladoDR.PATH
RATED = ("TasaOCuotaDR", "ImporteDR")


@rule("CRP20255", at=f"{AT}/@BaseDR")
def transferred_base_is_positive(traslado: TrasladoDR, _ctx: EvaluationContext) -> RuleResult:
    return impuesto_dr.base_is_positive(traslado)


@rule("CRP20256", at=f"{AT}/@ImpuestoDR", reads=("row",))
def transferred_tax_is_a_key(traslado: TrasladoDR, ctx: EvaluationContext) -> RuleResult:
    return key_of(ctx, "c_Impuesto", traslado.ImpuestoDR)


@rule("CRP20257", at=f"{AT}/@TipoFactorDR", reads=("row",))
def transferred_factor_is_a_key(traslado: TrasladoDR, ctx: EvaluationContext) -> RuleResult:
    return key_of(ctx, "c_TipoFactor", traslado.TipoFactorDR)


@rule("CRP20258", at=f"{AT}/@TipoFactorDR")
def exempt_has_neither_rate_nor_amount(traslado: TrasladoDR, _ctx: EvaluationContext) -> RuleResult:
    found = [name for name in RATED if getattr(traslado, name) is not None]
    if traslado.TipoFactorDR != EXENTO or not found:
        return None
    return Violation(found=f"Exento con {', '.join(found)}", expected="que TasaOCuotaDR e ImporteDR no existan")


@rule("CRP20259", at=f"{AT}/@TipoFactorDR")
def taxed_has_rate_and_amount(traslado: TrasladoDR, _ctx: EvaluationContext) -> RuleResult:
    missing = [name for name in RATED if getattr(traslado, name) is None]
    if traslado.TipoFactorDR not in ("Tasa", "Cuota") or not missing:
        return None
    return Violation(found=f"{traslado.TipoFactorDR} sin {' e '.join(missing)}", expected="TasaOCuotaDR e ImporteDR")


@rule("CRP20260", at=f"{AT}/@TasaOCuotaDR", reads=("row",))
def transferred_rate_is_in_its_catalog(traslado: TrasladoDR, ctx: EvaluationContext) -> RuleResult:
    return rate_of(ctx, traslado.row, "transfer", every_tax=True)


@rule("CRP20261", at=f"{AT}/@ImporteDR")
def transferred_amount_is_base_times_rate(traslado: TrasladoDR, _ctx: EvaluationContext) -> RuleResult:
    return impuesto_dr.amount_is_base_times_rate(traslado)
