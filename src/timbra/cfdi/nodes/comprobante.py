"""Comprobante and the nodes that occur once in it."""

from __future__ import annotations

from decimal import Decimal

from lxml import etree

from timbra.cfdi.nodes.base import Node, elements, number
from timbra.cfdi.nodes.concepto import Concepto
from timbra.cfdi.nodes.fiscal_document import FiscalDocument
from timbra.cfdi.nodes.impuestos import ImpuestosTotales, Retencion, Traslado
from timbra.cfdi.rfc import FOREIGN, NATIONAL


class Comprobante(FiscalDocument):
    """The root of a CFDI.

    Attributes:
        traslados, retenciones: taxes of all Conceptos, in document order.
    """

    __slots__ = (
        "CondicionesDePago",
        "Confirmacion",
        "Descuento",
        "Exportacion",
        "Fecha",
        "Folio",
        "FormaPago",
        "LugarExpedicion",
        "MetodoPago",
        "Moneda",
        "Serie",
        "SubTotal",
        "TipoCambio",
        "TipoDeComprobante",
        "Total",
        "conceptos",
        "descuento",
        "emisor",
        "impuestos",
        "informacion_global",
        "receptor",
        "relacionados",
        "retenciones",
        "subtotal",
        "tipo_cambio",
        "total",
        "traslados",
    )

    NAME = "Comprobante"
    VERSIONS = ("4.0", "3.3")
    KINDS = frozenset("IETNP")
    DATE = "Fecha"
    PLACE = "LugarExpedicion"

    informacion_global: InformacionGlobal | None
    relacionados: tuple[CfdiRelacionados, ...]
    emisor: Emisor
    receptor: Receptor
    conceptos: tuple[Concepto, ...]
    traslados: tuple[Traslado, ...]
    retenciones: tuple[Retencion, ...]
    impuestos: ImpuestosTotales | None
    subtotal: Decimal
    descuento: Decimal
    total: Decimal
    tipo_cambio: Decimal

    def __init__(self, element: etree._Element) -> None:
        self.element = element
        self.places = ()
        get = element.get
        self.Version = get("Version", "")
        self.Serie = get("Serie")
        self.Folio = get("Folio")
        self.Fecha = get("Fecha", "")
        self.Sello = get("Sello", "")
        self.NoCertificado = get("NoCertificado", "")
        self.Certificado = get("Certificado", "")
        self.FormaPago = get("FormaPago")
        self.CondicionesDePago = get("CondicionesDePago")
        self.MetodoPago = get("MetodoPago")
        self.TipoDeComprobante = get("TipoDeComprobante", "")
        self.Exportacion = get("Exportacion", "")
        self.LugarExpedicion = get("LugarExpedicion", "")
        self.Confirmacion = get("Confirmacion")
        self._read_money()

    def _read_money(self) -> None:
        get = self.element.get
        self.Moneda = get("Moneda", "")
        self.TipoCambio = get("TipoCambio")
        self.SubTotal = get("SubTotal", "")
        self.Descuento = get("Descuento")
        self.Total = get("Total", "")
        self.tipo_cambio = number(self.TipoCambio)
        self.subtotal = number(self.SubTotal)
        self.descuento = number(self.Descuento)
        self.total = number(self.Total)

    @property
    def kind(self) -> str:
        """TipoDeComprobante."""
        return self.TipoDeComprobante

    @property
    def issued_at(self) -> str:
        """Fecha."""
        return self.Fecha

    @property
    def postal_code(self) -> str:
        """LugarExpedicion."""
        return self.LugarExpedicion

    @property
    def issuer_rfc(self) -> str:
        """Emisor/@Rfc."""
        return self.emisor.Rfc

    def concepto_of(self, node: Node) -> Concepto:
        """Return the Concepto that contains a node."""
        return self.conceptos[node.places[0] - 1]


class InformacionGlobal(Node):
    """InformacionGlobal: the period of an invoice to the general public."""

    __slots__ = ("Año", "Meses", "Periodicidad")
    TEMPLATE = "InformacionGlobal"
    RANKS = (1,)

    def __init__(self, element: etree._Element) -> None:
        self.places = (0,)
        self.Periodicidad = element.get("Periodicidad", "")
        self.Meses = element.get("Meses", "")
        self.Año = element.get("Año", "")


class CfdiRelacionados(Node):
    """CfdiRelacionados.

    Attributes:
        folios: UUIDs as written.
    """

    __slots__ = ("TipoRelacion", "folios")
    TEMPLATE = "CfdiRelacionados[{}]"
    RANKS = (2,)

    def __init__(self, element: etree._Element, index: int) -> None:
        self.places = (index,)
        self.TipoRelacion = element.get("TipoRelacion", "")
        self.folios = tuple(child.get("UUID", "") for child in elements(element))


class Emisor(Node):
    """Emisor: the issuer."""

    __slots__ = ("FacAtrAdquirente", "Nombre", "RegimenFiscal", "Rfc")
    TEMPLATE = "Emisor"
    RANKS = (3,)

    def __init__(self, element: etree._Element) -> None:
        self.places = (0,)
        self.Rfc = element.get("Rfc", "")
        self.Nombre = element.get("Nombre", "")
        self.RegimenFiscal = element.get("RegimenFiscal", "")
        self.FacAtrAdquirente = element.get("FacAtrAdquirente")


class Receptor(Node):
    """Receptor: the receiver.

    Attributes:
        is_generic: whether Rfc is the generic RFC of the general public or of foreigners.
    """

    __slots__ = (
        "DomicilioFiscalReceptor",
        "Nombre",
        "NumRegIdTrib",
        "RegimenFiscalReceptor",
        "ResidenciaFiscal",
        "Rfc",
        "UsoCFDI",
        "is_generic",
    )
    TEMPLATE = "Receptor"
    RANKS = (4,)

    def __init__(self, element: etree._Element) -> None:
        self.places = (0,)
        self.Rfc = element.get("Rfc", "")
        self.Nombre = element.get("Nombre", "")
        self.DomicilioFiscalReceptor = element.get("DomicilioFiscalReceptor", "")
        self.ResidenciaFiscal = element.get("ResidenciaFiscal")
        self.NumRegIdTrib = element.get("NumRegIdTrib")
        self.RegimenFiscalReceptor = element.get("RegimenFiscalReceptor", "")
        self.UsoCFDI = element.get("UsoCFDI", "")
        self.is_generic = self.Rfc in (NATIONAL, FOREIGN)
