"""Recepción de Pagos 1.0: payments and the documents that they pay."""

from __future__ import annotations

from collections.abc import Iterator

from lxml import etree

from timbra.cfdi.nodes.base import Node, elements, number
from timbra.cfdi.nodes.complement import ComplementNode, Places, factor
from timbra.cfdi.nodes.pago import HEAD, ONE, BasePago

NAMESPACE = "{http://www.sat.gob.mx/Pagos}"
TAG = f"{NAMESPACE}Pagos"
_DOCTO_RELACIONADO = f"{NAMESPACE}DoctoRelacionado"


class Pagos(ComplementNode):
    """The complement."""

    __slots__ = ()
    HEAD = TEMPLATE = HEAD
    TAG = TAG

    def __init__(self, places: Places) -> None:
        self.places = places


class Pago(BasePago):
    """Pago, with the documents that it pays."""

    __slots__ = ("documentos",)
    RANKS = (1,)

    documentos: tuple[DoctoRelacionado, ...]

    def __init__(self, element: etree._Element, places: tuple[int, ...]) -> None:
        super().__init__(element, places)
        self.documentos = ()


class DoctoRelacionado(ComplementNode):
    """Pago/DoctoRelacionado: a document that the payment pays; absent amounts are 0.

    Attributes:
        tipo_cambio: units of MonedaDR for one of MonedaP, 1 when TipoCambioDR is absent.
    """

    __slots__ = (
        "ImpPagado",
        "ImpSaldoAnt",
        "ImpSaldoInsoluto",
        "MetodoDePagoDR",
        "MonedaDR",
        "NumParcialidad",
        "TipoCambioDR",
        "pagado",
        "saldo_anterior",
        "saldo_insoluto",
        "tipo_cambio",
    )
    HEAD = HEAD
    TEMPLATE = f"{HEAD}/Pago[{{}}]/DoctoRelacionado[{{}}]"
    RANKS = (1, 1)

    def __init__(self, element: etree._Element, places: tuple[int, ...]) -> None:
        self.places = places
        get = element.get
        self.MonedaDR = get("MonedaDR", "")
        self.TipoCambioDR = get("TipoCambioDR")
        self.MetodoDePagoDR = get("MetodoDePagoDR", "")
        self.NumParcialidad = get("NumParcialidad")
        self.ImpSaldoAnt = get("ImpSaldoAnt")
        self.ImpPagado = get("ImpPagado")
        self.ImpSaldoInsoluto = get("ImpSaldoInsoluto")
        self.tipo_cambio = factor(self.TipoCambioDR) or ONE
        self.saldo_anterior = number(self.ImpSaldoAnt)
        self.pagado = number(self.ImpPagado)
        self.saldo_insoluto = number(self.ImpSaldoInsoluto)


class Impuestos(ComplementNode):
    """Pago/Impuestos, which the schema allows and the matrix does not; its content is not read."""

    __slots__ = ()
    HEAD = HEAD
    TEMPLATE = f"{Pago.TEMPLATE}/Impuestos[{{}}]"
    RANKS = (1, 2)

    def __init__(self, places: tuple[int, ...]) -> None:
        self.places = places


def read(element: etree._Element, head: Places) -> Iterator[Node]:
    """Yield the complement and its descendants."""
    yield Pagos(head)
    for place, child in enumerate(elements(element), 1):
        pago = Pago(child, (*head, place))
        yield pago
        yield from _below_pago(pago, child)


def _below_pago(pago: Pago, element: etree._Element) -> Iterator[Node]:
    documents: list[DoctoRelacionado] = []
    taxes = 0
    for child in elements(element):
        if child.tag == _DOCTO_RELACIONADO:
            document = DoctoRelacionado(child, (*pago.places, len(documents) + 1))
            documents.append(document)
            yield document
        else:
            taxes += 1
            yield Impuestos((*pago.places, taxes))
    pago.documentos = tuple(documents)
