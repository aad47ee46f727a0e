"""Hidrocarburos y Petrolíferos 1.0: the permit under which the fuel of a Concepto is sold."""

from __future__ import annotations

from timbra.cfdi.nodes.complement import ConceptoComplementNode

TAG = "{http://www.sat.gob.mx/hidrocarburospetroliferos}HidroYPetro"
HEAD = "Conceptos/Concepto[{}]/ComplementoConcepto/HidroYPetro"


class HidroYPetro(ConceptoComplementNode):
    """The complement."""

    HEAD = TEMPLATE = HEAD
    TAG = TAG

    TipoPermiso: str
    NumeroPermiso: str
    ClaveHYP: str
    SubProductoHYP: str
