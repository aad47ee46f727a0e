"""Minimal valid documents with the complement Comercio Exterior 2.0.

exportacion()                                        one piece sold to the United States for 200.00 dollars
exportacion(goods=[mercancia(), mercancia(...)])
envio({"Complemento/ComercioExterior/@MotivoTraslado": "03"})
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal

from timbra.examples.cfdi40 import ingreso
from timbra.examples.comprobante import FECHA, KEMPER, ExampleParty, Frame, build, foreigner_at, with_schema
from timbra.examples.conceptos import concepto, tax
from timbra.examples.totals import rounded, total_of
from timbra.examples.tree import Change, ExampleNode, change

NAMESPACE = "http://www.sat.gob.mx/ComercioExterior20"
SCHEMA = "http://www.sat.gob.mx/sitio_internet/cfd/ComercioExterior20/ComercioExterior20.xsd"
RATE = "18.5000"
NUMBER = "123456789"
"""A tax number of the United States."""


def exportacion(
    changes: Mapping[str, Change] | None = None,
    *,
    fecha: str = FECHA,
    issuer: ExampleParty = KEMPER,
    concepts: Sequence[ExampleNode] | None = None,
    goods: Sequence[ExampleNode] | None = None,
) -> str:
    """Return a definitive export of one piece for 200.00 dollars, with IVA at rate 0."""
    extra: dict[str, Change] = {
        **_carrying(complement(goods, issuer=issuer, number=NUMBER)),
        "@Moneda": "USD",
        "@TipoCambio": RATE,
        "Receptor/@ResidenciaFiscal": "USA",
        "Receptor/@NumRegIdTrib": NUMBER,
    }
    lines = [pieces()] if concepts is None else list(concepts)
    receiver = foreigner_at(issuer.postal_code)
    changed = {**extra, **(changes or {})}
    return ingreso(changed, fecha=fecha, issuer=issuer, receiver=receiver, uso="S01", concepts=lines)


def envio(
    changes: Mapping[str, Change] | None = None,
    *,
    fecha: str = FECHA,
    issuer: ExampleParty = KEMPER,
    concepts: Sequence[ExampleNode] | None = None,
    goods: Sequence[ExampleNode] | None = None,
) -> str:
    """Return a shipment of the issuer's own goods to another place abroad, without a sale."""
    head = change(complement(goods, issuer=issuer), {"@MotivoTraslado": "02"})
    lines = [pieces(price="0", traslados=[])] if concepts is None else list(concepts)
    frame = Frame("T", "S01", {"Moneda": "XXX"}, decimals=0, sums=False)
    extra = _carrying(head)
    return build(frame, lines, fecha=fecha, issuer=issuer, receiver=issuer, extra=extra, changes=changes)


def _carrying(head: ExampleNode) -> dict[str, Change]:
    return {
        "@xmlns:cce20": NAMESPACE,
        "@xsi:schemaLocation": with_schema(NAMESPACE, SCHEMA),
        "@Exportacion": "02",
        "Complemento": ExampleNode("cfdi:Complemento", children=[head]),
    }


def pieces(
    changes: Mapping[str, Change] | None = None,
    *,
    price: str = "200.00",
    traslados: list[dict[str, str]] | None = None,
) -> ExampleNode:
    """Return the Concepto of the exported goods, with IVA at rate 0 unless `traslados` is given."""
    named: dict[str, Change] = {"@ClaveProdServ": "50211503", "@ClaveUnidad": "H87", "@NoIdentificacion": "A1"}
    rows = [tax(price, "002", "0.000000")] if traslados is None else traslados
    return concepto({**named, **(changes or {})}, price=price, traslados=rows)


def mercancia(changes: Mapping[str, Change] | None = None) -> ExampleNode:
    """Return one unit of the goods A1, worth 200.00 dollars."""
    attributes = {
        "NoIdentificacion": "A1",
        "FraccionArancelaria": "2402200100",
        "CantidadAduana": "1.000",
        "UnidadAduana": "01",
        "ValorUnitarioAduana": "200.00",
        "ValorDolares": "200.00",
    }
    return change(ExampleNode("cce20:Mercancia", attributes), changes or {})


def complement(
    goods: Sequence[ExampleNode] | None = None, *, issuer: ExampleParty = KEMPER, number: str | None = None
) -> ExampleNode:
    """Return the node ComercioExterior.

    Args:
        goods: its Mercancia nodes, from which TotalUSD is computed.
        issuer: the issuer.
        number: tax number of the receiver.
    """
    rows = [mercancia()] if goods is None else list(goods)
    home = {"Calle": "Primera", "Estado": "HID", "Pais": "MEX", "CodigoPostal": issuer.postal_code}
    away = {"Calle": "First", "Estado": "TX", "Pais": "USA", "CodigoPostal": "78701"}
    head = {
        "Version": "2.0",
        "ClaveDePedimento": "A1",
        "CertificadoOrigen": "0",
        "Incoterm": "FOB",
        "TipoCambioUSD": RATE,
        "TotalUSD": rounded(Decimal(total_of(rows, "ValorDolares")), 2),
    }
    identified = {} if number is None else {"NumRegIdTrib": number}
    return ExampleNode(
        "cce20:ComercioExterior",
        head,
        [
            ExampleNode("cce20:Emisor", children=[ExampleNode("cce20:Domicilio", home)]),
            ExampleNode("cce20:Receptor", identified, [ExampleNode("cce20:Domicilio", away)]),
            ExampleNode("cce20:Mercancias", children=rows),
        ],
    )
