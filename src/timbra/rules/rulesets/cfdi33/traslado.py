"""Traslados of a Concepto: CFDI33155, CFDI33159."""

from __future__ import annotations

from timbra.cfdi.nodes import Traslado
from timbra.rules.engine.rule import row
from timbra.rules.shared.predicates import has_rate, in_catalog

CFDI33155 = row(
    "CFDI33155",
    Traslado,
    at="Conceptos/Concepto/Impuestos/Traslados/Traslado/@Impuesto",
    says="Impuesto del traslado debe ser una clave de c_Impuesto.",
    check=in_catalog("c_Impuesto", "Impuesto"),
    inseparable=("CFDI33191",),
)


CFDI33159 = row(
    "CFDI33159",
    Traslado,
    at="Conceptos/Concepto/Impuestos/Traslados/Traslado/@TasaOCuota",
    says="TasaOCuota del traslado debe corresponder a c_TasaOCuota.",
    note="Ningún código indica qué impuestos se pueden trasladar, así que aquí se evalúa también una tasa de ISR.",
    check=has_rate("transfer", every_tax=True),
    inseparable=("CFDI33193",),
)
