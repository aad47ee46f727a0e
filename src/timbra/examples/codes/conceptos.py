"""Examples of rules about Conceptos without their taxes: CFDI40162 to CFDI40173, CFDI40187 to CFDI40200."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from timbra.examples.cfdi40 import ingreso
from timbra.examples.codes.example import Example
from timbra.examples.comprobante import CASAS, KEMPER, ExampleParty
from timbra.examples.conceptos import concepto, tax
from timbra.examples.tree import Change, ExampleNode

FOREIGN_NAME = (
    "EXPEDICIÓN DE CFDI POR RESIDENTES EN MÉXICO QUE PRESTAN SERVICIOS DE INTERMEDIACIÓN ENTRE TERCEROS "
    "A OFERENTES DE BIENES Y SERVICIOS RESIDENTES EN EL EXTRANJERO"
)


def parte() -> ExampleNode:
    """A Parte: two pieces at 50.00."""
    part = {"ClaveProdServ": "84111506", "Cantidad": "2", "Descripcion": "Pieza", "ValorUnitario": "50.00"}
    return ExampleNode("cfdi:Parte", {**part, "Importe": "100.00"})


def with_conceptos(*conceptos: ExampleNode) -> str:
    """An invoice of these Conceptos."""
    return ingreso(concepts=conceptos)


def concepto_pair(failing: Callable[[], ExampleNode], passing: Callable[[], ExampleNode] = concepto) -> Example:
    """Two invoices of one Concepto each."""
    return Example(lambda: with_conceptos(passing()), lambda: with_conceptos(failing()))


def on_behalf(changes: Mapping[str, Change] | None = None, third: ExampleParty = CASAS) -> str:
    """A sale on behalf of a third party."""
    node = ExampleNode(
        "cfdi:ACuentaTerceros",
        {
            "RfcACuentaTerceros": third.rfc,
            "NombreACuentaTerceros": third.name,
            "RegimenFiscalACuentaTerceros": third.regime,
            "DomicilioFiscalACuentaTerceros": third.postal_code,
        },
    )
    return ingreso({"Conceptos/Concepto/ACuentaTerceros": node, **(changes or {})})


def on_foreign_behalf(changes: Mapping[str, Change] | None = None) -> str:
    """A sale on behalf of a third party who resides abroad."""
    return on_behalf(changes, ExampleParty("EXT990101NI1", FOREIGN_NAME, KEMPER.postal_code, "616"))


def with_part(changes: Mapping[str, Change] | None = None) -> str:
    """A sale with one Parte, two pieces at 50.00."""
    return ingreso({"Conceptos/Concepto/Parte": parte(), **(changes or {})})


IEPS = [tax("200.00", "003", "0.080000")]
