"""Minimal valid documents with Carta Porte before 3.1: goods on their way by road of a single municipality."""

from __future__ import annotations

from timbra.examples.cfdi33 import traslado33
from timbra.examples.cfdi40 import traslado
from timbra.examples.complements.complement import OLD, Complement
from timbra.examples.comprobante import KEMPER
from timbra.examples.tree import ExampleNode

TRANSFERS = {"4.0": traslado, "3.3": traslado33}
GOODS = {
    "BienesTransp": "50211503",
    "Descripcion": "Cajas",
    "Cantidad": "1",
    "ClaveUnidad": "XBX",
    "PesoEnKg": "1.000",
}
WEIGHT = {"PesoBrutoTotal": "1.000", "UnidadPeso": "KGM", "NumTotalMercancias": "1"}


def _places(prefix: str, fecha: str) -> ExampleNode:
    at = {"RFCRemitenteDestinatario": KEMPER.rfc, "FechaHoraSalidaLlegada": fecha}
    ends = [
        ExampleNode(f"{prefix}:Ubicacion", {"TipoUbicacion": kind, **at, **also})
        for kind, also in (("Origen", {}), ("Destino", {"DistanciaRecorrida": "1"}))
    ]
    return ExampleNode(f"{prefix}:Ubicaciones", children=ends)


def _newer(prefix: str, fecha: str, head: dict[str, str]) -> ExampleNode:
    goods = ExampleNode(f"{prefix}:Mercancias", dict(WEIGHT), [ExampleNode(f"{prefix}:Mercancia", dict(GOODS))])
    return ExampleNode(f"{prefix}:CartaPorte", head, [_places(prefix, fecha), goods])


def _carta_porte10(fecha: str) -> ExampleNode:
    start = ExampleNode("cartaporte:Ubicacion", children=[ExampleNode("cartaporte:Origen", {"FechaHoraSalida": fecha})])
    end = ExampleNode(
        "cartaporte:Ubicacion", children=[ExampleNode("cartaporte:Destino", {"FechaHoraProgLlegada": fecha})]
    )
    goods = ExampleNode("cartaporte:Mercancia", {"PesoEnKg": "1.000"})
    parts = [
        ExampleNode("cartaporte:Ubicaciones", children=[start, end]),
        ExampleNode("cartaporte:Mercancias", {"NumTotalMercancias": "1"}, [goods]),
    ]
    return ExampleNode("cartaporte:CartaPorte", {"Version": "1.0", "TranspInternac": "No"}, parts)


def _carta_porte20(fecha: str) -> ExampleNode:
    return _newer("cartaporte20", fecha, {"Version": "2.0", "TranspInternac": "No", "TotalDistRec": "1"})


def _carta_porte30(fecha: str) -> ExampleNode:
    head = {"Version": "3.0", "IdCCP": "CCC5b64a-aa4c-40b4-a2f5-572ced52be31", "TranspInternac": "No"}
    return _newer("cartaporte30", fecha, {**head, "TotalDistRec": "1"})


carta_porte10 = Complement(
    "cartaporte10", "CartaPorte", "CartaPorte/CartaPorte.xsd", "1.0", _carta_porte10, OLD, carriers=TRANSFERS
)
carta_porte20 = Complement(
    "cartaporte20",
    "CartaPorte20",
    "CartaPorte/CartaPorte20.xsd",
    "2.0",
    _carta_porte20,
    carriers=TRANSFERS,
    until="2024-03-31T12:00:00",
)
carta_porte30 = Complement(
    "cartaporte30",
    "CartaPorte30",
    "CartaPorte/CartaPorte30.xsd",
    "3.0",
    _carta_porte30,
    ("4.0",),
    carriers=TRANSFERS,
    until="2024-07-16T12:00:00",
)

COMPLEMENTS = (carta_porte10, carta_porte20, carta_porte30)
