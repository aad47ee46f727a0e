"""Traslados of paid documents: CRP20255 to CRP20261."""

from __future__ import annotations

from timbra.cfdi.nodes.pagos20 import TrasladoDR
from timbra.examples.codes.example import example
from timbra.examples.codes.pagos20 import IVA_ROW, at_zero, exempt, tax_rows, taxed
from timbra.examples.tree import ExampleNode
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
    fails=tax_rows({**IVA_ROW, "Base": "0", "Importe": "0.00"}, IVA_ROW),
)


CRP20256 = row(
    "CRP20256",
    TrasladoDR,
    at="Complemento/Pagos/Pago/DoctoRelacionado/ImpuestosDR/TrasladosDR/TrasladoDR/@ImpuestoDR",
    says="ImpuestoDR del traslado debe ser una clave vigente de c_Impuesto.",
    check=in_catalog("c_Impuesto", "ImpuestoDR"),
    fails=example(
        taxed,
        {
            "Complemento/Pagos/Pago/DoctoRelacionado/ImpuestosDR/TrasladosDR/TrasladoDR[2]": ExampleNode(
                "pago20:TrasladoDR",
                {
                    "BaseDR": "200.00",
                    "ImpuestoDR": "004",
                    "TipoFactorDR": "Tasa",
                    "TasaOCuotaDR": "0.160000",
                    "ImporteDR": "32.00",
                },
            )
        },
    ),
)


CRP20257 = row(
    "CRP20257",
    TrasladoDR,
    at="Complemento/Pagos/Pago/DoctoRelacionado/ImpuestosDR/TrasladosDR/TrasladoDR/@TipoFactorDR",
    says="TipoFactorDR del traslado debe ser una clave vigente de c_TipoFactor.",
    check=in_catalog("c_TipoFactor", "TipoFactorDR"),
    fails=example(
        taxed,
        {
            "Complemento/Pagos/Pago/DoctoRelacionado/ImpuestosDR/TrasladosDR/TrasladoDR[2]": ExampleNode(
                "pago20:TrasladoDR",
                {
                    "BaseDR": "200.00",
                    "ImpuestoDR": "002",
                    "TipoFactorDR": "Otro",
                    "TasaOCuotaDR": "0.160000",
                    "ImporteDR": "32.00",
                },
            )
        },
    ),
)


@rule(
    "CRP20258",
    at="Complemento/Pagos/Pago/DoctoRelacionado/ImpuestosDR/TrasladosDR/TrasladoDR/@TipoFactorDR",
    says="Con TipoFactorDR Exento, TasaOCuotaDR e ImporteDR no deben existir.",
    fails=example(
        exempt,
        {
            "Complemento/Pagos/Pago/DoctoRelacionado/ImpuestosDR/TrasladosDR/TrasladoDR/@TasaOCuotaDR": "0.000000",
            "Complemento/Pagos/Pago/DoctoRelacionado/ImpuestosDR/TrasladosDR/TrasladoDR/@ImporteDR": "0.00",
        },
    ),
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
    fails=example(
        at_zero, {"Complemento/Pagos/Pago/DoctoRelacionado/ImpuestosDR/TrasladosDR/TrasladoDR/@ImporteDR": None}
    ),
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
    fails=example(
        taxed,
        {
            "Complemento/Pagos/Pago/DoctoRelacionado/ImpuestosDR/TrasladosDR/TrasladoDR[2]": ExampleNode(
                "pago20:TrasladoDR",
                {
                    "BaseDR": "200.00",
                    "ImpuestoDR": "002",
                    "TipoFactorDR": "Tasa",
                    "TasaOCuotaDR": "0.150000",
                    "ImporteDR": "30.00",
                },
            )
        },
    ),
)


CRP20261 = row(
    "CRP20261",
    TrasladoDR,
    at="Complemento/Pagos/Pago/DoctoRelacionado/ImpuestosDR/TrasladosDR/TrasladoDR/@ImporteDR",
    says="ImporteDR del traslado debe ser BaseDR por TasaOCuotaDR, dentro de sus límites.",
    check=amount_equals_base_times_rate,
    fails=tax_rows({**IVA_ROW, "Importe": "33.00"}, IVA_ROW),
)
