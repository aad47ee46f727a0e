"""The complement where it must not stand."""

from __future__ import annotations

from collections.abc import Iterator

from lxml import etree

from timbra.cfdi.nodes.base import Node
from timbra.cfdi.nodes.complement import ConceptoComplementNode, ConceptoPlaces
from timbra.cfdi.nodes.nomina12.names import TAG

HEAD = "Conceptos/Concepto[{}]/ComplementoConcepto/Nomina"


class NominaDeConcepto(ConceptoComplementNode):
    """A Nomina inside a Concepto; what is below it is not read."""

    __slots__ = ()
    HEAD = TEMPLATE = HEAD
    TAG = TAG

    def __init__(self, places: ConceptoPlaces) -> None:
        self.places = places


def read_misplaced(_element: etree._Element, place: ConceptoPlaces) -> Iterator[Node]:
    """That it is there."""
    yield NominaDeConcepto(place)
