"""Minimal valid CFDI 3.3 documents, as they were made until March 2023: validated, never stamped."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from timbra.examples.comprobante import CFDI33, KEMPER, ROBOTICA, Frame, Party, build
from timbra.examples.conceptos import concepto
from timbra.examples.tree import Change, Node

FECHA_33 = "2022-11-17T12:00:00"
TO_BE_DEFINED = "P01"
"""The use of CFDI for all that is none of the others."""


def ingreso33(
    changes: Mapping[str, Change] | None = None,
    *,
    fecha: str = FECHA_33,
    issuer: Party = KEMPER,
    receiver: Party = ROBOTICA,
    uso: str = "G03",
    concepts: int | Sequence[Node] = 1,
    decimals: int = 2,
) -> str:
    """An invoice, unsealed; arguments as those of `timbra.examples.ingreso`."""
    frame = Frame("I", uso, {"Moneda": "MXN", "FormaPago": "03", "MetodoPago": "PUE"}, decimals, standard=CFDI33)
    nodes = [concepto() for _ in range(concepts)] if isinstance(concepts, int) else list(concepts)
    return build(frame, nodes, fecha=fecha, issuer=issuer, receiver=receiver, changes=changes)


def traslado33(changes: Mapping[str, Change] | None = None, *, fecha: str = FECHA_33, issuer: Party = KEMPER) -> str:
    """A transfer of goods without an invoice: the receiver is the issuer, nothing is charged."""
    goods = concepto(
        {"@ClaveProdServ": "50211503", "@ClaveUnidad": "XBX", "@Descripcion": "Cajas"}, price="0", traslados=[]
    )
    frame = Frame("T", TO_BE_DEFINED, {"Moneda": "XXX"}, decimals=0, sums=False, standard=CFDI33)
    return build(frame, [goods], fecha=fecha, issuer=issuer, receiver=issuer, changes=changes)
