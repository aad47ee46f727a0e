"""Nómina 1.2: employer, worker, earnings, deductions, other payments and incapacities."""

from __future__ import annotations

from decimal import Decimal
from operator import add
from types import MappingProxyType

from timbra.cfdi.nodes.complement import ComplementNode, MisplacedComplement
from timbra.cfdi.nodes.fields import attribute, derived, number_of, present

NAMESPACE = "{http://www.sat.gob.mx/nomina12}"
TAG = f"{NAMESPACE}Nomina"
HEAD = "Complemento/Nomina"


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


class OtroPago(ComplementNode):
    """OtrosPagos/OtroPago."""

    HEAD = HEAD
    TEMPLATE = f"{HEAD}/OtrosPagos/OtroPago[{{}}]"
    RANKS = (5, 1)

    TipoOtroPago: str
    Importe: str
    importe: Decimal = number_of("Importe")
    subsidio: SubsidioAlEmpleo | None
    compensacion: CompensacionSaldosAFavor | None


class SubsidioAlEmpleo(ComplementNode):
    """OtroPago/SubsidioAlEmpleo."""

    HEAD = HEAD
    TEMPLATE = f"{OtroPago.TEMPLATE}/SubsidioAlEmpleo"
    RANKS = (5, 1, 1)

    SubsidioCausado: str
    causado: Decimal = number_of("SubsidioCausado")


class CompensacionSaldosAFavor(ComplementNode):
    """OtroPago/CompensacionSaldosAFavor."""

    HEAD = HEAD
    TEMPLATE = f"{OtroPago.TEMPLATE}/CompensacionSaldosAFavor"
    RANKS = (5, 1, 2)

    SaldoAFavor: str
    Año: str
    RemanenteSalFav: str
    saldo: Decimal = number_of("SaldoAFavor")
    remanente: Decimal = number_of("RemanenteSalFav")


class Incapacidad(ComplementNode):
    """Incapacidades/Incapacidad."""

    HEAD = HEAD
    TEMPLATE = f"{HEAD}/Incapacidades/Incapacidad[{{}}]"
    RANKS = (6, 1)

    DiasIncapacidad: str
    TipoIncapacidad: str
    ImporteMonetario: str | None
    importe: Decimal = number_of("ImporteMonetario")


class EmisorNomina(ComplementNode):
    """Emisor of the complement: the employer."""

    HEAD = HEAD
    TEMPLATE = f"{HEAD}/Emisor"
    RANKS = (1,)

    Curp: str | None
    RegistroPatronal: str | None
    RfcPatronOrigen: str | None
    entidad: EntidadSNCF | None


class EntidadSNCF(ComplementNode):
    """Emisor/EntidadSNCF: the origin of funds of an entity of the Sistema Nacional de Coordinación Fiscal."""

    HEAD = HEAD
    TEMPLATE = f"{HEAD}/Emisor/EntidadSNCF"
    RANKS = (1, 1)

    OrigenRecurso: str
    MontoRecursoPropio: str | None
    monto: Decimal = number_of("MontoRecursoPropio")


class ReceptorNomina(ComplementNode):
    """Receptor of the complement: the worker."""

    HEAD = HEAD
    TEMPLATE = f"{HEAD}/Receptor"
    RANKS = (2,)

    Curp: str
    NumSeguridadSocial: str | None
    FechaInicioRelLaboral: str | None
    Antigüedad: str | None
    TipoContrato: str
    TipoJornada: str | None
    TipoRegimen: str
    RiesgoPuesto: str | None
    PeriodicidadPago: str
    Banco: str | None
    CuentaBancaria: str | None
    SalarioDiarioIntegrado: str | None
    ClaveEntFed: str
    subcontrataciones: tuple[SubContratacion, ...]


class SubContratacion(ComplementNode):
    """Receptor/SubContratacion: a company at which the worker works, with its share of the time in per cent."""

    HEAD = HEAD
    TEMPLATE = f"{HEAD}/Receptor/SubContratacion[{{}}]"
    RANKS = (2, 1)

    RfcLabora: str
    PorcentajeTiempo: str
    porcentaje: Decimal = number_of("PorcentajeTiempo")


class Nomina(ComplementNode):
    """The complement.

    Attributes:
        percepciones, deducciones: the elements that contain the rows; None when absent.
        otros_pagos, incapacidades: the rows.
        has_otros_pagos, has_incapacidades: whether the element that contains the rows is present.
    """

    HEAD = TEMPLATE = HEAD
    TAG = TAG
    CHILDREN = MappingProxyType(
        {"Emisor": 1, "Receptor": 2, "Percepciones": 3, "Deducciones": 4, "OtrosPagos": 5, "Incapacidades": 6}
    )

    TipoNomina: str
    FechaPago: str
    FechaInicialPago: str
    FechaFinalPago: str
    NumDiasPagados: str
    TotalPercepciones: str | None
    TotalDeducciones: str | None
    TotalOtrosPagos: str | None
    dias_pagados: Decimal = number_of("NumDiasPagados")
    total_percepciones: Decimal = number_of("TotalPercepciones")
    total_deducciones: Decimal = number_of("TotalDeducciones")
    total_otros_pagos: Decimal = number_of("TotalOtrosPagos")
    emisor: EmisorNomina | None
    percepciones: Percepciones | None
    deducciones: Deducciones | None
    otros_pagos: tuple[OtroPago, ...]
    incapacidades: tuple[Incapacidad, ...]
    has_otros_pagos: bool = present("OtrosPagos")
    has_incapacidades: bool = present("Incapacidades")
    receptor: ReceptorNomina


class NominaDeConcepto(MisplacedComplement):
    """A Nomina inside a Concepto."""

    TAG = TAG
