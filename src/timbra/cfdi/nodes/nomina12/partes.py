"""Employer and worker."""

from __future__ import annotations

from lxml import etree

from timbra.cfdi.nodes.base import number
from timbra.cfdi.nodes.complement import ComplementNode, Places
from timbra.cfdi.nodes.nomina12.names import HEAD


class EmisorNomina(ComplementNode):
    """Emisor of the complement: the employer."""

    __slots__ = ("Curp", "RegistroPatronal", "RfcPatronOrigen", "entidad")
    HEAD = HEAD
    TEMPLATE = f"{HEAD}/Emisor"
    RANKS = (1,)

    entidad: EntidadSNCF | None

    def __init__(self, element: etree._Element, head: Places) -> None:
        self.places = (*head, 0)
        self.Curp = element.get("Curp")
        self.RegistroPatronal = element.get("RegistroPatronal")
        self.RfcPatronOrigen = element.get("RfcPatronOrigen")
        self.entidad = None


class EntidadSNCF(ComplementNode):
    """Emisor/EntidadSNCF: the origin of funds of an entity of the Sistema Nacional de Coordinación Fiscal."""

    __slots__ = ("MontoRecursoPropio", "OrigenRecurso", "monto")
    HEAD = HEAD
    TEMPLATE = f"{HEAD}/Emisor/EntidadSNCF"
    RANKS = (1, 1)

    def __init__(self, element: etree._Element, head: Places) -> None:
        self.places = (*head, 0, 0)
        self.OrigenRecurso = element.get("OrigenRecurso", "")
        self.MontoRecursoPropio = element.get("MontoRecursoPropio")
        self.monto = number(self.MontoRecursoPropio)


class ReceptorNomina(ComplementNode):
    """Receptor of the complement: the worker."""

    __slots__ = (
        "Antigüedad",
        "Banco",
        "ClaveEntFed",
        "CuentaBancaria",
        "Curp",
        "FechaInicioRelLaboral",
        "NumSeguridadSocial",
        "PeriodicidadPago",
        "RiesgoPuesto",
        "SalarioDiarioIntegrado",
        "TipoContrato",
        "TipoJornada",
        "TipoRegimen",
        "subcontrataciones",
    )
    HEAD = HEAD
    TEMPLATE = f"{HEAD}/Receptor"
    RANKS = (2,)

    subcontrataciones: tuple[SubContratacion, ...]

    def __init__(self, element: etree._Element, head: Places) -> None:
        self.places = (*head, 0)
        get = element.get
        self.Curp = get("Curp", "")
        self.NumSeguridadSocial = get("NumSeguridadSocial")
        self.FechaInicioRelLaboral = get("FechaInicioRelLaboral")
        self.Antigüedad = get("Antigüedad")
        self.TipoContrato = get("TipoContrato", "")
        self.TipoJornada = get("TipoJornada")
        self.TipoRegimen = get("TipoRegimen", "")
        self.RiesgoPuesto = get("RiesgoPuesto")
        self.PeriodicidadPago = get("PeriodicidadPago", "")
        self.Banco = get("Banco")
        self.CuentaBancaria = get("CuentaBancaria")
        self.SalarioDiarioIntegrado = get("SalarioDiarioIntegrado")
        self.ClaveEntFed = get("ClaveEntFed", "")
        self.subcontrataciones = ()


class SubContratacion(ComplementNode):
    """Receptor/SubContratacion: a company at which the worker works, with its share of the time in per cent."""

    __slots__ = ("PorcentajeTiempo", "RfcLabora", "porcentaje")
    HEAD = HEAD
    TEMPLATE = f"{HEAD}/Receptor/SubContratacion[{{}}]"
    RANKS = (2, 1)

    def __init__(self, element: etree._Element, places: tuple[int, ...]) -> None:
        self.places = places
        self.RfcLabora = element.get("RfcLabora", "")
        self.PorcentajeTiempo = element.get("PorcentajeTiempo", "")
        self.porcentaje = number(self.PorcentajeTiempo)
