"""Employer and worker."""

from __future__ import annotations

from decimal import Decimal

from timbra.cfdi.nodes.complement import ComplementNode
from timbra.cfdi.nodes.fields import number_of
from timbra.cfdi.nodes.nomina12.names import HEAD


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
