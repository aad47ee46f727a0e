"""CartaPorte itself, its customs regimes, and its origins and destinations."""

from __future__ import annotations

from decimal import Decimal

from timbra.cfdi.nodes.cartaporte31.figuras import TiposFigura
from timbra.cfdi.nodes.cartaporte31.mercancias import Mercancias
from timbra.cfdi.nodes.cartaporte31.names import HEAD, MEANS, TAG
from timbra.cfdi.nodes.complement import ComplementNode
from timbra.cfdi.nodes.domicilio import Domicilio
from timbra.cfdi.nodes.fields import initial, number_of, present


class CartaPorte(ComplementNode):
    """The complement.

    Attributes:
        transportes: names of the transport elements that are present.
        has_regimenes, has_figuras: whether RegimenesAduaneros and FiguraTransporte are present.
        total: TotalDistRec in km, 0 when absent.
    """

    HEAD = TEMPLATE = HEAD
    TAG = TAG

    Version: str
    TranspInternac: str
    EntradaSalidaMerc: str | None
    PaisOrigenDestino: str | None
    ViaEntradaSalida: str | None
    TotalDistRec: str | None
    RegistroISTMO: str | None
    UbicacionPoloOrigen: str | None
    UbicacionPoloDestino: str | None
    total: Decimal = number_of("TotalDistRec")
    transportes: frozenset[str] = initial(frozenset())
    has_regimenes: bool = present("RegimenesAduaneros")
    has_figuras: bool = present("FiguraTransporte")
    regimenes: tuple[RegimenAduaneroCCP, ...]
    ubicaciones: tuple[Ubicacion, ...]
    figuras: tuple[TiposFigura, ...]
    mercancias: Mercancias | None

    def complete(self) -> None:
        """Set the names of the transport elements that are present."""
        goods = self.mercancias
        if goods is not None:
            means = (goods.autotransporte, goods.maritimo, goods.aereo, goods.ferroviario)
            self.transportes = frozenset(name for name, node in zip(MEANS, means, strict=True) if node is not None)


class RegimenAduaneroCCP(ComplementNode):
    """RegimenesAduaneros/RegimenAduaneroCCP: a customs regime."""

    HEAD = HEAD
    TEMPLATE = f"{HEAD}/RegimenesAduaneros/RegimenAduaneroCCP[{{}}]"
    RANKS = (1,)

    RegimenAduanero: str


class Ubicacion(ComplementNode):
    """Ubicaciones/Ubicacion: an origin or destination.

    Attributes:
        distancia: DistanciaRecorrida in km, 0 when absent.
    """

    HEAD = HEAD
    TEMPLATE = f"{HEAD}/Ubicaciones/Ubicacion[{{}}]"
    RANKS = (2,)

    TipoUbicacion: str
    IDUbicacion: str | None
    RFCRemitenteDestinatario: str
    NumRegIdTrib: str | None
    ResidenciaFiscal: str | None
    NumEstacion: str | None
    NombreEstacion: str | None
    NavegacionTrafico: str | None
    TipoEstacion: str | None
    DistanciaRecorrida: str | None
    distancia: Decimal = number_of("DistanciaRecorrida")
    domicilio: DomicilioUbicacion | None


class DomicilioUbicacion(Domicilio):
    """Ubicaciones/Ubicacion/Domicilio."""

    HEAD = HEAD
    TEMPLATE = f"{Ubicacion.TEMPLATE}/Domicilio"
    RANKS = (2, 1)
