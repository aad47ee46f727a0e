"""Minimal valid CFDI 3.3 documents, as issued until March 2023: they can be validated, not stamped."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from timbra.examples.comprobante import CFDI33, KEMPER, ROBOTICA, ExampleParty, Frame, build, foreigner_at, with_schema
from timbra.examples.conceptos import PRICE, concepto, tax
from timbra.examples.tree import Change, ExampleNode

CCE11 = "http://www.sat.gob.mx/ComercioExterior11"
CCE11_SCHEMA = "http://www.sat.gob.mx/sitio_internet/cfd/ComercioExterior11/ComercioExterior11.xsd"
FECHA_33 = "2022-11-17T12:00:00"
RATE = "18.5000"
TO_BE_DEFINED = "P01"
"""UsoCFDI "Por definir"."""


def ingreso33(
    changes: Mapping[str, Change] | None = None,
    *,
    fecha: str = FECHA_33,
    issuer: ExampleParty = KEMPER,
    receiver: ExampleParty = ROBOTICA,
    uso: str = "G03",
    concepts: int | Sequence[ExampleNode] = 1,
    decimals: int = 2,
) -> str:
    """Return an invoice, unsealed; arguments as those of `timbra.examples.ingreso`."""
    frame = Frame("I", uso, {"Moneda": "MXN", "FormaPago": "03", "MetodoPago": "PUE"}, decimals, standard=CFDI33)
    nodes = [concepto() for _ in range(concepts)] if isinstance(concepts, int) else list(concepts)
    return build(frame, nodes, fecha=fecha, issuer=issuer, receiver=receiver, changes=changes)


def traslado33(
    changes: Mapping[str, Change] | None = None, *, fecha: str = FECHA_33, issuer: ExampleParty = KEMPER
) -> str:
    """Return a transfer of goods without an invoice: the receiver is the issuer, and the amounts are 0."""
    goods = concepto(
        {"@ClaveProdServ": "50211503", "@ClaveUnidad": "XBX", "@Descripcion": "Cajas"}, price="0", traslados=[]
    )
    frame = Frame("T", TO_BE_DEFINED, {"Moneda": "XXX"}, decimals=0, sums=False, standard=CFDI33)
    return build(frame, [goods], fecha=fecha, issuer=issuer, receiver=issuer, changes=changes)


def exportacion33(changes: Mapping[str, Change] | None = None, *, fecha: str = FECHA_33) -> str:
    """Return a definitive export of one piece for 200.00 dollars, with the complement Comercio Exterior 1.1."""
    pieces = concepto(
        {"@ClaveProdServ": "50211503", "@NoIdentificacion": "P1", "@ClaveUnidad": "H87", "@Descripcion": "Piezas"},
        traslados=[tax(PRICE, "002", "0.000000")],
    )
    extra: dict[str, Change] = {
        "@xmlns:cce11": CCE11,
        "@xsi:schemaLocation": with_schema(CCE11, CCE11_SCHEMA, CFDI33),
        "@Moneda": "USD",
        "@TipoCambio": RATE,
        "Receptor/@ResidenciaFiscal": "USA",
        "Receptor/@NumRegIdTrib": "123456789",
        "Complemento": ExampleNode("cfdi:Complemento", children=[_comercio_exterior()]),
    }
    receiver = foreigner_at(KEMPER.postal_code)
    changed = {**extra, **(changes or {})}
    return ingreso33(changed, fecha=fecha, receiver=receiver, uso=TO_BE_DEFINED, concepts=[pieces])


def _comercio_exterior() -> ExampleNode:
    goods = {"NoIdentificacion": "P1", "FraccionArancelaria": "24022001", "CantidadAduana": "1", "UnidadAduana": "06"}
    goods |= {"ValorUnitarioAduana": PRICE, "ValorDolares": PRICE}
    place = {"Calle": "Main Street", "Estado": "TX", "Pais": "USA", "CodigoPostal": "75001"}
    home = {"Calle": "Reforma", "Estado": "HID", "Pais": "MEX", "CodigoPostal": KEMPER.postal_code}
    head = {"Version": "1.1", "TipoOperacion": "2", "ClaveDePedimento": "A1", "CertificadoOrigen": "0"}
    head |= {"Incoterm": "FOB", "Subdivision": "0", "TipoCambioUSD": RATE, "TotalUSD": PRICE}
    return ExampleNode(
        "cce11:ComercioExterior",
        head,
        [
            ExampleNode("cce11:Emisor", children=[ExampleNode("cce11:Domicilio", home)]),
            ExampleNode("cce11:Receptor", children=[ExampleNode("cce11:Domicilio", place)]),
            ExampleNode("cce11:Mercancias", children=[ExampleNode("cce11:Mercancia", goods)]),
        ],
    )
