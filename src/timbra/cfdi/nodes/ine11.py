"""INE 1.1: electoral expenses, by process, committee and state."""

from __future__ import annotations

from collections.abc import Iterator

from lxml import etree

from timbra.cfdi.nodes.base import Node
from timbra.cfdi.nodes.complement import ComplementNode, Places

NAMESPACE = "{http://www.sat.gob.mx/ine}"
TAG = f"{NAMESPACE}INE"
HEAD = "Complemento/INE"
_ENTIDAD = f"{NAMESPACE}Entidad"


class INE(ComplementNode):
    """The complement."""

    __slots__ = ("IdContabilidad", "TipoComite", "TipoProceso", "entidades")
    HEAD = TEMPLATE = HEAD
    TAG = TAG

    entidades: tuple[Entidad, ...]

    def __init__(self, element: etree._Element, places: Places) -> None:
        self.places = places
        self.TipoProceso = element.get("TipoProceso", "")
        self.TipoComite = element.get("TipoComite")
        self.IdContabilidad = element.get("IdContabilidad")
        self.entidades = tuple(
            [Entidad(row, (*places, place)) for place, row in enumerate(element.iterchildren(_ENTIDAD), 1)]
        )


class Entidad(ComplementNode):
    """Entidad: a state or electoral district."""

    __slots__ = ("Ambito", "ClaveEntidad")
    HEAD = HEAD
    TEMPLATE = f"{HEAD}/Entidad[{{}}]"
    RANKS = (1,)

    def __init__(self, element: etree._Element, places: tuple[int, ...]) -> None:
        self.places = places
        self.ClaveEntidad = element.get("ClaveEntidad", "")
        self.Ambito = element.get("Ambito")


def read(element: etree._Element, head: Places) -> Iterator[Node]:
    """Yield the complement and its Entidades."""
    ine = INE(element, head)
    yield ine
    yield from ine.entidades
