"""Minimal valid documents with complements about vehicles: sold, bought back, destroyed, shared."""

from __future__ import annotations

from timbra.examples.complements.complement import Complement
from timbra.examples.tree import ExampleNode


def _usado(_fecha: str) -> ExampleNode:
    vehicle = {"claveVehicular": "1234567", "marca": "MARCA", "tipo": "SEDÁN", "modelo": "2020"}
    amounts = {"montoAdquisicion": "100000.00", "montoEnajenacion": "90000.00", "valor": "95000.00"}
    return ExampleNode("vehiculousado:VehiculoUsado", {"Version": "1.0", **amounts, **vehicle})


def _venta(_fecha: str) -> ExampleNode:
    attributes = {"version": "1.1", "ClaveVehicular": "1234567", "Niv": "3N1AB7AP0FY200001"}
    return ExampleNode("ventavehiculos:VentaVehiculos", attributes)


def _destruccion(_fecha: str) -> ExampleNode:
    vehicle = {"Marca": "MARCA", "TipooClase": "SEDÁN", "Año": "1995", "NumPlacas": "ABC123", "NumFolTarjCir": "1"}
    head = {"Version": "1.0", "Serie": "SERIE A", "NumFolDesVeh": "1"}
    return ExampleNode(
        "destruccion:certificadodedestruccion", head, [ExampleNode("destruccion:VehiculoDestruido", vehicle)]
    )


def _renovacion(_fecha: str) -> ExampleNode:
    return ExampleNode("decreto:renovacionysustitucionvehiculos", {"Version": "1.0", "TipoDeDecreto": "01"})


def _coordinado(_fecha: str) -> ExampleNode:
    attributes = {"version": "1.0", "ClaveVehicular": "1234567", "Placa": "ABC123"}
    return ExampleNode("pfic:PFintegranteCoordinado", attributes)


RENEWED = "renovacionysustitucionvehiculos"
vehiculo_usado = Complement("vehiculousado", "vehiculousado", "vehiculousado/vehiculousado.xsd", "1.0", _usado)
venta_vehiculos = Complement(
    "ventavehiculos", "ventavehiculos", "ventavehiculos/ventavehiculos11.xsd", "1.1", _venta, in_concepto=True
)
certificado_de_destruccion = Complement(
    "certificadodestruccion",
    "certificadodestruccion",
    "certificadodestruccion/certificadodedestruccion.xsd",
    "1.0",
    _destruccion,
)
renovacion_y_sustitucion = Complement("renovacionysustitucion", RENEWED, f"{RENEWED}/{RENEWED}.xsd", "1.0", _renovacion)
integrante_coordinado = Complement("pfic", "pfic", "pfic/pfic.xsd", "1.0", _coordinado)

COMPLEMENTS = (
    vehiculo_usado,
    venta_vehiculos,
    certificado_de_destruccion,
    renovacion_y_sustitucion,
    integrante_coordinado,
)
