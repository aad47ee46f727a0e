"""A minimal valid CFDI 3.3 with the complement Nómina 1.2, whose node is that of CFDI 4.0."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from timbra.examples.cfdi33 import FECHA_33, TO_BE_DEFINED
from timbra.examples.comprobante import CFDI33, KEMPER, ExampleParty, Frame, build
from timbra.examples.nomina12 import WORKER, carrying, line, payroll
from timbra.examples.tree import Change, ExampleNode


def nomina33(
    changes: Mapping[str, Change] | None = None,
    *,
    fecha: str = FECHA_33,
    issuer: ExampleParty = KEMPER,
    receiver: ExampleParty = WORKER,
    payrolls: Sequence[ExampleNode] | None = None,
) -> str:
    """Return a payroll receipt; arguments as those of `timbra.examples.nomina`."""
    payrolls = [payroll()] if payrolls is None else payrolls
    attributes = {"Moneda": "MXN", "FormaPago": "99", "MetodoPago": "PUE"}
    frame = Frame("N", TO_BE_DEFINED, attributes, standard=CFDI33)
    extra = carrying(payrolls, fecha, frame)
    return build(frame, [line(payrolls)], fecha=fecha, issuer=issuer, receiver=receiver, extra=extra, changes=changes)
