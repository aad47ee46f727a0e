"""Minimal valid documents with complements of schools, donees, parties, providers and third parties."""

from __future__ import annotations

from timbra.examples.complements.complement import OLD, Complement
from timbra.examples.complements.money import CURP
from timbra.examples.comprobante import KEMPER, ROBOTICA
from timbra.examples.tree import ExampleNode


def _iedu(_fecha: str) -> ExampleNode:
    pupil = {"nombreAlumno": "Ana Casas", "CURP": CURP, "nivelEducativo": "Primaria", "autRVOE": "1"}
    return ExampleNode("iedu:instEducativas", {"version": "1.0", **pupil})


def _donatarias(_fecha: str) -> ExampleNode:
    granted = {"noAutorizacion": "325-SAT-1", "fechaAutorizacion": "2020-01-15"}
    return ExampleNode("donat:Donatarias", {"version": "1.1", **granted, "leyenda": "Donativo deducible"})


def _leyendas(_fecha: str) -> ExampleNode:
    legend = ExampleNode("leyendasFisc:Leyenda", {"textoLeyenda": "Leyenda de prueba"})
    return ExampleNode("leyendasFisc:LeyendasFiscales", {"version": "1.0"}, [legend])


def _terceros(_fecha: str) -> ExampleNode:
    tax = ExampleNode("terceros:Traslado", {"impuesto": "IVA", "tasa": "16.00", "importe": "32.00"})
    taxes = ExampleNode("terceros:Impuestos", children=[ExampleNode("terceros:Traslados", children=[tax])])
    return ExampleNode("terceros:PorCuentadeTerceros", {"version": "1.1", "rfc": ROBOTICA.rfc}, [taxes])


def _registro_fiscal(_fecha: str) -> ExampleNode:
    return ExampleNode("registrofiscal:CFDIRegistroFiscal", {"Version": "1.0", "Folio": "0000000000000001"})


def _ine10(_fecha: str) -> ExampleNode:
    return ExampleNode("ine:INE", {"Version": "1.0", "TipoProceso": "Ordinario", "TipoComite": "Ejecutivo Nacional"})


def _psgecfd(fecha: str) -> ExampleNode:
    provider = {"nombre": KEMPER.name, "rfc": KEMPER.rfc, "noCertificado": "00001000000500003416"}
    granted = {"fechaAutorizacion": fecha, "noAutorizacion": "1", "selloDelPSGECFD": "c2VsbG8="}
    return ExampleNode("psgecfd:PrestadoresDeServiciosDeCFD", {**provider, **granted})


def _nomina11(fecha: str) -> ExampleNode:
    day = fecha[:10]
    days = {"FechaPago": day, "FechaInicialPago": day, "FechaFinalPago": day, "NumDiasPagados": "1"}
    worker = {"NumEmpleado": "1", "CURP": CURP, "TipoRegimen": "2", "PeriodicidadPago": "Diario"}
    return ExampleNode("nomina:Nomina", {"Version": "1.1", **worker, **days})


instituciones_educativas = Complement("iedu", "iedu", "iedu/iedu.xsd", "1.0", _iedu, in_concepto=True)
donatarias = Complement("donatarias", "donat", "donat/donat11.xsd", "1.1", _donatarias)
leyendas_fiscales = Complement(
    "leyendasfiscales", "leyendasFiscales", "leyendasFiscales/leyendasFisc.xsd", "1.0", _leyendas
)
terceros = Complement("terceros", "terceros", "terceros/terceros11.xsd", "1.1", _terceros, OLD, in_concepto=True)
registro_fiscal = Complement(
    "registrofiscal", "registrofiscal", "cfdiregistrofiscal/cfdiregistrofiscal.xsd", "1.0", _registro_fiscal
)
ine10 = Complement("ine10", "ine", "ine/ine10.xsd", "1.0", _ine10, OLD)
prestadores_de_servicios = Complement("psgecfd", "psgecfd", "psgecfd/psgecfd.xsd", "", _psgecfd, OLD)
nomina11 = Complement("nomina11", "nomina", "nomina/nomina11.xsd", "1.1", _nomina11, OLD)

COMPLEMENTS = (
    instituciones_educativas,
    donatarias,
    leyendas_fiscales,
    terceros,
    registro_fiscal,
    ine10,
    prestadores_de_servicios,
    nomina11,
)
