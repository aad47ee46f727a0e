"""Comercio Exterior 2.0: exporter, receiver, recipients, and the goods with their customs values."""

from __future__ import annotations

from collections.abc import Iterator

from lxml import etree

from timbra.cfdi.nodes.base import Node, elements, number
from timbra.cfdi.nodes.complement import ComplementNode, MisplacedComplement, Places
from timbra.cfdi.nodes.domicilio import Domicilio

NAMESPACE = "{http://www.sat.gob.mx/ComercioExterior20}"
TAG = f"{NAMESPACE}ComercioExterior"
HEAD = "Complemento/ComercioExterior"


class ComercioExterior(ComplementNode):
    """The complement.

    Attributes:
        tipo_cambio: TipoCambioUSD, pesos per dollar.
        total: TotalUSD.
    """

    __slots__ = (
        "CertificadoOrigen",
        "ClaveDePedimento",
        "Incoterm",
        "MotivoTraslado",
        "NumCertificadoOrigen",
        "NumeroExportadorConfiable",
        "TipoCambioUSD",
        "TotalUSD",
        "destinatarios",
        "emisor",
        "mercancias",
        "propietarios",
        "receptor",
        "tipo_cambio",
        "total",
    )
    HEAD = TEMPLATE = HEAD
    TAG = TAG

    emisor: EmisorExterior | None
    propietarios: tuple[Propietario, ...]
    receptor: ReceptorExterior | None
    destinatarios: tuple[Destinatario, ...]
    mercancias: tuple[Mercancia, ...]

    def __init__(self, element: etree._Element, places: Places) -> None:
        self.places = places
        get = element.get
        self.MotivoTraslado = get("MotivoTraslado")
        self.ClaveDePedimento = get("ClaveDePedimento", "")
        self.CertificadoOrigen = get("CertificadoOrigen", "").strip()
        self.NumCertificadoOrigen = get("NumCertificadoOrigen")
        self.NumeroExportadorConfiable = get("NumeroExportadorConfiable")
        self.Incoterm = get("Incoterm")
        self.TipoCambioUSD = get("TipoCambioUSD", "")
        self.TotalUSD = get("TotalUSD", "")
        self.tipo_cambio = number(self.TipoCambioUSD)
        self.total = number(self.TotalUSD)
        self.emisor = self.receptor = None
        self.propietarios, self.destinatarios, self.mercancias = (), (), ()


class EmisorExterior(ComplementNode):
    """Emisor: the exporter."""

    __slots__ = ("Curp",)
    HEAD = HEAD
    TEMPLATE = f"{HEAD}/Emisor"
    RANKS = (1,)

    def __init__(self, element: etree._Element, places: tuple[int, ...]) -> None:
        self.places = places
        self.Curp = element.get("Curp")


class DomicilioEmisor(Domicilio):
    """Emisor/Domicilio: every attribute is a key of a catalog."""

    __slots__ = ()
    HEAD = HEAD
    TEMPLATE = f"{HEAD}/Emisor/Domicilio"
    RANKS = (1, 1)


class Propietario(ComplementNode):
    """Propietario: an owner of goods that are moved without a sale."""

    __slots__ = ("NumRegIdTrib", "ResidenciaFiscal")
    HEAD = HEAD
    TEMPLATE = f"{HEAD}/Propietario[{{}}]"
    RANKS = (2,)

    def __init__(self, element: etree._Element, places: tuple[int, ...]) -> None:
        self.places = places
        self.NumRegIdTrib = element.get("NumRegIdTrib", "")
        self.ResidenciaFiscal = element.get("ResidenciaFiscal", "")


class ReceptorExterior(ComplementNode):
    """Receptor: the receiver.

    Attributes:
        domicilio: None when absent.
    """

    __slots__ = ("NumRegIdTrib", "domicilio")
    HEAD = HEAD
    TEMPLATE = f"{HEAD}/Receptor"
    RANKS = (3,)

    domicilio: DomicilioReceptor | None

    def __init__(self, element: etree._Element, places: tuple[int, ...]) -> None:
        self.places = places
        self.NumRegIdTrib = element.get("NumRegIdTrib")
        self.domicilio = None


class DomicilioReceptor(Domicilio):
    """Receptor/Domicilio: free text, except in Mexico."""

    __slots__ = ()
    HEAD = HEAD
    TEMPLATE = f"{HEAD}/Receptor/Domicilio"
    RANKS = (3, 1)


class Destinatario(ComplementNode):
    """Destinatario: the recipient of the goods when it is not the receiver."""

    __slots__ = ("NumRegIdTrib", "domicilios")
    HEAD = HEAD
    TEMPLATE = f"{HEAD}/Destinatario[{{}}]"
    RANKS = (4,)

    domicilios: tuple[DomicilioDestinatario, ...]

    def __init__(self, element: etree._Element, places: tuple[int, ...]) -> None:
        self.places = places
        self.NumRegIdTrib = element.get("NumRegIdTrib")
        self.domicilios = ()


class DomicilioDestinatario(Domicilio):
    """Destinatario/Domicilio: free text, except in Mexico.

    Attributes:
        NumRegIdTrib: that of its Destinatario.
    """

    __slots__ = ("NumRegIdTrib",)
    HEAD = HEAD
    TEMPLATE = f"{HEAD}/Destinatario[{{}}]/Domicilio[{{}}]"
    RANKS = (4, 1)

    NumRegIdTrib: str | None


class Mercancia(ComplementNode):
    """Mercancias/Mercancia. The three customs attributes are None when absent, and their numbers 0.

    Attributes:
        cantidad: CantidadAduana.
        valor_unitario: ValorUnitarioAduana.
        valor: ValorDolares.
    """

    __slots__ = (
        "CantidadAduana",
        "FraccionArancelaria",
        "NoIdentificacion",
        "UnidadAduana",
        "ValorDolares",
        "ValorUnitarioAduana",
        "cantidad",
        "valor",
        "valor_unitario",
    )
    HEAD = HEAD
    TEMPLATE = f"{HEAD}/Mercancias/Mercancia[{{}}]"
    RANKS = (5,)

    def __init__(self, element: etree._Element, places: tuple[int, ...]) -> None:
        self.places = places
        get = element.get
        self.NoIdentificacion = get("NoIdentificacion", "")
        self.FraccionArancelaria = get("FraccionArancelaria")
        self.CantidadAduana = get("CantidadAduana")
        self.UnidadAduana = get("UnidadAduana")
        self.ValorUnitarioAduana = get("ValorUnitarioAduana")
        self.ValorDolares = get("ValorDolares", "")
        self.cantidad = number(self.CantidadAduana)
        self.valor_unitario = number(self.ValorUnitarioAduana)
        self.valor = number(self.ValorDolares)


class ComercioExteriorDeConcepto(MisplacedComplement):
    """The complement inside a Concepto, where the standard does not allow it."""

    __slots__ = ()
    TAG = TAG


def read(element: etree._Element, head: Places) -> Iterator[Node]:
    """Read the complement and its descendants.

    Args:
        element: ComercioExterior 2.0 whose structure is valid.
        head: position of the complement.

    Returns:
        The nodes, the complement first.
    """
    complement = ComercioExterior(element, head)
    nodes: list[Node] = [complement]
    propietarios: list[Propietario] = []
    destinatarios: list[Destinatario] = []
    for child in elements(element):
        match str(child.tag).removeprefix(NAMESPACE):
            case "Emisor":
                complement.emisor = EmisorExterior(child, (*head, 0))
                nodes.append(complement.emisor)
                nodes += [DomicilioEmisor(place, (*head, 0, 0)) for place in elements(child)]
            case "Propietario":
                propietarios.append(Propietario(child, (*head, len(propietarios) + 1)))
                nodes.append(propietarios[-1])
            case "Receptor":
                complement.receptor = _receptor(child, head, nodes)
            case "Destinatario":
                destinatarios.append(_destinatario(child, (*head, len(destinatarios) + 1), nodes))
            case "Mercancias":
                goods = enumerate(elements(child), 1)
                complement.mercancias = tuple([Mercancia(row, (*head, place)) for place, row in goods])
                nodes += complement.mercancias
    complement.propietarios, complement.destinatarios = tuple(propietarios), tuple(destinatarios)
    return iter(nodes)


def _receptor(element: etree._Element, head: Places, nodes: list[Node]) -> ReceptorExterior:
    receptor = ReceptorExterior(element, (*head, 0))
    nodes.append(receptor)
    for child in elements(element):
        receptor.domicilio = DomicilioReceptor(child, (*head, 0, 0))
        nodes.append(receptor.domicilio)
    return receptor


def _destinatario(element: etree._Element, places: tuple[int, ...], nodes: list[Node]) -> Destinatario:
    destinatario = Destinatario(element, places)
    nodes.append(destinatario)
    rows = enumerate(elements(element), 1)
    destinatario.domicilios = tuple([DomicilioDestinatario(row, (*places, place)) for place, row in rows])
    for domicilio in destinatario.domicilios:
        domicilio.NumRegIdTrib = destinatario.NumRegIdTrib
    nodes += destinatario.domicilios
    return destinatario
