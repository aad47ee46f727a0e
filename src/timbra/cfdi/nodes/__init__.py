"""A CFDI 4.0 or 3.3 as typed read-only nodes, with the nodes of the complements that have a reader."""

from __future__ import annotations

from timbra.cfdi.nodes.base import Node
from timbra.cfdi.nodes.complement import ComplementNode
from timbra.cfdi.nodes.comprobante import CfdiRelacionados, Comprobante, Emisor, InformacionGlobal, Receptor
from timbra.cfdi.nodes.concepto import ACuentaTerceros, Concepto, InformacionAduanera, InformacionAduaneraDeParte, Parte
from timbra.cfdi.nodes.fiscal_document import FiscalDocument
from timbra.cfdi.nodes.impuestos import ImpuestosTotales, Retencion, RetencionTotal, Traslado, TrasladoTotal
from timbra.cfdi.nodes.walk import walk

__all__ = [
    "ACuentaTerceros",
    "CfdiRelacionados",
    "ComplementNode",
    "Comprobante",
    "Concepto",
    "Emisor",
    "FiscalDocument",
    "ImpuestosTotales",
    "InformacionAduanera",
    "InformacionAduaneraDeParte",
    "InformacionGlobal",
    "Node",
    "Parte",
    "Receptor",
    "Retencion",
    "RetencionTotal",
    "Traslado",
    "TrasladoTotal",
    "walk",
]
