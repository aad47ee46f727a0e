"""Earnings."""

from __future__ import annotations

from decimal import Decimal

from lxml import etree

from timbra.cfdi.nodes.base import number
from timbra.cfdi.nodes.complement import ComplementNode, Places
from timbra.cfdi.nodes.nomina12.names import HEAD


class Percepciones(ComplementNode):
    """Percepciones: the rows and their totals."""

    __slots__ = (
        "TotalExento",
        "TotalGravado",
        "TotalJubilacionPensionRetiro",
        "TotalSeparacionIndemnizacion",
        "TotalSueldos",
        "exento",
        "filas",
        "gravado",
        "jubilacion",
        "separacion",
        "total_jubilacion",
        "total_separacion",
        "total_sueldos",
    )
    HEAD = HEAD
    TEMPLATE = f"{HEAD}/Percepciones"
    RANKS = (3,)

    filas: tuple[Percepcion, ...]
    jubilacion: JubilacionPensionRetiro | None
    separacion: SeparacionIndemnizacion | None

    def __init__(self, element: etree._Element, head: Places) -> None:
        self.places = (*head, 0)
        get = element.get
        self.TotalSueldos = get("TotalSueldos")
        self.TotalSeparacionIndemnizacion = get("TotalSeparacionIndemnizacion")
        self.TotalJubilacionPensionRetiro = get("TotalJubilacionPensionRetiro")
        self.TotalGravado = get("TotalGravado", "")
        self.TotalExento = get("TotalExento", "")
        self.total_sueldos = number(self.TotalSueldos)
        self.total_separacion = number(self.TotalSeparacionIndemnizacion)
        self.total_jubilacion = number(self.TotalJubilacionPensionRetiro)
        self.gravado = number(self.TotalGravado)
        self.exento = number(self.TotalExento)
        self.filas = ()
        self.jubilacion = self.separacion = None


class Percepcion(ComplementNode):
    """Percepciones/Percepcion.

    Attributes:
        importe: the taxed and the exempt amount together.
    """

    __slots__ = (
        "ImporteExento",
        "ImporteGravado",
        "TipoPercepcion",
        "acciones",
        "exento",
        "gravado",
        "horas_extra",
        "importe",
    )
    HEAD = HEAD
    TEMPLATE = f"{HEAD}/Percepciones/Percepcion[{{}}]"
    RANKS = (3, 1)

    acciones: AccionesOTitulos | None
    horas_extra: tuple[HorasExtra, ...]
    importe: Decimal

    def __init__(self, element: etree._Element, places: tuple[int, ...]) -> None:
        self.places = places
        self.TipoPercepcion = element.get("TipoPercepcion", "")
        self.ImporteGravado = element.get("ImporteGravado", "")
        self.ImporteExento = element.get("ImporteExento", "")
        self.gravado = number(self.ImporteGravado)
        self.exento = number(self.ImporteExento)
        self.importe = self.gravado + self.exento
        self.acciones = None
        self.horas_extra = ()


class AccionesOTitulos(ComplementNode):
    """Percepcion/AccionesOTitulos."""

    __slots__ = ("PrecioAlOtorgarse", "ValorMercado")
    HEAD = HEAD
    TEMPLATE = f"{Percepcion.TEMPLATE}/AccionesOTitulos"
    RANKS = (3, 1, 1)

    def __init__(self, element: etree._Element, places: tuple[int, ...]) -> None:
        self.places = places
        self.ValorMercado = element.get("ValorMercado", "")
        self.PrecioAlOtorgarse = element.get("PrecioAlOtorgarse", "")


class HorasExtra(ComplementNode):
    """Percepcion/HorasExtra.

    Attributes:
        horas: attribute HorasExtra, as written.
    """

    __slots__ = ("Dias", "ImportePagado", "TipoHoras", "horas")
    HEAD = HEAD
    TEMPLATE = f"{Percepcion.TEMPLATE}/HorasExtra[{{}}]"
    RANKS = (3, 1, 2)

    def __init__(self, element: etree._Element, places: tuple[int, ...]) -> None:
        self.places = places
        self.Dias = element.get("Dias", "")
        self.TipoHoras = element.get("TipoHoras", "")
        self.horas = element.get("HorasExtra", "")
        self.ImportePagado = element.get("ImportePagado", "")


class JubilacionPensionRetiro(ComplementNode):
    """Percepciones/JubilacionPensionRetiro."""

    __slots__ = ("IngresoAcumulable", "IngresoNoAcumulable", "MontoDiario", "TotalParcialidad", "TotalUnaExhibicion")
    HEAD = HEAD
    TEMPLATE = f"{HEAD}/Percepciones/JubilacionPensionRetiro"
    RANKS = (3, 2)

    def __init__(self, element: etree._Element, head: Places) -> None:
        self.places = (*head, 0, 0)
        get = element.get
        self.TotalUnaExhibicion = get("TotalUnaExhibicion")
        self.TotalParcialidad = get("TotalParcialidad")
        self.MontoDiario = get("MontoDiario")
        self.IngresoAcumulable = get("IngresoAcumulable", "")
        self.IngresoNoAcumulable = get("IngresoNoAcumulable", "")


class SeparacionIndemnizacion(ComplementNode):
    """Percepciones/SeparacionIndemnizacion."""

    __slots__ = ("IngresoAcumulable", "IngresoNoAcumulable", "NumAñosServicio", "TotalPagado", "UltimoSueldoMensOrd")
    HEAD = HEAD
    TEMPLATE = f"{HEAD}/Percepciones/SeparacionIndemnizacion"
    RANKS = (3, 3)

    def __init__(self, element: etree._Element, head: Places) -> None:
        self.places = (*head, 0, 0)
        get = element.get
        self.TotalPagado = get("TotalPagado", "")
        self.NumAñosServicio = get("NumAñosServicio", "")
        self.UltimoSueldoMensOrd = get("UltimoSueldoMensOrd", "")
        self.IngresoAcumulable = get("IngresoAcumulable", "")
        self.IngresoNoAcumulable = get("IngresoNoAcumulable", "")
