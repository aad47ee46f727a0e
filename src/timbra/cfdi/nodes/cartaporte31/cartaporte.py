"""CartaPorte itself, its customs regimes, and its origins and destinations."""

from __future__ import annotations

from lxml import etree

from timbra.cfdi.nodes.base import number
from timbra.cfdi.nodes.cartaporte31.figuras import TiposFigura
from timbra.cfdi.nodes.cartaporte31.mercancias import Mercancias
from timbra.cfdi.nodes.cartaporte31.names import HEAD, TAG
from timbra.cfdi.nodes.complement import ComplementNode, Places
from timbra.cfdi.nodes.domicilio import Domicilio


class CartaPorte(ComplementNode):
    """The complement.

    Attributes:
        transportes: names of the transport elements that are present.
        has_regimenes, has_figuras: whether RegimenesAduaneros and FiguraTransporte are present.
        total: TotalDistRec in km, 0 when absent.
    """

    __slots__ = (
        "EntradaSalidaMerc",
        "PaisOrigenDestino",
        "RegistroISTMO",
        "TotalDistRec",
        "TranspInternac",
        "UbicacionPoloDestino",
        "UbicacionPoloOrigen",
        "Version",
        "ViaEntradaSalida",
        "figuras",
        "has_figuras",
        "has_regimenes",
        "mercancias",
        "regimenes",
        "total",
        "transportes",
        "ubicaciones",
    )
    HEAD = TEMPLATE = HEAD
    TAG = TAG

    regimenes: tuple[RegimenAduaneroCCP, ...]
    ubicaciones: tuple[Ubicacion, ...]
    mercancias: Mercancias | None
    figuras: tuple[TiposFigura, ...]
    transportes: frozenset[str]

    def __init__(self, element: etree._Element, head: Places) -> None:
        self.places = head
        get = element.get
        self.Version = get("Version", "")
        self.TranspInternac = get("TranspInternac", "")
        self.EntradaSalidaMerc = get("EntradaSalidaMerc")
        self.PaisOrigenDestino = get("PaisOrigenDestino")
        self.ViaEntradaSalida = get("ViaEntradaSalida")
        self.TotalDistRec = get("TotalDistRec")
        self.RegistroISTMO = get("RegistroISTMO")
        self.UbicacionPoloOrigen = get("UbicacionPoloOrigen")
        self.UbicacionPoloDestino = get("UbicacionPoloDestino")
        self.total = number(self.TotalDistRec)
        self.has_regimenes = self.has_figuras = False
        self.regimenes, self.ubicaciones, self.figuras = (), (), ()
        self.mercancias = None
        self.transportes = frozenset()


class RegimenAduaneroCCP(ComplementNode):
    """RegimenesAduaneros/RegimenAduaneroCCP: a customs regime."""

    __slots__ = ("RegimenAduanero",)
    HEAD = HEAD
    TEMPLATE = f"{HEAD}/RegimenesAduaneros/RegimenAduaneroCCP[{{}}]"
    RANKS = (1,)

    def __init__(self, element: etree._Element, places: tuple[int, ...]) -> None:
        self.places = places
        self.RegimenAduanero = element.get("RegimenAduanero", "")


class Ubicacion(ComplementNode):
    """Ubicaciones/Ubicacion: an origin or destination.

    Attributes:
        distancia: DistanciaRecorrida in km, 0 when absent.
    """

    __slots__ = (
        "DistanciaRecorrida",
        "IDUbicacion",
        "NavegacionTrafico",
        "NombreEstacion",
        "NumEstacion",
        "NumRegIdTrib",
        "RFCRemitenteDestinatario",
        "ResidenciaFiscal",
        "TipoEstacion",
        "TipoUbicacion",
        "distancia",
        "domicilio",
    )
    HEAD = HEAD
    TEMPLATE = f"{HEAD}/Ubicaciones/Ubicacion[{{}}]"
    RANKS = (2,)

    domicilio: DomicilioUbicacion | None

    def __init__(self, element: etree._Element, places: tuple[int, ...]) -> None:
        self.places = places
        get = element.get
        self.TipoUbicacion = get("TipoUbicacion", "")
        self.IDUbicacion = get("IDUbicacion")
        self.RFCRemitenteDestinatario = get("RFCRemitenteDestinatario", "")
        self.NumRegIdTrib = get("NumRegIdTrib")
        self.ResidenciaFiscal = get("ResidenciaFiscal")
        self.NumEstacion = get("NumEstacion")
        self.NombreEstacion = get("NombreEstacion")
        self.NavegacionTrafico = get("NavegacionTrafico")
        self.TipoEstacion = get("TipoEstacion")
        self.DistanciaRecorrida = get("DistanciaRecorrida")
        self.distancia = number(self.DistanciaRecorrida)
        self.domicilio = None


class DomicilioUbicacion(Domicilio):
    """Ubicaciones/Ubicacion/Domicilio."""

    __slots__ = ()
    HEAD = HEAD
    TEMPLATE = f"{Ubicacion.TEMPLATE}/Domicilio"
    RANKS = (2, 1)
