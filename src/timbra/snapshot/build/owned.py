"""Which facets of SAT's schemas a coded rule owns: the schema gives them up so that the rule's code is answered.

A facet is owned only if the rule refuses every value that the facet refuses; the rest stays in the schema (301).

TEXT      the rule judges the whole value: the attribute becomes text
DECIMALS  the rule judges how many decimals are written
BOUNDS    the rule judges the smallest or largest value

Source: SAT's error matrices (CFDI 4.0 of 2024-12-13 and 3.3, Pagos 2.0 revision B and 1.0).
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Flag, auto


class Owned(Flag):
    TEXT = auto()
    DECIMALS = auto()
    BOUNDS = auto()


TEXT, DECIMALS, BOUNDS = Owned.TEXT, Owned.DECIMALS, Owned.BOUNDS

Attributes = Mapping[str, Owned]

_CFDI40: Mapping[str, Attributes] = {
    "Comprobante": {
        "Fecha": TEXT,  # CFDI40101
        "NoCertificado": TEXT,  # CFDI40106
        "SubTotal": DECIMALS,  # CFDI40107
        "Descuento": DECIMALS,  # CFDI40112
        "TipoCambio": TEXT,  # CFDI40117
        "Total": DECIMALS,  # CFDI40119
    },
    "Comprobante/InformacionGlobal": {"Año": BOUNDS},  # CFDI40136
    "Comprobante/Conceptos/Concepto": {"Descuento": DECIMALS},  # CFDI40168
    "Comprobante/Conceptos/Concepto/Impuestos/Traslados/Traslado": {
        "Base": BOUNDS,  # CFDI40174
        "TasaOCuota": BOUNDS,  # CFDI40179
    },
    "Comprobante/Conceptos/Concepto/Impuestos/Retenciones/Retencion": {
        "Base": BOUNDS,  # CFDI40181
        "TasaOCuota": BOUNDS,  # CFDI40185
    },
    "Comprobante/Conceptos/Concepto/InformacionAduanera": {"NumeroPedimento": TEXT},  # CFDI40194
    "Comprobante/Conceptos/Concepto/Parte": {"ValorUnitario": BOUNDS},  # CFDI40197
    "Comprobante/Conceptos/Concepto/Parte/InformacionAduanera": {"NumeroPedimento": TEXT},  # CFDI40199
    "Comprobante/Impuestos": {
        "TotalImpuestosRetenidos": DECIMALS,  # CFDI40202
        "TotalImpuestosTrasladados": DECIMALS,  # CFDI40204
    },
    "Comprobante/Impuestos/Retenciones/Retencion": {"Importe": DECIMALS},  # CFDI40210
    "Comprobante/Impuestos/Traslados/Traslado": {
        "Base": DECIMALS,  # CFDI40214
        "TasaOCuota": BOUNDS,  # CFDI40219
        "Importe": DECIMALS,  # CFDI40220
    },
}

OWNED: Mapping[tuple[str, str], Mapping[str, Attributes]] = {
    ("http://www.sat.gob.mx/cfd/4", "4.0"): _CFDI40,
}
