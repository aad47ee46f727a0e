"""Servicios de plataformas tecnológicas 1.0."""

from __future__ import annotations

from collections.abc import Iterator
from types import MappingProxyType

from lxml import etree

from timbra.cfdi.nodes.base import Node, number
from timbra.cfdi.nodes.complement import ComplementNode, Places, factor

NAMESPACE = "{http://www.sat.gob.mx/esquemas/retencionpago/1/PlataformasTecnologicas10}"
HEAD = "Complemento/ServiciosPlataformasTecnologicas"
CASH = "01"
"""Key of c_FormaPagoServ: Efectivo."""


class ServiciosPlataformasTecnologicas(ComplementNode):
    """The complement.

    Attributes:
        servicios: the services of the period.
    """

    __slots__ = (
        "DifIVAEntregadoPrestServ",
        "MonTotServSIVA",
        "MonTotalContribucionGubernamental",
        "MonTotalporUsoPlataforma",
        "NumServ",
        "Periodicidad",
        "TotalISRRetenido",
        "TotalIVARetenido",
        "TotalIVATrasladado",
        "servicios",
    )
    HEAD = TEMPLATE = HEAD
    TAG = f"{NAMESPACE}ServiciosPlataformasTecnologicas"

    def __init__(self, element: etree._Element, places: Places) -> None:
        self.places = places
        get = element.get
        self.Periodicidad = get("Periodicidad", "")
        self.NumServ = get("NumServ", "")
        self.MonTotServSIVA = get("MonTotServSIVA", "")
        self.TotalIVATrasladado = get("TotalIVATrasladado", "")
        self.TotalIVARetenido = get("TotalIVARetenido", "")
        self.TotalISRRetenido = get("TotalISRRetenido", "")
        self.DifIVAEntregadoPrestServ = get("DifIVAEntregadoPrestServ", "")
        self.MonTotalporUsoPlataforma = get("MonTotalporUsoPlataforma", "")
        self.MonTotalContribucionGubernamental = get("MonTotalContribucionGubernamental")
        rows = element.iterfind(f"{NAMESPACE}Servicios/{NAMESPACE}DetallesDelServicio")
        self.servicios = tuple([DetallesDelServicio(row, (*places, place)) for place, row in enumerate(rows, 1)])


class DetallesDelServicio(ComplementNode):
    """Servicios/DetallesDelServicio: a service.

    Attributes:
        impuestos, contribucion, comision: its children; None when absent.
        precio: PrecioServSinIVA.
        is_cash: whether it was paid in cash.
    """

    __slots__ = (
        "FechaServ",
        "FormaPagoServ",
        "PrecioServSinIVA",
        "RFCTerceroAutorizado",
        "SubTipServ",
        "TipoDeServ",
        "comision",
        "contribucion",
        "impuestos",
        "is_cash",
        "precio",
    )
    HEAD = HEAD
    TEMPLATE = f"{HEAD}/Servicios/DetallesDelServicio[{{}}]"
    RANKS = (1,)
    CHILDREN = MappingProxyType(
        {"ImpuestosTrasladadosdelServicio": 1, "ContribucionGubernamental": 2, "ComisionDelServicio": 3}
    )

    def __init__(self, element: etree._Element, places: tuple[int, ...]) -> None:
        self.places = places
        get = element.get
        self.FormaPagoServ = get("FormaPagoServ", "")
        self.TipoDeServ = get("TipoDeServ", "")
        self.SubTipServ = get("SubTipServ")
        self.RFCTerceroAutorizado = get("RFCTerceroAutorizado")
        self.FechaServ = get("FechaServ", "")
        self.PrecioServSinIVA = get("PrecioServSinIVA", "")
        self.precio = number(self.PrecioServSinIVA)
        self.is_cash = self.FormaPagoServ == CASH
        self.impuestos: ImpuestosTrasladadosdelServicio | None = None
        self.contribucion: ContribucionGubernamental | None = None
        self.comision: ComisionDelServicio | None = None
        below = (*places, 0)
        for child in element.iterchildren(etree.Element):
            match str(child.tag).rpartition("}")[2]:
                case "ImpuestosTrasladadosdelServicio":
                    self.impuestos = ImpuestosTrasladadosdelServicio(child, below, self)
                case "ContribucionGubernamental":
                    self.contribucion = ContribucionGubernamental(child, below)
                case "ComisionDelServicio":
                    self.comision = ComisionDelServicio(child, below)

    @property
    def children(self) -> Iterator[Node]:
        """The children that are present, in document order."""
        yield from filter(None, (self.impuestos, self.contribucion, self.comision))


class ImpuestosTrasladadosdelServicio(ComplementNode):
    """The IVA of a service.

    Attributes:
        precio: PrecioServSinIVA of the service, as written.
    """

    __slots__ = ("Base", "Importe", "TasaCuota", "base", "importe", "precio", "tasa")
    HEAD = HEAD
    TEMPLATE = f"{DetallesDelServicio.TEMPLATE}/ImpuestosTrasladadosdelServicio"
    RANKS = (1, 1)

    def __init__(self, element: etree._Element, places: tuple[int, ...], servicio: DetallesDelServicio) -> None:
        self.places = places
        self.precio = servicio.PrecioServSinIVA
        self.Base = element.get("Base", "")
        self.TasaCuota = element.get("TasaCuota", "")
        self.Importe = element.get("Importe", "")
        self.base = factor(self.Base)
        self.tasa = factor(self.TasaCuota)
        self.importe = number(self.Importe)


class ContribucionGubernamental(ComplementNode):
    """The contribution to a state for a service."""

    __slots__ = ("EntidadDondePagaLaContribucion", "ImpContrib", "importe")
    HEAD = HEAD
    TEMPLATE = f"{DetallesDelServicio.TEMPLATE}/ContribucionGubernamental"
    RANKS = (1, 2)

    def __init__(self, element: etree._Element, places: tuple[int, ...]) -> None:
        self.places = places
        self.EntidadDondePagaLaContribucion = element.get("EntidadDondePagaLaContribucion", "")
        self.ImpContrib = element.get("ImpContrib", "")
        self.importe = number(self.ImpContrib)


class ComisionDelServicio(ComplementNode):
    """The commission of the platform for a service."""

    __slots__ = ("Importe", "importe")
    HEAD = HEAD
    TEMPLATE = f"{DetallesDelServicio.TEMPLATE}/ComisionDelServicio"
    RANKS = (1, 3)

    def __init__(self, element: etree._Element, places: tuple[int, ...]) -> None:
        self.places = places
        self.Importe = element.get("Importe", "")
        self.importe = number(self.Importe)


def read(element: etree._Element, head: Places) -> Iterator[Node]:
    """Yield the complement, its services and their children."""
    platform = ServiciosPlataformasTecnologicas(element, head)
    yield platform
    for servicio in platform.servicios:
        yield servicio
        yield from servicio.children
