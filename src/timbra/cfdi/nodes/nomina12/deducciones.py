"""Deductions."""

from __future__ import annotations

from lxml import etree

from timbra.cfdi.nodes.base import number
from timbra.cfdi.nodes.complement import ComplementNode, Places
from timbra.cfdi.nodes.nomina12.names import HEAD


class Deducciones(ComplementNode):
    """Deducciones: the rows and their totals."""

    __slots__ = (
        "TotalImpuestosRetenidos",
        "TotalOtrasDeducciones",
        "filas",
        "impuestos_retenidos",
        "otras_deducciones",
    )
    HEAD = HEAD
    TEMPLATE = f"{HEAD}/Deducciones"
    RANKS = (4,)

    filas: tuple[Deduccion, ...]

    def __init__(self, element: etree._Element, head: Places) -> None:
        self.places = (*head, 0)
        self.TotalOtrasDeducciones = element.get("TotalOtrasDeducciones")
        self.TotalImpuestosRetenidos = element.get("TotalImpuestosRetenidos")
        self.otras_deducciones = number(self.TotalOtrasDeducciones)
        self.impuestos_retenidos = number(self.TotalImpuestosRetenidos)
        self.filas = ()


class Deduccion(ComplementNode):
    """Deducciones/Deduccion."""

    __slots__ = ("Importe", "TipoDeduccion", "importe")
    HEAD = HEAD
    TEMPLATE = f"{HEAD}/Deducciones/Deduccion[{{}}]"
    RANKS = (4, 1)

    def __init__(self, element: etree._Element, places: tuple[int, ...]) -> None:
        self.places = places
        self.TipoDeduccion = element.get("TipoDeduccion", "")
        self.Importe = element.get("Importe", "")
        self.importe = number(self.Importe)
