"""Earnings."""

from __future__ import annotations

from decimal import Decimal
from operator import add

from timbra.cfdi.nodes.complement import ComplementNode
from timbra.cfdi.nodes.fields import attribute, derived, number_of
from timbra.cfdi.nodes.nomina12.names import HEAD


class Percepciones(ComplementNode):
    """Percepciones: the rows and their totals."""

    HEAD = HEAD
    TEMPLATE = f"{HEAD}/Percepciones"
    RANKS = (3,)

    TotalSueldos: str | None
    TotalSeparacionIndemnizacion: str | None
    TotalJubilacionPensionRetiro: str | None
    TotalGravado: str
    TotalExento: str
    total_sueldos: Decimal = number_of("TotalSueldos")
    total_separacion: Decimal = number_of("TotalSeparacionIndemnizacion")
    total_jubilacion: Decimal = number_of("TotalJubilacionPensionRetiro")
    gravado: Decimal = number_of("TotalGravado")
    exento: Decimal = number_of("TotalExento")
    filas: tuple[Percepcion, ...]
    jubilacion: JubilacionPensionRetiro | None
    separacion: SeparacionIndemnizacion | None


class Percepcion(ComplementNode):
    """Percepciones/Percepcion.

    Attributes:
        importe: the taxed and the exempt amount together.
    """

    HEAD = HEAD
    TEMPLATE = f"{HEAD}/Percepciones/Percepcion[{{}}]"
    RANKS = (3, 1)

    TipoPercepcion: str
    ImporteGravado: str
    ImporteExento: str
    gravado: Decimal = number_of("ImporteGravado")
    exento: Decimal = number_of("ImporteExento")
    importe: Decimal = derived(add, "gravado", "exento")
    acciones: AccionesOTitulos | None
    horas_extra: tuple[HorasExtra, ...]


class AccionesOTitulos(ComplementNode):
    """Percepcion/AccionesOTitulos."""

    HEAD = HEAD
    TEMPLATE = f"{Percepcion.TEMPLATE}/AccionesOTitulos"
    RANKS = (3, 1, 1)

    ValorMercado: str
    PrecioAlOtorgarse: str


class HorasExtra(ComplementNode):
    """Percepcion/HorasExtra.

    Attributes:
        horas: attribute HorasExtra, as written.
    """

    HEAD = HEAD
    TEMPLATE = f"{Percepcion.TEMPLATE}/HorasExtra[{{}}]"
    RANKS = (3, 1, 2)

    Dias: str
    TipoHoras: str
    horas: str = attribute("HorasExtra", "")
    ImportePagado: str


class JubilacionPensionRetiro(ComplementNode):
    """Percepciones/JubilacionPensionRetiro."""

    HEAD = HEAD
    TEMPLATE = f"{HEAD}/Percepciones/JubilacionPensionRetiro"
    RANKS = (3, 2)

    TotalUnaExhibicion: str | None
    TotalParcialidad: str | None
    MontoDiario: str | None
    IngresoAcumulable: str
    IngresoNoAcumulable: str


class SeparacionIndemnizacion(ComplementNode):
    """Percepciones/SeparacionIndemnizacion."""

    HEAD = HEAD
    TEMPLATE = f"{HEAD}/Percepciones/SeparacionIndemnizacion"
    RANKS = (3, 3)

    TotalPagado: str
    NumAñosServicio: str
    UltimoSueldoMensOrd: str
    IngresoAcumulable: str
    IngresoNoAcumulable: str
