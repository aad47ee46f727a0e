"""Nómina 1.2: employer, worker, earnings, deductions, other payments and incapacities."""

from __future__ import annotations

from timbra.cfdi.nodes.nomina12.deducciones import Deduccion, Deducciones
from timbra.cfdi.nodes.nomina12.lugar import NominaDeConcepto
from timbra.cfdi.nodes.nomina12.names import NAMESPACE, TAG
from timbra.cfdi.nodes.nomina12.nomina import Nomina
from timbra.cfdi.nodes.nomina12.otros_pagos import CompensacionSaldosAFavor, Incapacidad, OtroPago, SubsidioAlEmpleo
from timbra.cfdi.nodes.nomina12.partes import EmisorNomina, EntidadSNCF, ReceptorNomina, SubContratacion
from timbra.cfdi.nodes.nomina12.percepciones import (
    AccionesOTitulos,
    HorasExtra,
    JubilacionPensionRetiro,
    Percepcion,
    Percepciones,
    SeparacionIndemnizacion,
)

__all__ = [
    "NAMESPACE",
    "TAG",
    "AccionesOTitulos",
    "CompensacionSaldosAFavor",
    "Deduccion",
    "Deducciones",
    "EmisorNomina",
    "EntidadSNCF",
    "HorasExtra",
    "Incapacidad",
    "JubilacionPensionRetiro",
    "Nomina",
    "NominaDeConcepto",
    "OtroPago",
    "Percepcion",
    "Percepciones",
    "ReceptorNomina",
    "SeparacionIndemnizacion",
    "SubContratacion",
    "SubsidioAlEmpleo",
]
