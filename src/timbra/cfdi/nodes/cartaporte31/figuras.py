"""Participants of the transport: operators, owners, lessors."""

from __future__ import annotations

from timbra.cfdi.nodes.cartaporte31.names import HEAD
from timbra.cfdi.nodes.complement import ComplementNode
from timbra.cfdi.nodes.domicilio import Domicilio


class TiposFigura(ComplementNode):
    """FiguraTransporte/TiposFigura: a participant."""

    HEAD = HEAD
    TEMPLATE = f"{HEAD}/FiguraTransporte/TiposFigura[{{}}]"
    RANKS = (4,)

    TipoFigura: str
    RFCFigura: str | None
    NumLicencia: str | None
    NumRegIdTribFigura: str | None
    ResidenciaFiscalFigura: str | None
    partes: tuple[PartesTransporte, ...]
    domicilio: DomicilioFigura | None


class PartesTransporte(ComplementNode):
    """FiguraTransporte/TiposFigura/PartesTransporte."""

    HEAD = HEAD
    TEMPLATE = f"{TiposFigura.TEMPLATE}/PartesTransporte[{{}}]"
    RANKS = (4, 1)

    ParteTransporte: str


class DomicilioFigura(Domicilio):
    """FiguraTransporte/TiposFigura/Domicilio."""

    HEAD = HEAD
    TEMPLATE = f"{TiposFigura.TEMPLATE}/Domicilio"
    RANKS = (4, 2)
