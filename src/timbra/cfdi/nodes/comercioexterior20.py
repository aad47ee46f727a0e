"""Comercio Exterior 2.0: exporter, receiver, recipients, and the goods with their customs values."""

from __future__ import annotations

from decimal import Decimal

from timbra.cfdi.nodes.complement import ComplementNode, MisplacedComplement
from timbra.cfdi.nodes.domicilio import Domicilio
from timbra.cfdi.nodes.fields import attribute, initial, number_of

NAMESPACE = "{http://www.sat.gob.mx/ComercioExterior20}"
TAG = f"{NAMESPACE}ComercioExterior"
HEAD = "Complemento/ComercioExterior"


class ComercioExterior(ComplementNode):
    """The complement.

    Attributes:
        tipo_cambio: TipoCambioUSD, pesos per dollar.
        total: TotalUSD.
    """

    HEAD = TEMPLATE = HEAD
    TAG = TAG

    MotivoTraslado: str | None
    ClaveDePedimento: str
    CertificadoOrigen: str = attribute(default="", convert=str.strip)
    NumCertificadoOrigen: str | None
    NumeroExportadorConfiable: str | None
    Incoterm: str | None
    TipoCambioUSD: str
    TotalUSD: str
    tipo_cambio: Decimal = number_of("TipoCambioUSD")
    total: Decimal = number_of("TotalUSD")
    emisor: EmisorExterior | None
    receptor: ReceptorExterior | None
    propietarios: tuple[Propietario, ...]
    destinatarios: tuple[Destinatario, ...]
    mercancias: tuple[Mercancia, ...]


class EmisorExterior(ComplementNode):
    """Emisor: the exporter."""

    HEAD = HEAD
    TEMPLATE = f"{HEAD}/Emisor"
    RANKS = (1,)

    Curp: str | None
    domicilio: DomicilioEmisor | None


class DomicilioEmisor(Domicilio):
    """Emisor/Domicilio: every attribute is a key of a catalog."""

    HEAD = HEAD
    TEMPLATE = f"{HEAD}/Emisor/Domicilio"
    RANKS = (1, 1)


class Propietario(ComplementNode):
    """Propietario: an owner of goods that are moved without a sale."""

    HEAD = HEAD
    TEMPLATE = f"{HEAD}/Propietario[{{}}]"
    RANKS = (2,)

    NumRegIdTrib: str
    ResidenciaFiscal: str


class ReceptorExterior(ComplementNode):
    """Receptor: the receiver.

    Attributes:
        domicilio: None when absent.
    """

    HEAD = HEAD
    TEMPLATE = f"{HEAD}/Receptor"
    RANKS = (3,)

    NumRegIdTrib: str | None
    domicilio: DomicilioReceptor | None


class DomicilioReceptor(Domicilio):
    """Receptor/Domicilio: free text, except in Mexico."""

    HEAD = HEAD
    TEMPLATE = f"{HEAD}/Receptor/Domicilio"
    RANKS = (3, 1)


class Destinatario(ComplementNode):
    """Destinatario: the recipient of the goods when it is not the receiver."""

    HEAD = HEAD
    TEMPLATE = f"{HEAD}/Destinatario[{{}}]"
    RANKS = (4,)

    NumRegIdTrib: str | None
    domicilios: tuple[DomicilioDestinatario, ...]

    def complete(self) -> None:
        """Give NumRegIdTrib to the addresses."""
        for domicilio in self.domicilios:
            domicilio.NumRegIdTrib = self.NumRegIdTrib


class DomicilioDestinatario(Domicilio):
    """Destinatario/Domicilio: free text, except in Mexico.

    Attributes:
        NumRegIdTrib: that of its Destinatario.
    """

    HEAD = HEAD
    TEMPLATE = f"{HEAD}/Destinatario[{{}}]/Domicilio[{{}}]"
    RANKS = (4, 1)

    NumRegIdTrib: str | None = initial(None)


class Mercancia(ComplementNode):
    """Mercancias/Mercancia. The three customs attributes are None when absent, and their numbers 0.

    Attributes:
        cantidad: CantidadAduana.
        valor_unitario: ValorUnitarioAduana.
        valor: ValorDolares.
    """

    HEAD = HEAD
    TEMPLATE = f"{HEAD}/Mercancias/Mercancia[{{}}]"
    RANKS = (5,)

    NoIdentificacion: str
    FraccionArancelaria: str | None
    CantidadAduana: str | None
    UnidadAduana: str | None
    ValorUnitarioAduana: str | None
    ValorDolares: str
    cantidad: Decimal = number_of("CantidadAduana")
    valor_unitario: Decimal = number_of("ValorUnitarioAduana")
    valor: Decimal = number_of("ValorDolares")


class ComercioExteriorDeConcepto(MisplacedComplement):
    """The complement inside a Concepto, where the standard does not allow it."""

    TAG = TAG
