"""A minimal valid document with the complement Comercio Exterior 2.0."""

from __future__ import annotations

from collections.abc import Mapping

from timbra.examples.cfdi40 import ingreso
from timbra.examples.comprobante import FECHA, KEMPER, foreigner_at, with_schema
from timbra.examples.conceptos import concepto, tax
from timbra.examples.tree import Change, Node

NAMESPACE = "http://www.sat.gob.mx/ComercioExterior20"
SCHEMA = "http://www.sat.gob.mx/sitio_internet/cfd/ComercioExterior20/ComercioExterior20.xsd"


def exportacion(changes: Mapping[str, Change] | None = None, *, fecha: str = FECHA) -> str:
    """A definitive export of one piece for 200.00 dollars, with IVA at rate 0."""
    goods = concepto(
        {"@ClaveProdServ": "50211503", "@ClaveUnidad": "H87", "@NoIdentificacion": "A1"},
        traslados=[tax("200.00", "002", "0.000000")],
    )
    extra: dict[str, Change] = {
        "@xmlns:cce20": NAMESPACE,
        "@xsi:schemaLocation": with_schema(NAMESPACE, SCHEMA),
        "@Exportacion": "02",
        "@Moneda": "USD",
        "@TipoCambio": "18.5000",
        "Receptor/@ResidenciaFiscal": "USA",
        "Receptor/@NumRegIdTrib": "123456789",
        "Complemento": Node("cfdi:Complemento", children=[_complement()]),
    }
    receiver = foreigner_at(KEMPER.postal_code)
    return ingreso({**extra, **(changes or {})}, fecha=fecha, receiver=receiver, uso="S01", concepts=[goods])


def _complement() -> Node:
    home = {"Calle": "Primera", "Estado": "HID", "Pais": "MEX", "CodigoPostal": KEMPER.postal_code}
    away = {"Calle": "First", "Estado": "TX", "Pais": "USA", "CodigoPostal": "78701"}
    goods = {
        "NoIdentificacion": "A1",
        "FraccionArancelaria": "2402200100",
        "CantidadAduana": "1",
        "UnidadAduana": "06",
        "ValorUnitarioAduana": "200.00",
        "ValorDolares": "200.00",
    }
    head = {
        "Version": "2.0",
        "ClaveDePedimento": "A1",
        "CertificadoOrigen": "0",
        "TipoCambioUSD": "18.5000",
        "TotalUSD": "200.00",
    }
    return Node(
        "cce20:ComercioExterior",
        head,
        [
            Node("cce20:Emisor", children=[Node("cce20:Domicilio", home)]),
            Node("cce20:Receptor", children=[Node("cce20:Domicilio", away)]),
            Node("cce20:Mercancias", children=[Node("cce20:Mercancia", goods)]),
        ],
    )
