"""Retenciones of a Concepto: CFDI33164, CFDI33167."""

from __future__ import annotations

from timbra.cfdi.nodes import Retencion
from timbra.rules.engine.rule import row
from timbra.rules.shared.predicates import has_rate, in_catalog

CFDI33164 = row(
    "CFDI33164",
    Retencion,
    at="Conceptos/Concepto/Impuestos/Retenciones/Retencion/@Impuesto",
    says="Impuesto de la retención debe ser una clave de c_Impuesto.",
    check=in_catalog("c_Impuesto", "Impuesto"),
    inseparable=("CFDI33185",),
)


CFDI33167 = row(
    "CFDI33167",
    Retencion,
    at="Conceptos/Concepto/Impuestos/Retenciones/Retencion/@TasaOCuota",
    says="TasaOCuota de la retención debe corresponder a c_TasaOCuota.",
    check=has_rate("withholding", every_tax=True),
)
