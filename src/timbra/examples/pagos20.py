"""A minimal valid document with the complement Recepción de Pagos 2.0."""

from __future__ import annotations

from collections.abc import Mapping

from timbra.examples.cfdi40 import EARLIER
from timbra.examples.comprobante import FECHA, KEMPER, ROBOTICA, Frame, Party, build, with_schema
from timbra.examples.conceptos import concepto
from timbra.examples.tree import Change, Node

NAMESPACE = "http://www.sat.gob.mx/Pagos20"
SCHEMA = "http://www.sat.gob.mx/sitio_internet/cfd/Pagos/Pagos20.xsd"


def pago(
    changes: Mapping[str, Change] | None = None,
    *,
    fecha: str = FECHA,
    issuer: Party = KEMPER,
    receiver: Party = ROBOTICA,
    related: str = EARLIER,
) -> str:
    """The receipt of one payment of 232.00 pesos that settles the invoice of folio `related`."""
    line = concepto({"@ClaveUnidad": "ACT", "@Descripcion": "Pago"}, price="0", traslados=[])
    extra: dict[str, Change] = {
        "@xmlns:pago20": NAMESPACE,
        "@xsi:schemaLocation": with_schema(NAMESPACE, SCHEMA),
        "Complemento": Node("cfdi:Complemento", children=[_pagos(fecha, related)]),
    }
    frame = Frame("P", "CP01", {"Moneda": "XXX"}, decimals=0, sums=False)
    return build(frame, [line], fecha=fecha, issuer=issuer, receiver=receiver, extra=extra, changes=changes)


def _pagos(fecha: str, related: str) -> Node:
    document = {
        "IdDocumento": related,
        "MonedaDR": "MXN",
        "EquivalenciaDR": "1",
        "NumParcialidad": "1",
        "ImpSaldoAnt": "232.00",
        "ImpPagado": "232.00",
        "ImpSaldoInsoluto": "0.00",
        "ObjetoImpDR": "01",
    }
    payment = {"FechaPago": fecha, "FormaDePagoP": "03", "MonedaP": "MXN", "TipoCambioP": "1", "Monto": "232.00"}
    return Node(
        "pago20:Pagos",
        {"Version": "2.0"},
        [
            Node("pago20:Totales", {"MontoTotalPagos": "232.00"}),
            Node("pago20:Pago", payment, [Node("pago20:DoctoRelacionado", document)]),
        ],
    )
