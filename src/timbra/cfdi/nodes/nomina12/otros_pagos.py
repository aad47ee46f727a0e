"""Other payments, and incapacities."""

from __future__ import annotations

from lxml import etree

from timbra.cfdi.nodes.base import number
from timbra.cfdi.nodes.complement import ComplementNode
from timbra.cfdi.nodes.nomina12.names import HEAD


class OtroPago(ComplementNode):
    """OtrosPagos/OtroPago."""

    __slots__ = ("Importe", "TipoOtroPago", "compensacion", "importe", "subsidio")
    HEAD = HEAD
    TEMPLATE = f"{HEAD}/OtrosPagos/OtroPago[{{}}]"
    RANKS = (5, 1)

    subsidio: SubsidioAlEmpleo | None
    compensacion: CompensacionSaldosAFavor | None

    def __init__(self, element: etree._Element, places: tuple[int, ...]) -> None:
        self.places = places
        self.TipoOtroPago = element.get("TipoOtroPago", "")
        self.Importe = element.get("Importe", "")
        self.importe = number(self.Importe)
        self.subsidio = self.compensacion = None


class SubsidioAlEmpleo(ComplementNode):
    """OtroPago/SubsidioAlEmpleo."""

    __slots__ = ("SubsidioCausado", "causado")
    HEAD = HEAD
    TEMPLATE = f"{OtroPago.TEMPLATE}/SubsidioAlEmpleo"
    RANKS = (5, 1, 1)

    def __init__(self, element: etree._Element, places: tuple[int, ...]) -> None:
        self.places = places
        self.SubsidioCausado = element.get("SubsidioCausado", "")
        self.causado = number(self.SubsidioCausado)


class CompensacionSaldosAFavor(ComplementNode):
    """OtroPago/CompensacionSaldosAFavor."""

    __slots__ = ("Año", "RemanenteSalFav", "SaldoAFavor", "remanente", "saldo")
    HEAD = HEAD
    TEMPLATE = f"{OtroPago.TEMPLATE}/CompensacionSaldosAFavor"
    RANKS = (5, 1, 2)

    def __init__(self, element: etree._Element, places: tuple[int, ...]) -> None:
        self.places = places
        self.SaldoAFavor = element.get("SaldoAFavor", "")
        self.Año = element.get("Año", "")
        self.RemanenteSalFav = element.get("RemanenteSalFav", "")
        self.saldo = number(self.SaldoAFavor)
        self.remanente = number(self.RemanenteSalFav)


class Incapacidad(ComplementNode):
    """Incapacidades/Incapacidad."""

    __slots__ = ("DiasIncapacidad", "ImporteMonetario", "TipoIncapacidad", "importe")
    HEAD = HEAD
    TEMPLATE = f"{HEAD}/Incapacidades/Incapacidad[{{}}]"
    RANKS = (6, 1)

    def __init__(self, element: etree._Element, places: tuple[int, ...]) -> None:
        self.places = places
        self.DiasIncapacidad = element.get("DiasIncapacidad", "")
        self.TipoIncapacidad = element.get("TipoIncapacidad", "")
        self.ImporteMonetario = element.get("ImporteMonetario")
        self.importe = number(self.ImporteMonetario)
