"""The means of transport: by road, by sea, by air, by rail."""

from __future__ import annotations

from decimal import Decimal

from lxml import etree

from timbra.cfdi.nodes.base import number
from timbra.cfdi.nodes.cartaporte31.names import HEAD
from timbra.cfdi.nodes.complement import ComplementNode


class Autotransporte(ComplementNode):
    """Transport by road, with the attributes of IdentificacionVehicular and Seguros.

    Attributes:
        has_remolques: whether Remolques is present.
    """

    __slots__ = (
        "AseguraMedAmbiente",
        "ConfigVehicular",
        "PermSCT",
        "PolizaMedAmbiente",
        "has_remolques",
        "remolques",
    )
    HEAD = HEAD
    TEMPLATE = f"{HEAD}/Mercancias/Autotransporte"
    RANKS = (3, 2)

    AseguraMedAmbiente: str | None
    PolizaMedAmbiente: str | None
    remolques: tuple[Remolque, ...]

    def __init__(self, element: etree._Element, places: tuple[int, ...]) -> None:
        self.places = places
        self.PermSCT = element.get("PermSCT", "")
        self.ConfigVehicular = ""
        self.AseguraMedAmbiente = self.PolizaMedAmbiente = None
        self.has_remolques = False
        self.remolques = ()


class Remolque(ComplementNode):
    """Autotransporte/Remolques/Remolque."""

    __slots__ = ("SubTipoRem",)
    HEAD = HEAD
    TEMPLATE = f"{Autotransporte.TEMPLATE}/Remolques/Remolque[{{}}]"
    RANKS = (3, 2, 3)

    def __init__(self, element: etree._Element, places: tuple[int, ...]) -> None:
        self.places = places
        self.SubTipoRem = element.get("SubTipoRem", "")


class TransporteMaritimo(ComplementNode):
    """Transport by sea."""

    __slots__ = (
        "NacionalidadEmbarc",
        "NumAutorizacionNaviero",
        "PermSCT",
        "PermisoTempNavegacion",
        "TipoCarga",
        "TipoEmbarcacion",
        "contenedores",
    )
    HEAD = HEAD
    TEMPLATE = f"{HEAD}/Mercancias/TransporteMaritimo"
    RANKS = (3, 3)

    contenedores: tuple[ContenedorMaritimo, ...]

    def __init__(self, element: etree._Element, places: tuple[int, ...]) -> None:
        self.places = places
        get = element.get
        self.PermSCT = get("PermSCT")
        self.TipoEmbarcacion = get("TipoEmbarcacion", "")
        self.NacionalidadEmbarc = get("NacionalidadEmbarc", "")
        self.TipoCarga = get("TipoCarga", "")
        self.NumAutorizacionNaviero = get("NumAutorizacionNaviero", "")
        self.PermisoTempNavegacion = get("PermisoTempNavegacion")
        self.contenedores = ()


class ContenedorMaritimo(ComplementNode):
    """TransporteMaritimo/Contenedor.

    Attributes:
        has_remolques: whether RemolquesCCP is present.
    """

    __slots__ = (
        "FechaCertificacionCCP",
        "IdCCPRelacionado",
        "MatriculaContenedor",
        "NumPrecinto",
        "PlacaVMCCP",
        "TipoContenedor",
        "has_remolques",
        "remolques",
    )
    HEAD = HEAD
    TEMPLATE = f"{TransporteMaritimo.TEMPLATE}/Contenedor[{{}}]"
    RANKS = (3, 3, 1)

    remolques: tuple[RemolqueCCP, ...]

    def __init__(self, element: etree._Element, places: tuple[int, ...]) -> None:
        self.places = places
        get = element.get
        self.TipoContenedor = get("TipoContenedor", "")
        self.MatriculaContenedor = get("MatriculaContenedor")
        self.NumPrecinto = get("NumPrecinto")
        self.IdCCPRelacionado = get("IdCCPRelacionado")
        self.PlacaVMCCP = get("PlacaVMCCP")
        self.FechaCertificacionCCP = get("FechaCertificacionCCP")
        self.has_remolques = False
        self.remolques = ()


class RemolqueCCP(ComplementNode):
    """TransporteMaritimo/Contenedor/RemolquesCCP/RemolqueCCP."""

    __slots__ = ("SubTipoRemCCP",)
    HEAD = HEAD
    TEMPLATE = f"{ContenedorMaritimo.TEMPLATE}/RemolquesCCP/RemolqueCCP[{{}}]"
    RANKS = (3, 3, 1, 1)

    def __init__(self, element: etree._Element, places: tuple[int, ...]) -> None:
        self.places = places
        self.SubTipoRemCCP = element.get("SubTipoRemCCP", "")


class TransporteAereo(ComplementNode):
    """Transport by air."""

    __slots__ = ("CodigoTransportista", "NumRegIdTribEmbarc", "PermSCT", "RFCEmbarcador", "ResidenciaFiscalEmbarc")
    HEAD = HEAD
    TEMPLATE = f"{HEAD}/Mercancias/TransporteAereo"
    RANKS = (3, 4)

    def __init__(self, element: etree._Element, places: tuple[int, ...]) -> None:
        self.places = places
        get = element.get
        self.PermSCT = get("PermSCT", "")
        self.CodigoTransportista = get("CodigoTransportista", "")
        self.RFCEmbarcador = get("RFCEmbarcador")
        self.NumRegIdTribEmbarc = get("NumRegIdTribEmbarc")
        self.ResidenciaFiscalEmbarc = get("ResidenciaFiscalEmbarc")


class TransporteFerroviario(ComplementNode):
    """Transport by rail."""

    __slots__ = ("TipoDeServicio", "TipoDeTrafico", "carros", "derechos")
    HEAD = HEAD
    TEMPLATE = f"{HEAD}/Mercancias/TransporteFerroviario"
    RANKS = (3, 5)

    derechos: tuple[DerechosDePaso, ...]
    carros: tuple[Carro, ...]

    def __init__(self, element: etree._Element, places: tuple[int, ...]) -> None:
        self.places = places
        self.TipoDeServicio = element.get("TipoDeServicio", "")
        self.TipoDeTrafico = element.get("TipoDeTrafico", "")
        self.derechos, self.carros = (), ()


class DerechosDePaso(ComplementNode):
    """TransporteFerroviario/DerechosDePaso."""

    __slots__ = ("TipoDerechoDePaso",)
    HEAD = HEAD
    TEMPLATE = f"{TransporteFerroviario.TEMPLATE}/DerechosDePaso[{{}}]"
    RANKS = (3, 5, 1)

    def __init__(self, element: etree._Element, places: tuple[int, ...]) -> None:
        self.places = places
        self.TipoDerechoDePaso = element.get("TipoDerechoDePaso", "")


class Carro(ComplementNode):
    """TransporteFerroviario/Carro: a railway car.

    Attributes:
        toneladas: ToneladasNetasCarro.
    """

    __slots__ = ("TipoCarro", "ToneladasNetasCarro", "contenedores", "toneladas")
    HEAD = HEAD
    TEMPLATE = f"{TransporteFerroviario.TEMPLATE}/Carro[{{}}]"
    RANKS = (3, 5, 2)

    contenedores: tuple[Contenedor, ...]
    toneladas: Decimal

    def __init__(self, element: etree._Element, places: tuple[int, ...]) -> None:
        self.places = places
        self.TipoCarro = element.get("TipoCarro", "")
        self.ToneladasNetasCarro = element.get("ToneladasNetasCarro", "")
        self.toneladas = number(self.ToneladasNetasCarro)
        self.contenedores = ()


class Contenedor(ComplementNode):
    """Carro/Contenedor: a container on a railway car.

    Attributes:
        neto: PesoNetoMercancia, in kg.
    """

    __slots__ = ("TipoContenedor", "neto")
    HEAD = HEAD
    TEMPLATE = f"{Carro.TEMPLATE}/Contenedor[{{}}]"
    RANKS = (3, 5, 2, 1)

    def __init__(self, element: etree._Element, places: tuple[int, ...]) -> None:
        self.places = places
        self.TipoContenedor = element.get("TipoContenedor", "")
        self.neto = number(element.get("PesoNetoMercancia"))
