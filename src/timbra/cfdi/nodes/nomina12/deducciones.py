"""Deductions."""

from __future__ import annotations

from decimal import Decimal

from timbra.cfdi.nodes.complement import ComplementNode
from timbra.cfdi.nodes.fields import number_of
from timbra.cfdi.nodes.nomina12.names import HEAD


class Deducciones(ComplementNode):
    """Deducciones: the rows and their totals."""

    HEAD = HEAD
    TEMPLATE = f"{HEAD}/Deducciones"
    RANKS = (4,)

    TotalOtrasDeducciones: str | None
    TotalImpuestosRetenidos: str | None
    otras_deducciones: Decimal = number_of("TotalOtrasDeducciones")
    impuestos_retenidos: Decimal = number_of("TotalImpuestosRetenidos")
    filas: tuple[Deduccion, ...]


class Deduccion(ComplementNode):
    HEAD = HEAD
    TEMPLATE = f"{HEAD}/Deducciones/Deduccion[{{}}]"
    RANKS = (4, 1)

    TipoDeduccion: str
    Importe: str
    importe: Decimal = number_of("Importe")
