"""Hidrocarburos y Petrolíferos 1.0: the permit under which the fuel of a Concepto is sold."""

from __future__ import annotations

from collections.abc import Iterator

from lxml import etree

from timbra.cfdi.nodes.base import Node
from timbra.cfdi.nodes.complement import ConceptoComplementNode, ConceptoPlaces

TAG = "{http://www.sat.gob.mx/hidrocarburospetroliferos}HidroYPetro"
HEAD = "Conceptos/Concepto[{}]/ComplementoConcepto/HidroYPetro"


class HidroYPetro(ConceptoComplementNode):
    """The complement."""

    __slots__ = ("ClaveHYP", "NumeroPermiso", "SubProductoHYP", "TipoPermiso")
    HEAD = TEMPLATE = HEAD
    TAG = TAG

    def __init__(self, element: etree._Element, places: ConceptoPlaces) -> None:
        self.places = places
        self.TipoPermiso = element.get("TipoPermiso", "")
        self.NumeroPermiso = element.get("NumeroPermiso", "")
        self.ClaveHYP = element.get("ClaveHYP", "")
        self.SubProductoHYP = element.get("SubProductoHYP", "")


def read(element: etree._Element, head: ConceptoPlaces) -> Iterator[Node]:
    """Yield the complement, which has no children."""
    yield HidroYPetro(element, head)
