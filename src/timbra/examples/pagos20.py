"""Minimal valid documents with the complement Recepción de Pagos 2.0.

pago()                                           one payment in pesos that settles an invoice without taxes
pago(payments=[payment([document(traslados=[tax("200.00", "002", "0.160000")])])])
pago(payments=[payment([document("232.00")], currency="USD", rate="20")])
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from decimal import ROUND_HALF_UP, Decimal

from timbra.examples.cfdi40 import EARLIER
from timbra.examples.comprobante import FECHA, KEMPER, ROBOTICA, ExampleParty, Frame, build, with_schema
from timbra.examples.conceptos import concepto
from timbra.examples.tree import Change, ExampleNode, change

NAMESPACE = "http://www.sat.gob.mx/Pagos20"
SCHEMA = "http://www.sat.gob.mx/sitio_internet/cfd/Pagos/Pagos20.xsd"
PAID = "232.00"
_IVA = {"0.160000": "IVA16", "0.080000": "IVA8", "0.000000": "IVA0"}
_WITHHELD = {"002": "IVA", "001": "ISR", "003": "IEPS"}


def pago(
    changes: Mapping[str, Change] | None = None,
    *,
    fecha: str = FECHA,
    issuer: ExampleParty = KEMPER,
    receiver: ExampleParty = ROBOTICA,
    related: str = EARLIER,
    payments: Sequence[ExampleNode] | None = None,
) -> str:
    """Return a receipt of payments, by default of one of 232.00 pesos that settles the invoice of folio `related`."""
    line = concepto({"@ClaveUnidad": "ACT", "@Descripcion": "Pago"}, price="0", traslados=[])
    nodes = [payment([document(related=related)])] if payments is None else list(payments)
    extra: dict[str, Change] = {
        "@xmlns:pago20": NAMESPACE,
        "@xsi:schemaLocation": with_schema(NAMESPACE, SCHEMA),
        "Complemento": ExampleNode("cfdi:Complemento", children=[complement(nodes, fecha)]),
    }
    frame = Frame("P", "CP01", {"Moneda": "XXX"}, decimals=0, sums=False)
    return build(frame, [line], fecha=fecha, issuer=issuer, receiver=receiver, extra=extra, changes=changes)


def complement(payments: Sequence[ExampleNode], fecha: str = FECHA) -> ExampleNode:
    """Return the node Pagos with its totals; payments without a date get `fecha`."""
    for node in payments:
        node.attributes = {"FechaPago": fecha, **node.attributes}
    return ExampleNode(
        "pago20:Pagos", {"Version": "2.0"}, [ExampleNode("pago20:Totales", _totals(payments)), *payments]
    )


def payment(
    documents: Sequence[ExampleNode],
    changes: Mapping[str, Change] | None = None,
    *,
    currency: str = "MXN",
    rate: str = "1",
    decimals: int = 2,
) -> ExampleNode:
    """Return a transfer that pays the documents, with their taxes.

    Args:
        documents: the paid documents.
        changes: see `timbra.examples.tree.change`.
        currency: MonedaP.
        rate: TipoCambioP, pesos per unit of the currency.
        decimals: decimals of the currency.
    """
    paid = sum((_converted(node, node.attributes["ImpPagado"]) for node in documents), Decimal(0))
    head = {"FormaDePagoP": "03", "MonedaP": currency, "TipoCambioP": rate, "Monto": _rounded(paid, decimals)}
    taxes = _taxes(documents)
    node = ExampleNode("pago20:Pago", head, [*documents, *([taxes] if taxes.children else [])])
    return change(node, changes or {})


def document(
    paid: str = PAID,
    changes: Mapping[str, Change] | None = None,
    *,
    related: str = EARLIER,
    currency: str = "MXN",
    equivalence: str = "1",
    traslados: Iterable[Mapping[str, str]] = (),
    retenciones: Iterable[Mapping[str, str]] = (),
) -> ExampleNode:
    """Return an invoice that is paid in full; ObjetoImpDR is 01 without taxes.

    Args:
        paid: ImpPagado and ImpSaldoAnt.
        changes: see `timbra.examples.tree.change`.
        related: IdDocumento.
        currency: MonedaDR.
        equivalence: EquivalenciaDR, units of its currency for one of the payment's.
        traslados, retenciones: taxes, as `timbra.examples.tax` returns them.
    """
    taxes = ExampleNode("pago20:ImpuestosDR")
    for name, rows in (("Retencion", list(retenciones)), ("Traslado", list(traslados))):
        if rows:
            children = [
                ExampleNode(f"pago20:{name}DR", {f"{key}DR": value for key, value in row.items()}) for row in rows
            ]
            taxes.children.append(ExampleNode(f"pago20:{_plural(name)}DR", children=children))
    attributes = {
        "IdDocumento": related,
        "MonedaDR": currency,
        "EquivalenciaDR": equivalence,
        "NumParcialidad": "1",
        "ImpSaldoAnt": paid,
        "ImpPagado": paid,
        "ImpSaldoInsoluto": _rounded(Decimal(0), len(paid.partition(".")[2])),
        "ObjetoImpDR": "02" if taxes.children else "01",
    }
    return change(ExampleNode("pago20:DoctoRelacionado", attributes, [taxes] if taxes.children else []), changes or {})


def _plural(name: str) -> str:
    return "Retenciones" if name == "Retencion" else "Traslados"


def _rounded(value: Decimal, decimals: int) -> str:
    return str(value.quantize(Decimal(1).scaleb(-decimals), rounding=ROUND_HALF_UP))


def _converted(document: ExampleNode, amount: str) -> Decimal:
    return Decimal(amount) / Decimal(document.attributes.get("EquivalenciaDR", "1"))


def _amount(value: Decimal) -> str:
    """Format with six decimals when they are needed, else with two."""
    return _rounded(value, 2 if value == round(value, 2) else 6)


def _taxes(documents: Sequence[ExampleNode]) -> ExampleNode:
    """Return ImpuestosP: the taxes of the documents, grouped and converted."""
    node = ExampleNode("pago20:ImpuestosP")
    for name, keys, amounts in (
        ("Retencion", ("Impuesto",), ("Importe",)),
        ("Traslado", ("Impuesto", "TipoFactor", "TasaOCuota"), ("Base", "Importe")),
    ):
        groups: dict[tuple[str | None, ...], dict[str, Decimal]] = {}
        for document, row in _rows(documents, name):
            sums = groups.setdefault(tuple(row.attributes.get(f"{key}DR") for key in keys), {})
            for amount in amounts:
                if f"{amount}DR" in row.attributes:
                    value = _converted(document, row.attributes[f"{amount}DR"])
                    sums[amount] = sums.get(amount, Decimal(0)) + value
        children = [_summed(name, dict(zip(keys, group, strict=True)), sums) for group, sums in groups.items()]
        if children:
            node.children.append(ExampleNode(f"pago20:{_plural(name)}P", children=children))
    return node


def _rows(documents: Sequence[ExampleNode], name: str) -> list[tuple[ExampleNode, ExampleNode]]:
    """Return every tax of that name with its document."""
    return [
        (document, row)
        for document in documents
        for taxes in document.named("ImpuestosDR")
        for container in taxes.named(f"{_plural(name)}DR")
        for row in container.children
    ]


def _summed(name: str, group: Mapping[str, str | None], sums: Mapping[str, Decimal]) -> ExampleNode:
    attributes = {f"{key}P": value for key, value in group.items() if value is not None}
    return ExampleNode(f"pago20:{name}P", {**attributes, **{f"{key}P": _amount(value) for key, value in sums.items()}})


def _totals(payments: Sequence[ExampleNode]) -> dict[str, str]:
    totals: dict[str, Decimal] = {}
    for node in payments:
        rate = Decimal(node.attributes.get("TipoCambioP", "1"))
        for name, amount in [*_parts(node), ("MontoTotalPagos", node.attributes["Monto"])]:
            totals[name] = totals.get(name, Decimal(0)) + Decimal(amount) * rate
    return {name: _rounded(total, 2) for name, total in totals.items()}


def _parts(payment: ExampleNode) -> list[tuple[str, str]]:
    """Return the totals that a payment contributes to, with amounts in its currency."""
    rows = [row for taxes in payment.named("ImpuestosP") for container in taxes.children for row in container.children]
    parts = []
    for row in rows:
        get = row.attributes.get
        tax = get("ImpuestoP", "")
        if row.local == "RetencionP":
            if tax in _WITHHELD:
                parts.append((f"TotalRetenciones{_WITHHELD[tax]}", get("ImporteP", "0")))
        elif tax == "002":
            ending = "IVAExento" if get("TipoFactorP") == "Exento" else _IVA.get(get("TasaOCuotaP", ""))
            if ending is not None:
                parts.append((f"TotalTrasladosBase{ending}", get("BaseP", "0")))
                if "ImporteP" in row.attributes:
                    parts.append((f"TotalTrasladosImpuesto{ending}", get("ImporteP", "0")))
    return parts
