"""A CFDI de retenciones e información de pagos 2.0 as typed read-only nodes, with its complements that have rules."""

from __future__ import annotations

from timbra.cfdi.nodes.retenciones20.retenciones import (
    CfdiRetenRelacionados,
    Emisor,
    Extranjero,
    ImpRetenidos,
    Nacional,
    Periodo,
    Receptor,
    Retenciones,
    Totales,
)
from timbra.cfdi.nodes.retenciones20.walk import TAG, walk

__all__ = [
    "TAG",
    "CfdiRetenRelacionados",
    "Emisor",
    "Extranjero",
    "ImpRetenidos",
    "Nacional",
    "Periodo",
    "Receptor",
    "Retenciones",
    "Totales",
    "walk",
]
