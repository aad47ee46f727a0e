"""Minimal valid CFDI 3.3 with the complement Recepción de Pagos 1.0.

pago10()                                                       one payment in pesos that settles an invoice
pago10(payments=[payment([document(), document("100.00")])])
pago10(payments=[payment([document("100.00", currency="USD", rate="0.054054")])])
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import ROUND_HALF_UP, Decimal

from timbra.examples.cfdi33 import FECHA_33, TO_BE_DEFINED
from timbra.examples.cfdi40 import EARLIER
from timbra.examples.comprobante import CFDI33, KEMPER, ROBOTICA, ExampleParty, Frame, build, with_schema
from timbra.examples.conceptos import concepto
from timbra.examples.tree import Change, ExampleNode, change

NAMESPACE = "http://www.sat.gob.mx/Pagos"
SCHEMA = "http://www.sat.gob.mx/sitio_internet/cfd/Pagos/Pagos10.xsd"
PAID = "232.00"


def pago10(
    changes: Mapping[str, Change] | None = None,
    *,
    fecha: str = FECHA_33,
    issuer: ExampleParty = KEMPER,
    receiver: ExampleParty = ROBOTICA,
    payments: Sequence[ExampleNode] | None = None,
) -> str:
    """Return a receipt of payments, by default of one of 232.00 pesos that settles an invoice."""
    nodes = [payment([document()])] if payments is None else list(payments)
    extra: dict[str, Change] = {
        "@xsi:schemaLocation": with_schema(NAMESPACE, SCHEMA, CFDI33),
        "@xmlns:pago10": NAMESPACE,
        "Complemento": ExampleNode("cfdi:Complemento", children=[complement(nodes, fecha)]),
    }
    frame = Frame("P", TO_BE_DEFINED, {"Moneda": "XXX"}, decimals=0, sums=False, standard=CFDI33)
    return build(frame, [line()], fecha=fecha, issuer=issuer, receiver=receiver, extra=extra, changes=changes)


def line() -> ExampleNode:
    """Return the only Concepto of a payment."""
    return concepto({"@ClaveUnidad": "ACT", "@Descripcion": "Pago", "@ObjetoImp": None}, price="0", traslados=[])


def complement(payments: Sequence[ExampleNode], fecha: str = FECHA_33) -> ExampleNode:
    """Return the node Pagos; payments without a date get `fecha`."""
    for node in payments:
        node.attributes = {"FechaPago": fecha, **node.attributes}
    return ExampleNode("pago10:Pagos", {"Version": "1.0"}, list(payments))


def payment(
    documents: Sequence[ExampleNode],
    changes: Mapping[str, Change] | None = None,
    *,
    amount: str | None = None,
    currency: str = "MXN",
    rate: str | None = None,
    decimals: int = 2,
) -> ExampleNode:
    """Return a transfer.

    Args:
        documents: the paid documents.
        changes: see `timbra.examples.tree.change`.
        amount: Monto; the sum of the documents when not given.
        currency: MonedaP.
        rate: TipoCambioP, pesos per unit of another currency.
        decimals: decimals of the currency.
    """
    head = {"FormaDePagoP": "03", "MonedaP": currency}
    if rate is not None:
        head["TipoCambioP"] = rate
    head["Monto"] = _paid(documents, decimals) if amount is None else amount
    return change(ExampleNode("pago10:Pago", head, list(documents)), changes or {})


def document(
    paid: str = PAID,
    changes: Mapping[str, Change] | None = None,
    *,
    related: str = EARLIER,
    currency: str = "MXN",
    rate: str | None = None,
) -> ExampleNode:
    """Return an invoice that is paid in full.

    Args:
        paid: ImpPagado and ImpSaldoAnt.
        changes: see `timbra.examples.tree.change`.
        related: IdDocumento.
        currency: MonedaDR.
        rate: TipoCambioDR, units of its currency for one of the payment's, when they differ.
    """
    attributes = {"IdDocumento": related, "MonedaDR": currency}
    if rate is not None:
        attributes["TipoCambioDR"] = rate
    attributes |= {
        "MetodoDePagoDR": "PPD",
        "NumParcialidad": "1",
        "ImpSaldoAnt": paid,
        "ImpPagado": paid,
        "ImpSaldoInsoluto": _rounded(Decimal(0), len(paid.partition(".")[2])),
    }
    return change(ExampleNode("pago10:DoctoRelacionado", attributes), changes or {})


def _paid(documents: Sequence[ExampleNode], decimals: int) -> str:
    every = [node.attributes for node in documents]
    total = sum([Decimal(each["ImpPagado"]) / Decimal(each.get("TipoCambioDR", "1")) for each in every], Decimal(0))
    return _rounded(total, decimals)


def _rounded(value: Decimal, decimals: int) -> str:
    return str(value.quantize(Decimal(1).scaleb(-decimals), rounding=ROUND_HALF_UP))
