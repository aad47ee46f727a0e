"""Minimal valid CFDI 4.0 documents, one function per type.

Each function accepts `changes` by path (see `timbra.examples.tree.change`), so that a test states only the difference
from the valid document.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from timbra.examples.comprobante import FECHA, KEMPER, ROBOTICA, ExampleParty, Frame, build, public_at
from timbra.examples.conceptos import concepto
from timbra.examples.tree import Change, ExampleNode

EARLIER = "5b64ada3-aa4c-40b4-a2f5-572ced52be31"
_IN_PESOS = {"Moneda": "MXN", "FormaPago": "03", "MetodoPago": "PUE"}
_NO_MONEY = {"Moneda": "XXX"}


def _conceptos(concepts: int | Sequence[ExampleNode]) -> list[ExampleNode]:
    return [concepto() for _ in range(concepts)] if isinstance(concepts, int) else list(concepts)


def ingreso(
    changes: Mapping[str, Change] | None = None,
    *,
    fecha: str = FECHA,
    issuer: ExampleParty = KEMPER,
    receiver: ExampleParty = ROBOTICA,
    uso: str = "G03",
    concepts: int | Sequence[ExampleNode] = 1,
    decimals: int = 2,
) -> str:
    """Return an invoice, unsealed.

    Args:
        changes: see `timbra.examples.tree.change`.
        fecha: Fecha.
        issuer: the issuer.
        receiver: the receiver.
        uso: UsoCFDI.
        concepts: number of equal Conceptos, or the Conceptos themselves.
        decimals: decimals of the currency, for the sums; the currency itself is a change (`{"@Moneda": "JPY", ...}`).
    """
    frame = Frame("I", uso, _IN_PESOS, decimals)
    return build(frame, _conceptos(concepts), fecha=fecha, issuer=issuer, receiver=receiver, changes=changes)


def global_invoice(
    changes: Mapping[str, Change] | None = None,
    *,
    fecha: str = FECHA,
    issuer: ExampleParty = KEMPER,
    concepts: int | Sequence[ExampleNode] = 1,
) -> str:
    """Return the invoice of one day's sales to the general public."""
    sales = {"@ClaveProdServ": "01010101", "@ClaveUnidad": "ACT", "@Descripcion": "Venta", "@NoIdentificacion": "V1"}
    nodes = [concepto(sales) for _ in range(concepts)] if isinstance(concepts, int) else list(concepts)
    year, month, _ = fecha.split("-", 2)
    return build(
        Frame("I", "S01", {**_IN_PESOS, "FormaPago": "01"}),
        nodes,
        fecha=fecha,
        issuer=issuer,
        receiver=public_at(issuer.postal_code),
        extra={
            "InformacionGlobal": ExampleNode(
                "cfdi:InformacionGlobal", {"Periodicidad": "01", "Meses": month, "Año": year}
            )
        },
        changes=changes,
    )


def egreso(
    changes: Mapping[str, Change] | None = None,
    *,
    fecha: str = FECHA,
    issuer: ExampleParty = KEMPER,
    receiver: ExampleParty = ROBOTICA,
    related: str = EARLIER,
    concepts: int | Sequence[ExampleNode] = 1,
) -> str:
    """Return a credit note for the invoice of folio `related`."""
    return build(
        Frame("E", "G02", _IN_PESOS),
        _conceptos(concepts),
        fecha=fecha,
        issuer=issuer,
        receiver=receiver,
        extra={"CfdiRelacionados": relation("01", related)},
        changes=changes,
    )


def relation(tipo: str, *folios: str) -> ExampleNode:
    """Return a CfdiRelacionados with that TipoRelacion."""
    children = [ExampleNode("cfdi:CfdiRelacionado", {"UUID": folio}) for folio in folios]
    return ExampleNode("cfdi:CfdiRelacionados", {"TipoRelacion": tipo}, children)


def traslado(changes: Mapping[str, Change] | None = None, *, fecha: str = FECHA, issuer: ExampleParty = KEMPER) -> str:
    """Return a transfer of goods without an invoice: the receiver is the issuer, and the amounts are 0."""
    goods = concepto(
        {"@ClaveProdServ": "50211503", "@ClaveUnidad": "XBX", "@Descripcion": "Cajas"}, price="0", traslados=[]
    )
    frame = Frame("T", "S01", _NO_MONEY, decimals=0, sums=False)
    return build(frame, [goods], fecha=fecha, issuer=issuer, receiver=issuer, changes=changes)
