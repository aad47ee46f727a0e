"""A minimal valid document with the complement Hidrocarburos y Petrolíferos 1.0."""

from __future__ import annotations

from collections.abc import Mapping

from timbra.examples.cfdi40 import ingreso
from timbra.examples.comprobante import FECHA, KEMPER, ExampleParty, with_schema
from timbra.examples.conceptos import concepto
from timbra.examples.tree import Change, ExampleNode, change

NAMESPACE = "http://www.sat.gob.mx/hidrocarburospetroliferos"
SCHEMA = "http://www.sat.gob.mx/sitio_internet/cfd/hidrocarburospetroliferos.xsd"
PREMIUM = "15101515"
PERMIT = "PL/12345/EXP/ES/2015"


def gasolina(changes: Mapping[str, Change] | None = None, *, fecha: str = FECHA, issuer: ExampleParty = KEMPER) -> str:
    """Return an invoice for gasoline that a station sells under a permit."""
    extra: dict[str, Change] = {
        "@xmlns:hidrocarburospetroliferos": NAMESPACE,
        "@xsi:schemaLocation": with_schema(NAMESPACE, SCHEMA),
    }
    return ingreso({**extra, **(changes or {})}, fecha=fecha, issuer=issuer, concepts=[fuel(permit())])


def fuel(*permits: ExampleNode) -> ExampleNode:
    """Return a Concepto of gasoline with these complements."""
    line = concepto({"@ClaveProdServ": PREMIUM, "@ClaveUnidad": "LTR", "@Descripcion": "Gasolina premium"})
    if permits:
        line.children.append(ExampleNode("cfdi:ComplementoConcepto", children=list(permits)))
    return line


def permit(changes: Mapping[str, Change] | None = None) -> ExampleNode:
    """Return the complement itself."""
    attributes = {
        "Version": "1.0",
        "TipoPermiso": "PER01",
        "NumeroPermiso": PERMIT,
        "ClaveHYP": PREMIUM,
        "SubProductoHYP": "SP17",
    }
    return change(ExampleNode("hidrocarburospetroliferos:HidroYPetro", attributes), changes or {})
