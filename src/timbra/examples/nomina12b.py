"""A minimal valid CFDI 3.3 with the complement Nómina 1.2, whose node is that of CFDI 4.0."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from timbra.examples.cfdi33 import FECHA_33, TO_BE_DEFINED
from timbra.examples.comprobante import CFDI33, KEMPER, Frame, Party, build, with_schema
from timbra.examples.nomina12 import NAMESPACE, SCHEMA, WORKER, dated, line, payroll
from timbra.examples.tree import Change, Node


def nomina33(
    changes: Mapping[str, Change] | None = None,
    *,
    fecha: str = FECHA_33,
    issuer: Party = KEMPER,
    receiver: Party = WORKER,
    payrolls: Sequence[Node] | None = None,
) -> str:
    """The receipt of wages; arguments as those of `timbra.examples.nomina`."""
    nodes = [payroll()] if payrolls is None else list(payrolls)
    extra: dict[str, Change] = {
        "@xmlns:nomina12": NAMESPACE,
        "@xsi:schemaLocation": with_schema(NAMESPACE, SCHEMA, CFDI33),
        "Complemento": Node("cfdi:Complemento", children=[dated(node, fecha[:10]) for node in nodes]),
    }
    attributes = {"Moneda": "MXN", "FormaPago": "99", "MetodoPago": "PUE"}
    frame = Frame("N", TO_BE_DEFINED, attributes, standard=CFDI33)
    return build(frame, [line(nodes)], fecha=fecha, issuer=issuer, receiver=receiver, extra=extra, changes=changes)
