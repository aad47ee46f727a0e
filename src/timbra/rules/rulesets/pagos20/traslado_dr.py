"""Traslados of paid documents: CRP20255 to CRP20261."""

from __future__ import annotations

from timbra.cfdi.nodes.pagos20 import TrasladoDR
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Violation
from timbra.rules.engine.rule import row, rule
from timbra.rules.engine.tax_sums import EXENTO
from timbra.rules.rulesets.pagos20.impuesto_dr import amount_equals_base_times_rate, has_positive_base
from timbra.rules.shared.predicates import has_rate, in_catalog

RATED = ("TasaOCuotaDR", "ImporteDR")


CRP20255 = row(
    "CRP20255",
    TrasladoDR,
    at="Complemento/Pagos/Pago/DoctoRelacionado/ImpuestosDR/TrasladosDR/TrasladoDR/@BaseDR",
    says="BaseDR del traslado debe ser mayor que cero.",
    check=has_positive_base,
)


CRP20256 = row(
    "CRP20256",
    TrasladoDR,
    at="Complemento/Pagos/Pago/DoctoRelacionado/ImpuestosDR/TrasladosDR/TrasladoDR/@ImpuestoDR",
    says="ImpuestoDR del traslado debe ser una clave vigente de c_Impuesto.",
    check=in_catalog("c_Impuesto", "ImpuestoDR"),
)


CRP20257 = row(
    "CRP20257",
    TrasladoDR,
    at="Complemento/Pagos/Pago/DoctoRelacionado/ImpuestosDR/TrasladosDR/TrasladoDR/@TipoFactorDR",
    says="TipoFactorDR del traslado debe ser una clave vigente de c_TipoFactor.",
    check=in_catalog("c_TipoFactor", "TipoFactorDR"),
)


@rule(
    "CRP20258",
    at="Complemento/Pagos/Pago/DoctoRelacionado/ImpuestosDR/TrasladosDR/TrasladoDR/@TipoFactorDR",
    says="Con TipoFactorDR Exento, TasaOCuotaDR e ImporteDR no deben existir.",
)
def exempt_transfer_has_neither_rate_nor_amount(traslado: TrasladoDR, _ctx: EvaluationContext) -> RuleResult:
    found = [name for name in RATED if getattr(traslado, name) is not None]
    if traslado.TipoFactorDR != EXENTO or not found:
        return None
    return Violation(found=f"Exento con {', '.join(found)}", expected="que TasaOCuotaDR e ImporteDR no existan")


@rule(
    "CRP20259",
    at="Complemento/Pagos/Pago/DoctoRelacionado/ImpuestosDR/TrasladosDR/TrasladoDR/@TipoFactorDR",
    says="Con TipoFactorDR Tasa o Cuota deben existir TasaOCuotaDR e ImporteDR.",
)
def taxed_transfer_has_rate_and_amount(traslado: TrasladoDR, _ctx: EvaluationContext) -> RuleResult:
    missing = [name for name in RATED if getattr(traslado, name) is None]
    if traslado.TipoFactorDR not in ("Tasa", "Cuota") or not missing:
        return None
    return Violation(found=f"{traslado.TipoFactorDR} sin {' e '.join(missing)}", expected="TasaOCuotaDR e ImporteDR")


CRP20260 = row(
    "CRP20260",
    TrasladoDR,
    at="Complemento/Pagos/Pago/DoctoRelacionado/ImpuestosDR/TrasladosDR/TrasladoDR/@TasaOCuotaDR",
    says="TasaOCuotaDR del traslado debe corresponder a c_TasaOCuota.",
    check=has_rate("transfer", every_tax=True),
)


CRP20261 = row(
    "CRP20261",
    TrasladoDR,
    at="Complemento/Pagos/Pago/DoctoRelacionado/ImpuestosDR/TrasladosDR/TrasladoDR/@ImporteDR",
    says="ImporteDR del traslado debe ser BaseDR por TasaOCuotaDR, dentro de sus límites.",
    check=amount_equals_base_times_rate,
)
