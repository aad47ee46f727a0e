"""A minimal valid document with the complement Estado de Cuenta de Combustibles 1.2."""

from __future__ import annotations

from collections.abc import Mapping

from timbra.examples.carrying import carrying
from timbra.examples.cfdi40 import ingreso
from timbra.examples.comprobante import FECHA, KEMPER, ROBOTICA, ExampleParty
from timbra.examples.tree import Change, ExampleNode

NAMESPACE = "http://www.sat.gob.mx/EstadoDeCuentaCombustible12"
SCHEMA = "http://www.sat.gob.mx/sitio_internet/cfd/EstadoDeCuentaCombustible/ecc12.xsd"
STATION = ROBOTICA


def estado_de_cuenta(
    changes: Mapping[str, Change] | None = None, *, fecha: str = FECHA, issuer: ExampleParty = KEMPER
) -> str:
    """Return the invoice for the fee of an electronic wallet, with which ten liters were bought that day."""
    return ingreso({**account(fecha), **(changes or {})}, fecha=fecha, issuer=issuer)


def account(fecha: str = FECHA) -> dict[str, Change]:
    """Return the changes that add the complement to an invoice."""
    head = {"Version": "1.2", "TipoOperacion": "Tarjeta", "NumeroDeCuenta": "1", "SubTotal": "200.00"}
    rows = ExampleNode("ecc12:Conceptos", children=[_purchase(fecha)])
    node = ExampleNode("ecc12:EstadoDeCuentaCombustible", {**head, "Total": "232.00"}, [rows])
    return carrying(node, NAMESPACE, SCHEMA)


def _purchase(fecha: str) -> ExampleNode:
    attributes = {
        "Identificador": "1",
        "Fecha": fecha,
        "Rfc": STATION.rfc,
        "ClaveEstacion": "1",
        "Cantidad": "10.000",
        "TipoCombustible": "1",
        "NombreCombustible": "Gasolina",
        "FolioOperacion": "1",
        "ValorUnitario": "20.000",
        "Importe": "200.00",
    }
    tax = ExampleNode("ecc12:Traslado", {"Impuesto": "IVA", "TasaOCuota": "0.160000", "Importe": "32.00"})
    return ExampleNode(
        "ecc12:ConceptoEstadoDeCuentaCombustible", attributes, [ExampleNode("ecc12:Traslados", children=[tax])]
    )
