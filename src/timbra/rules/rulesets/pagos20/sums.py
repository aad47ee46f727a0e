"""Sums that several rules compare: the taxes of each payment, and the totals of all payments."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from decimal import Decimal
from functools import cached_property

from timbra.cfdi.nodes import ComplementNode, Comprobante
from timbra.cfdi.nodes.base import ZERO
from timbra.cfdi.nodes.complement import Places
from timbra.cfdi.nodes.pago import ONE
from timbra.cfdi.nodes.pagos20 import DoctoRelacionado, Pago, Pagos, RetencionP, TrasladoP
from timbra.rules.engine.tax_sums import EXENTO, ZERO_SUM, Key, Sum, group_key

IVA = "002"
WITHHELD: Mapping[str, str] = {
    IVA: "TotalRetencionesIVA",
    "001": "TotalRetencionesISR",
    "003": "TotalRetencionesIEPS",
}
"""By tax: the total of its retenciones."""

TRANSFERRED: Mapping[Decimal, str] = {Decimal("0.16"): "IVA16", Decimal("0.08"): "IVA8", ZERO: "IVA0"}
"""By rate of IVA: the end of the names of its totals."""


class Payments:
    """All payments of a document. An object is made once per document and computes each sum on its first use."""

    def __init__(self, comprobante: Comprobante) -> None:
        self._pagos = {pago.places: pago for pago in comprobante.of(Pago)}
        self._heads = {head.complement: head for head in comprobante.of(Pagos)}
        self._sums: dict[tuple[int, ...], PaymentSums] = {}
        self._totals: dict[Places, dict[str, Decimal]] = {}
        self._mixed: dict[tuple[int, ...], bool] = {}

    def of(self, node: ComplementNode) -> Pago:
        """Return the payment that contains the node."""
        return self._pagos[node.places[:3]]

    def mixes(self, node: ComplementNode) -> bool:
        """Whether the payment that contains the node pays a document in another currency."""
        pago = self.of(node)
        if pago.places not in self._mixed:
            self._mixed[pago.places] = any(document.MonedaDR != pago.MonedaP for document in pago.documentos)
        return self._mixed[pago.places]

    def texts(self, node: ComplementNode) -> Mapping[str, str]:
        """Return the attributes of Totales of the complement that contains the node."""
        return self._heads[node.complement].totales.texts

    def sums(self, node: ComplementNode) -> PaymentSums:
        """Return the sums of the payment that contains the node."""
        pago = self.of(node)
        if pago.places not in self._sums:
            self._sums[pago.places] = PaymentSums(pago)
        return self._sums[pago.places]

    def totals(self, node: ComplementNode) -> Mapping[str, Decimal]:
        """Return the expected totals of the complement that contains the node, in pesos and not rounded."""
        head = node.complement
        if head not in self._totals:
            self._totals[head] = _totals(self._heads[head].pagos)
        return self._totals[head]


class PaymentSums:
    """The taxes of the documents of one payment, each divided by its EquivalenciaDR and not rounded.

    Attributes:
        all_exempt: whether there are traslados and all are exempt.
        some_iva: whether at least one traslado of IVA is not exempt.
    """

    def __init__(self, pago: Pago) -> None:
        self._pago = pago
        self._traslados: dict[Key, Sum] = {}
        self._retenciones: dict[str, Decimal] = {}
        for document in pago.documentos:
            self._add(document)
        factors = [(tax, factor) for tax, factor, _ in self._traslados]
        self.all_exempt = bool(factors) and all(factor == EXENTO for _, factor in factors)
        self.some_iva = any(tax == IVA and factor != EXENTO for tax, factor in factors)

    def _add(self, document: DoctoRelacionado) -> None:
        for traslado in document.traslados:
            key = group_key(traslado.row)
            before = self._traslados.get(key, ZERO_SUM)
            base, importe = converted(document, traslado.base), converted(document, traslado.importe)
            self._traslados[key] = Sum(before.base + base, before.importe + importe)
        for retencion in document.retenciones:
            tax = retencion.ImpuestoDR
            amount = converted(document, retencion.importe)
            self._retenciones[tax] = self._retenciones.get(tax, ZERO) + amount

    def traslado(self, row: tuple[str, str, str | None]) -> Sum:
        """Return the sum of the traslados of a row of the payment."""
        return self._traslados.get(group_key(row), ZERO_SUM)

    def exempt_base(self, tax: str) -> Decimal:
        """Return the sum of the bases of the exempt traslados of a tax."""
        groups = self._traslados.items()
        return sum([group.base for (name, factor, _), group in groups if (name, factor) == (tax, EXENTO)], ZERO)

    def retencion(self, tax: str) -> Decimal:
        """Return the sum of the retenciones of a tax."""
        return self._retenciones.get(tax, ZERO)

    @cached_property
    def _first_traslado(self) -> dict[Key, int]:
        first: dict[Key, int] = {}
        for row in self._pago.traslados:
            first.setdefault(group_key(row.row), row.index)
        return first

    @cached_property
    def _first_retencion(self) -> dict[str, int]:
        first: dict[str, int] = {}
        for row in self._pago.retenciones:
            first.setdefault(row.ImpuestoP, row.index)
        return first

    def is_first(self, row: TrasladoP | RetencionP) -> bool:
        """Whether no row of the payment before this one is of the same group."""
        if isinstance(row, TrasladoP):
            return self._first_traslado[group_key(row.row)] == row.index
        return self._first_retencion[row.ImpuestoP] == row.index


def converted(document: DoctoRelacionado, amount: Decimal) -> Decimal:
    """Convert an amount from the document's currency to that of its payment, not rounded."""
    return amount if document.equivalencia == ONE else amount / document.equivalencia


def _totals(pagos: Iterable[Pago]) -> dict[str, Decimal]:
    totals: dict[str, Decimal] = {}
    for pago in pagos:
        for name, amount in _parts(pago):
            totals[name] = totals.get(name, ZERO) + amount * pago.tipo_cambio
    return totals


def _parts(pago: Pago) -> Iterable[tuple[str, Decimal]]:
    """Yield the names of totals with the amounts that a payment adds to them, in its currency."""
    yield "MontoTotalPagos", pago.monto
    for retencion in pago.retenciones:
        if retencion.ImpuestoP in WITHHELD:
            yield WITHHELD[retencion.ImpuestoP], retencion.importe
    for traslado in pago.traslados:
        tax, factor, rate = group_key(traslado.row)
        ending = TRANSFERRED.get(rate) if rate is not None else None
        if (tax, factor) == (IVA, EXENTO):
            yield "TotalTrasladosBaseIVAExento", traslado.base
        elif (tax, factor) == (IVA, "Tasa") and ending is not None:
            yield f"TotalTrasladosBase{ending}", traslado.base
            yield f"TotalTrasladosImpuesto{ending}", traslado.importe
