"""Retenciones of paid documents: CRP20249 to CRP20254."""

from __future__ import annotations

from timbra.cfdi.nodes.pagos20 import RetencionDR
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Violation
from timbra.rules.engine.rule import row, rule
from timbra.rules.engine.tax_sums import EXENTO
from timbra.rules.rulesets.pagos20.impuesto_dr import amount_equals_base_times_rate, has_positive_base
from timbra.rules.shared.predicates import has_rate, in_catalog

CRP20249 = row(
    "CRP20249",
    RetencionDR,
    at="Complemento/Pagos/Pago/DoctoRelacionado/ImpuestosDR/RetencionesDR/RetencionDR/@BaseDR",
    says="BaseDR de la retención debe ser mayor que cero.",
    check=has_positive_base,
)


CRP20250 = row(
    "CRP20250",
    RetencionDR,
    at="Complemento/Pagos/Pago/DoctoRelacionado/ImpuestosDR/RetencionesDR/RetencionDR/@ImpuestoDR",
    says="ImpuestoDR de la retención debe ser una clave vigente de c_Impuesto.",
    check=in_catalog("c_Impuesto", "ImpuestoDR"),
)


CRP20251 = row(
    "CRP20251",
    RetencionDR,
    at="Complemento/Pagos/Pago/DoctoRelacionado/ImpuestosDR/RetencionesDR/RetencionDR/@TipoFactorDR",
    says="TipoFactorDR de la retención debe ser una clave vigente de c_TipoFactor.",
    check=in_catalog("c_TipoFactor", "TipoFactorDR"),
)


@rule(
    "CRP20252",
    at="Complemento/Pagos/Pago/DoctoRelacionado/ImpuestosDR/RetencionesDR/RetencionDR/@TipoFactorDR",
    says="TipoFactorDR de la retención no debe ser Exento.",
)
def withheld_tax_is_not_exempt(retencion: RetencionDR, _ctx: EvaluationContext) -> RuleResult:
    return Violation(found=EXENTO, expected="Tasa o Cuota") if retencion.TipoFactorDR == EXENTO else None


CRP20253 = row(
    "CRP20253",
    RetencionDR,
    at="Complemento/Pagos/Pago/DoctoRelacionado/ImpuestosDR/RetencionesDR/RetencionDR/@TasaOCuotaDR",
    says="TasaOCuotaDR de la retención debe corresponder a c_TasaOCuota.",
    check=has_rate("withholding", every_tax=True),
)


CRP20254 = row(
    "CRP20254",
    RetencionDR,
    at="Complemento/Pagos/Pago/DoctoRelacionado/ImpuestosDR/RetencionesDR/RetencionDR/@ImporteDR",
    says="ImporteDR de la retención debe ser BaseDR por TasaOCuotaDR, dentro de sus límites.",
    check=amount_equals_base_times_rate,
)
