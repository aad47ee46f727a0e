"""Recepción de Pagos 2.0: payments, the documents that they pay, and their taxes."""

from __future__ import annotations

from collections.abc import Iterator

from lxml import etree

from timbra.cfdi.nodes.base import Node, elements, number
from timbra.cfdi.nodes.complement import ComplementNode, Places, factor
from timbra.cfdi.nodes.pago import HEAD, ONE, BasePago

NAMESPACE = "{http://www.sat.gob.mx/Pagos20}"
TAG = f"{NAMESPACE}Pagos"
_TOTALES = f"{NAMESPACE}Totales"
_DOCTO_RELACIONADO = f"{NAMESPACE}DoctoRelacionado"
_RETENCION_P, _TRASLADO_P = f"{NAMESPACE}RetencionP", f"{NAMESPACE}TrasladoP"
_RETENCION_DR, _TRASLADO_DR = f"{NAMESPACE}RetencionDR", f"{NAMESPACE}TrasladoDR"

TOTALS = (
    "TotalRetencionesIVA",
    "TotalRetencionesISR",
    "TotalRetencionesIEPS",
    "TotalTrasladosBaseIVA16",
    "TotalTrasladosImpuestoIVA16",
    "TotalTrasladosBaseIVA8",
    "TotalTrasladosImpuestoIVA8",
    "TotalTrasladosBaseIVA0",
    "TotalTrasladosImpuestoIVA0",
    "TotalTrasladosBaseIVAExento",
    "MontoTotalPagos",
)
"""The attributes of Totales."""


class Pagos(ComplementNode):
    """The complement."""

    __slots__ = ("pagos", "totales")
    HEAD = TEMPLATE = HEAD
    TAG = TAG

    totales: Totales
    pagos: tuple[Pago, ...]

    def __init__(self, places: Places) -> None:
        self.places = places
        self.pagos = ()


class Totales(ComplementNode):
    """Totales.

    Attributes:
        texts: attributes of `TOTALS` that are present, as written.
    """

    __slots__ = ("texts",)
    HEAD = HEAD
    TEMPLATE = f"{HEAD}/Totales"
    RANKS = (1,)

    def __init__(self, element: etree._Element, head: Places) -> None:
        self.places = (*head, 0)
        self.texts = {name: text for name in TOTALS if (text := element.get(name)) is not None}


class Pago(BasePago):
    """Pago, with the documents that it pays and its taxes."""

    __slots__ = ("documentos", "retenciones", "traslados")
    RANKS = (2,)

    documentos: tuple[DoctoRelacionado, ...]
    retenciones: tuple[RetencionP, ...]
    traslados: tuple[TrasladoP, ...]

    def __init__(self, element: etree._Element, places: tuple[int, ...]) -> None:
        super().__init__(element, places)
        self.documentos, self.retenciones, self.traslados = (), (), ()


class DoctoRelacionado(ComplementNode):
    """Pago/DoctoRelacionado: a document that the payment pays.

    Attributes:
        equivalencia: EquivalenciaDR, units of MonedaDR for one of MonedaP; 1 when absent.
        has_impuestos: whether ImpuestosDR is present, even if empty.
    """

    __slots__ = (
        "EquivalenciaDR",
        "IdDocumento",
        "ImpPagado",
        "ImpSaldoAnt",
        "ImpSaldoInsoluto",
        "MonedaDR",
        "ObjetoImpDR",
        "equivalencia",
        "has_impuestos",
        "pagado",
        "retenciones",
        "saldo_anterior",
        "saldo_insoluto",
        "traslados",
    )
    HEAD = HEAD
    TEMPLATE = f"{HEAD}/Pago[{{}}]/DoctoRelacionado[{{}}]"
    RANKS = (2, 1)

    retenciones: tuple[RetencionDR, ...]
    traslados: tuple[TrasladoDR, ...]

    def __init__(self, element: etree._Element, places: tuple[int, ...]) -> None:
        self.places = places
        get = element.get
        self.IdDocumento = get("IdDocumento", "")
        self.MonedaDR = get("MonedaDR", "")
        self.EquivalenciaDR = get("EquivalenciaDR")
        self.ImpSaldoAnt = get("ImpSaldoAnt", "")
        self.ImpPagado = get("ImpPagado", "")
        self.ImpSaldoInsoluto = get("ImpSaldoInsoluto", "")
        self.ObjetoImpDR = get("ObjetoImpDR", "")
        self.equivalencia = factor(self.EquivalenciaDR) or ONE
        self.saldo_anterior = number(self.ImpSaldoAnt)
        self.pagado = number(self.ImpPagado)
        self.saldo_insoluto = number(self.ImpSaldoInsoluto)
        self.has_impuestos = False
        self.retenciones, self.traslados = (), ()


class ImpuestoDR(ComplementNode):
    """A tax of a paid document.

    Attributes:
        row: ImpuestoDR, TipoFactorDR and TasaOCuotaDR: taxes with an equal row are summed in the payment.
    """

    __slots__ = (
        "BaseDR",
        "ImporteDR",
        "ImpuestoDR",
        "TasaOCuotaDR",
        "TipoFactorDR",
        "base",
        "importe",
        "row",
        "tasa",
    )
    HEAD = HEAD

    def __init__(self, element: etree._Element, places: tuple[int, ...]) -> None:
        self.places = places
        get = element.get
        self.BaseDR = get("BaseDR", "")
        self.ImpuestoDR = get("ImpuestoDR", "")
        self.TipoFactorDR = get("TipoFactorDR", "")
        self.TasaOCuotaDR = get("TasaOCuotaDR")
        self.ImporteDR = get("ImporteDR")
        self.base = factor(self.BaseDR)
        self.importe = number(self.ImporteDR)
        self.tasa = factor(self.TasaOCuotaDR)
        self.row = (self.ImpuestoDR, self.TipoFactorDR, self.TasaOCuotaDR)


class RetencionDR(ImpuestoDR):
    """ImpuestosDR/RetencionesDR/RetencionDR; the schema requires TasaOCuotaDR and ImporteDR."""

    __slots__ = ()
    TEMPLATE = f"{DoctoRelacionado.TEMPLATE}/ImpuestosDR/RetencionesDR/RetencionDR[{{}}]"
    RANKS = (2, 1, 1)


class TrasladoDR(ImpuestoDR):
    """ImpuestosDR/TrasladosDR/TrasladoDR."""

    __slots__ = ()
    TEMPLATE = f"{DoctoRelacionado.TEMPLATE}/ImpuestosDR/TrasladosDR/TrasladoDR[{{}}]"
    RANKS = (2, 1, 2)


class RetencionP(ComplementNode):
    """ImpuestosP/RetencionesP/RetencionP of a payment."""

    __slots__ = ("ImporteP", "ImpuestoP", "importe")
    HEAD = HEAD
    TEMPLATE = f"{Pago.TEMPLATE}/ImpuestosP/RetencionesP/RetencionP[{{}}]"
    RANKS = (2, 2)

    def __init__(self, element: etree._Element, places: tuple[int, ...]) -> None:
        self.places = places
        self.ImpuestoP = element.get("ImpuestoP", "")
        self.ImporteP = element.get("ImporteP", "")
        self.importe = number(self.ImporteP)


class TrasladoP(ComplementNode):
    """ImpuestosP/TrasladosP/TrasladoP of a payment.

    Attributes:
        row: as in `ImpuestoDR`.
    """

    __slots__ = ("BaseP", "ImporteP", "ImpuestoP", "TasaOCuotaP", "TipoFactorP", "base", "importe", "row")
    HEAD = HEAD
    TEMPLATE = f"{Pago.TEMPLATE}/ImpuestosP/TrasladosP/TrasladoP[{{}}]"
    RANKS = (2, 3)

    def __init__(self, element: etree._Element, places: tuple[int, ...]) -> None:
        self.places = places
        get = element.get
        self.BaseP = get("BaseP", "")
        self.ImpuestoP = get("ImpuestoP", "")
        self.TipoFactorP = get("TipoFactorP", "")
        self.TasaOCuotaP = get("TasaOCuotaP")
        self.ImporteP = get("ImporteP")
        self.base = number(self.BaseP)
        self.importe = number(self.ImporteP)
        self.row = (self.ImpuestoP, self.TipoFactorP, self.TasaOCuotaP)


def read(element: etree._Element, head: Places) -> Iterator[Node]:
    """Read the complement and its descendants.

    Args:
        element: Pagos 2.0 whose structure is valid.
        head: position of the complement.

    Returns:
        The nodes, the complement first.
    """
    pagos = Pagos(head)
    nodes: list[Node] = [pagos]
    found: list[Pago] = []
    for child in elements(element):
        if child.tag == _TOTALES:
            pagos.totales = Totales(child, head)
            nodes.append(pagos.totales)
        else:
            pago = Pago(child, (*head, len(found) + 1))
            found.append(pago)
            nodes.append(pago)
            _below_pago(pago, child, nodes)
    pagos.pagos = tuple(found)
    return iter(nodes)


def _below_pago(pago: Pago, element: etree._Element, nodes: list[Node]) -> None:
    documents: list[DoctoRelacionado] = []
    for child in elements(element):
        if child.tag == _DOCTO_RELACIONADO:
            document = DoctoRelacionado(child, (*pago.places, len(documents) + 1))
            documents.append(document)
            nodes.append(document)
            _below_document(document, child, nodes)
        else:
            pago.retenciones = tuple(RetencionP(row, place) for row, place in _rows(child, _RETENCION_P, pago))
            pago.traslados = tuple(TrasladoP(row, place) for row, place in _rows(child, _TRASLADO_P, pago))
            nodes += (*pago.retenciones, *pago.traslados)
    pago.documentos = tuple(documents)


def _below_document(document: DoctoRelacionado, element: etree._Element, nodes: list[Node]) -> None:
    for taxes in elements(element):
        document.has_impuestos = True
        document.retenciones = tuple(RetencionDR(row, place) for row, place in _rows(taxes, _RETENCION_DR, document))
        document.traslados = tuple(TrasladoDR(row, place) for row, place in _rows(taxes, _TRASLADO_DR, document))
        nodes += (*document.retenciones, *document.traslados)


def _rows(taxes: etree._Element, tag: str, parent: ComplementNode) -> list[tuple[etree._Element, tuple[int, ...]]]:
    """Return the tax elements of that name, with their places."""
    rows = [row for container in taxes for row in container if row.tag == tag]
    return [(row, (*parent.places, place)) for place, row in enumerate(rows, 1)]
