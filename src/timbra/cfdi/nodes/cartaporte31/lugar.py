"""The complement where it must not stand."""

from __future__ import annotations

from collections.abc import Iterator

from lxml import etree

from timbra.cfdi.nodes.base import Node
from timbra.cfdi.nodes.cartaporte31.names import TAG
from timbra.cfdi.nodes.complement import ConceptoComplementNode, ConceptoPlaces

HEAD = "Conceptos/Concepto[{}]/ComplementoConcepto/CartaPorte"


class CartaPorteDeConcepto(ConceptoComplementNode):
    """A CartaPorte inside a Concepto; nothing of it is read."""

    __slots__ = ()
    HEAD = TEMPLATE = HEAD
    TAG = TAG

    def __init__(self, places: ConceptoPlaces) -> None:
        self.places = places


def read_misplaced(_element: etree._Element, place: ConceptoPlaces) -> Iterator[Node]:
    """That it is there."""
    yield CartaPorteDeConcepto(place)
