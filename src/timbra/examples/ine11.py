"""A minimal valid document with the complement INE 1.1."""

from __future__ import annotations

from collections.abc import Mapping

from timbra.examples.carrying import carrying
from timbra.examples.cfdi40 import ingreso
from timbra.examples.comprobante import FECHA, KEMPER, ExampleParty
from timbra.examples.tree import Change, ExampleNode

NAMESPACE = "http://www.sat.gob.mx/ine"
SCHEMA = "http://www.sat.gob.mx/sitio_internet/cfd/ine/ine11.xsd"


def ine(changes: Mapping[str, Change] | None = None, *, fecha: str = FECHA, issuer: ExampleParty = KEMPER) -> str:
    """Return an invoice for a service to the national committee of a party, outside any election."""
    return ingreso({**committee(), **(changes or {})}, fecha=fecha, issuer=issuer)


def committee() -> dict[str, Change]:
    """Return the changes that add the complement to an invoice."""
    head = {"Version": "1.1", "TipoProceso": "Ordinario", "TipoComite": "Ejecutivo Nacional"}
    return carrying(ExampleNode("ine:INE", head), NAMESPACE, SCHEMA)
