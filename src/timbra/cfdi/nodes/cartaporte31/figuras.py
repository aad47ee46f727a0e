"""Participants of the transport: operators, owners, lessors."""

from __future__ import annotations

from lxml import etree

from timbra.cfdi.nodes.cartaporte31.names import HEAD
from timbra.cfdi.nodes.complement import ComplementNode
from timbra.cfdi.nodes.domicilio import Domicilio


class TiposFigura(ComplementNode):
    """FiguraTransporte/TiposFigura: a participant."""

    __slots__ = (
        "NumLicencia",
        "NumRegIdTribFigura",
        "RFCFigura",
        "ResidenciaFiscalFigura",
        "TipoFigura",
        "domicilio",
        "partes",
    )
    HEAD = HEAD
    TEMPLATE = f"{HEAD}/FiguraTransporte/TiposFigura[{{}}]"
    RANKS = (4,)

    partes: tuple[PartesTransporte, ...]
    domicilio: DomicilioFigura | None

    def __init__(self, element: etree._Element, places: tuple[int, ...]) -> None:
        self.places = places
        get = element.get
        self.TipoFigura = get("TipoFigura", "")
        self.RFCFigura = get("RFCFigura")
        self.NumLicencia = get("NumLicencia")
        self.NumRegIdTribFigura = get("NumRegIdTribFigura")
        self.ResidenciaFiscalFigura = get("ResidenciaFiscalFigura")
        self.partes, self.domicilio = (), None


class PartesTransporte(ComplementNode):
    """FiguraTransporte/TiposFigura/PartesTransporte."""

    __slots__ = ("ParteTransporte",)
    HEAD = HEAD
    TEMPLATE = f"{TiposFigura.TEMPLATE}/PartesTransporte[{{}}]"
    RANKS = (4, 1)

    def __init__(self, element: etree._Element, places: tuple[int, ...]) -> None:
        self.places = places
        self.ParteTransporte = element.get("ParteTransporte", "")


class DomicilioFigura(Domicilio):
    """FiguraTransporte/TiposFigura/Domicilio."""

    __slots__ = ()
    HEAD = HEAD
    TEMPLATE = f"{TiposFigura.TEMPLATE}/Domicilio"
    RANKS = (4, 2)
