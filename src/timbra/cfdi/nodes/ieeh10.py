"""Ingresos de Hidrocarburos 1.0: income of a contract for exploration and extraction."""

from __future__ import annotations

from collections.abc import Iterator

from lxml import etree

from timbra.cfdi.nodes.base import Node, number
from timbra.cfdi.nodes.complement import ComplementNode, Places

NAMESPACE = "{http://www.sat.gob.mx/IngresosHidrocarburos10}"
TAG = f"{NAMESPACE}IngresosHidrocarburos"
HEAD = "Complemento/IngresosHidrocarburos"
_DOCUMENTO = f"{NAMESPACE}DocumentoRelacionado"


class IngresosHidrocarburos(ComplementNode):
    """The complement.

    Attributes:
        contraprestacion: ContraprestacionPagadaOperador as a number.
        porcentaje: Porcentaje as a number.
    """

    __slots__ = ("ContraprestacionPagadaOperador", "Porcentaje", "contraprestacion", "porcentaje")
    HEAD = TEMPLATE = HEAD
    TAG = TAG

    def __init__(self, element: etree._Element, places: Places) -> None:
        self.places = places
        self.ContraprestacionPagadaOperador = element.get("ContraprestacionPagadaOperador", "")
        self.Porcentaje = element.get("Porcentaje", "")
        self.contraprestacion = number(self.ContraprestacionPagadaOperador)
        self.porcentaje = number(self.Porcentaje)


class DocumentoRelacionado(ComplementNode):
    """DocumentoRelacionado: an invoice of the contract."""

    __slots__ = ("FechaFolioFiscalVinculado", "Mes")
    HEAD = HEAD
    TEMPLATE = f"{HEAD}/DocumentoRelacionado[{{}}]"
    RANKS = (1,)

    def __init__(self, element: etree._Element, places: tuple[int, ...]) -> None:
        self.places = places
        self.FechaFolioFiscalVinculado = element.get("FechaFolioFiscalVinculado", "")
        self.Mes = element.get("Mes", "")


def read(element: etree._Element, head: Places) -> Iterator[Node]:
    """Yield the complement and its related documents."""
    yield IngresosHidrocarburos(element, head)
    for place, row in enumerate(element.iterchildren(_DOCUMENTO), 1):
        yield DocumentoRelacionado(row, (*head, place))
