"""Comprobante and the nodes that occur once in it."""

from __future__ import annotations

from decimal import Decimal

from timbra.cfdi.nodes.base import Node
from timbra.cfdi.nodes.concepto import Concepto
from timbra.cfdi.nodes.fields import derived, gathered, initial, number_of
from timbra.cfdi.nodes.fiscal_document import FiscalDocument
from timbra.cfdi.nodes.impuestos import ImpuestosTotales, Retencion, Traslado
from timbra.cfdi.rfc import FOREIGN, NATIONAL

GENERIC = frozenset({NATIONAL, FOREIGN})


class Comprobante(FiscalDocument):
    """The root of a CFDI.

    Attributes:
        traslados, retenciones: taxes of all Conceptos, in document order.
    """

    NAME = "Comprobante"
    VERSIONS = ("4.0", "3.3")
    KINDS = frozenset("IETNP")
    DATE = "Fecha"
    PLACE = "LugarExpedicion"

    Serie: str | None
    Folio: str | None
    Fecha: str
    FormaPago: str | None
    CondicionesDePago: str | None
    MetodoPago: str | None
    TipoDeComprobante: str
    Exportacion: str
    LugarExpedicion: str
    Confirmacion: str | None
    Moneda: str
    TipoCambio: str | None
    SubTotal: str
    Descuento: str | None
    Total: str
    tipo_cambio: Decimal = number_of("TipoCambio")
    subtotal: Decimal = number_of("SubTotal")
    descuento: Decimal = number_of("Descuento")
    total: Decimal = number_of("Total")
    informacion_global: InformacionGlobal | None
    relacionados: tuple[CfdiRelacionados, ...]
    emisor: Emisor
    receptor: Receptor
    conceptos: tuple[Concepto, ...]
    traslados: tuple[Traslado, ...] = initial(())
    retenciones: tuple[Retencion, ...] = initial(())
    impuestos: ImpuestosTotales | None

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
        return self.conceptos[node.places[0] - 1]


class InformacionGlobal(Node):
    """InformacionGlobal: the period of an invoice to the general public."""

    TEMPLATE = "InformacionGlobal"
    RANKS = (1,)

    Periodicidad: str
    Meses: str
    Año: str


class CfdiRelacionados(Node):
    """CfdiRelacionados.

    Attributes:
        folios: UUIDs as written.
    """

    TEMPLATE = "CfdiRelacionados[{}]"
    RANKS = (2,)

    TipoRelacion: str
    folios: tuple[str, ...] = gathered("CfdiRelacionado/@UUID", tuple)

    @property
    def path(self) -> str:
        """As in `Node`, without an index in a document whose version allows one."""
        return super().path if self.index else "CfdiRelacionados"


class Emisor(Node):
    """Emisor: the issuer."""

    TEMPLATE = "Emisor"
    RANKS = (3,)

    Rfc: str
    Nombre: str
    RegimenFiscal: str
    FacAtrAdquirente: str | None


class Receptor(Node):
    """Receptor: the receiver.

    Attributes:
        is_generic: whether Rfc is the generic RFC of the general public or of foreigners.
    """

    TEMPLATE = "Receptor"
    RANKS = (4,)

    Rfc: str
    Nombre: str
    DomicilioFiscalReceptor: str
    ResidenciaFiscal: str | None
    NumRegIdTrib: str | None
    RegimenFiscalReceptor: str
    UsoCFDI: str
    is_generic: bool = derived(GENERIC.__contains__, "Rfc")
