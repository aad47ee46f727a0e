"""The means of transport: by road, by sea, by air, by rail."""

from __future__ import annotations

from decimal import Decimal

from timbra.cfdi.nodes.cartaporte31.names import HEAD
from timbra.cfdi.nodes.complement import ComplementNode
from timbra.cfdi.nodes.fields import attribute, gathered, last, last_or_empty, number, number_of, present


class Autotransporte(ComplementNode):
    """Transport by road, with the attributes of IdentificacionVehicular and Seguros.

    Attributes:
        has_remolques: whether Remolques is present.
    """

    HEAD = HEAD
    TEMPLATE = f"{HEAD}/Mercancias/Autotransporte"
    RANKS = (3, 2)

    PermSCT: str
    ConfigVehicular: str = gathered("IdentificacionVehicular/@ConfigVehicular", last_or_empty)
    AseguraMedAmbiente: str | None = gathered("Seguros/@AseguraMedAmbiente", last, None)
    PolizaMedAmbiente: str | None = gathered("Seguros/@PolizaMedAmbiente", last, None)
    has_remolques: bool = present("Remolques")
    remolques: tuple[Remolque, ...]


class Remolque(ComplementNode):
    """Autotransporte/Remolques/Remolque."""

    HEAD = HEAD
    TEMPLATE = f"{Autotransporte.TEMPLATE}/Remolques/Remolque[{{}}]"
    RANKS = (3, 2, 3)

    SubTipoRem: str


class TransporteMaritimo(ComplementNode):
    """Transport by sea."""

    HEAD = HEAD
    TEMPLATE = f"{HEAD}/Mercancias/TransporteMaritimo"
    RANKS = (3, 3)

    PermSCT: str | None
    TipoEmbarcacion: str
    NacionalidadEmbarc: str
    TipoCarga: str
    NumAutorizacionNaviero: str
    PermisoTempNavegacion: str | None
    contenedores: tuple[ContenedorMaritimo, ...]


class ContenedorMaritimo(ComplementNode):
    """TransporteMaritimo/Contenedor.

    Attributes:
        has_remolques: whether RemolquesCCP is present.
    """

    HEAD = HEAD
    TEMPLATE = f"{TransporteMaritimo.TEMPLATE}/Contenedor[{{}}]"
    RANKS = (3, 3, 1)

    TipoContenedor: str
    MatriculaContenedor: str | None
    NumPrecinto: str | None
    IdCCPRelacionado: str | None
    PlacaVMCCP: str | None
    FechaCertificacionCCP: str | None
    has_remolques: bool = present("RemolquesCCP")
    remolques: tuple[RemolqueCCP, ...]


class RemolqueCCP(ComplementNode):
    """TransporteMaritimo/Contenedor/RemolquesCCP/RemolqueCCP."""

    HEAD = HEAD
    TEMPLATE = f"{ContenedorMaritimo.TEMPLATE}/RemolquesCCP/RemolqueCCP[{{}}]"
    RANKS = (3, 3, 1, 1)

    SubTipoRemCCP: str


class TransporteAereo(ComplementNode):
    """Transport by air."""

    HEAD = HEAD
    TEMPLATE = f"{HEAD}/Mercancias/TransporteAereo"
    RANKS = (3, 4)

    PermSCT: str
    CodigoTransportista: str
    RFCEmbarcador: str | None
    NumRegIdTribEmbarc: str | None
    ResidenciaFiscalEmbarc: str | None


class TransporteFerroviario(ComplementNode):
    """Transport by rail."""

    HEAD = HEAD
    TEMPLATE = f"{HEAD}/Mercancias/TransporteFerroviario"
    RANKS = (3, 5)

    TipoDeServicio: str
    TipoDeTrafico: str
    derechos: tuple[DerechosDePaso, ...]
    carros: tuple[Carro, ...]


class DerechosDePaso(ComplementNode):
    """TransporteFerroviario/DerechosDePaso."""

    HEAD = HEAD
    TEMPLATE = f"{TransporteFerroviario.TEMPLATE}/DerechosDePaso[{{}}]"
    RANKS = (3, 5, 1)

    TipoDerechoDePaso: str


class Carro(ComplementNode):
    """TransporteFerroviario/Carro: a railway car.

    Attributes:
        toneladas: ToneladasNetasCarro.
    """

    HEAD = HEAD
    TEMPLATE = f"{TransporteFerroviario.TEMPLATE}/Carro[{{}}]"
    RANKS = (3, 5, 2)

    TipoCarro: str
    ToneladasNetasCarro: str
    toneladas: Decimal = number_of("ToneladasNetasCarro")
    contenedores: tuple[Contenedor, ...]


class Contenedor(ComplementNode):
    """Carro/Contenedor: a container on a railway car.

    Attributes:
        neto: PesoNetoMercancia, in kg.
    """

    HEAD = HEAD
    TEMPLATE = f"{Carro.TEMPLATE}/Contenedor[{{}}]"
    RANKS = (3, 5, 2, 1)

    TipoContenedor: str
    neto: Decimal = attribute("PesoNetoMercancia", convert=number)
