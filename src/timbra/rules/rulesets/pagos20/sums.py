"""What several rules sum up: the taxes of each payment from its documents, the totals from all payments."""

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
"""The total of the retenciones of a tax."""

TRANSFERRED: Mapping[Decimal, str] = {Decimal("0.16"): "IVA16", Decimal("0.08"): "IVA8", ZERO: "IVA0"}
"""How the totals of the traslados of IVA at a rate end."""


class Payments:
    """All payments of a document; made once per document, sums as they are asked for."""

    def __init__(self, comprobante: Comprobante) -> None:
        self._pagos = {pago.places: pago for pago in comprobante.of(Pago)}
        self._heads = {head.complement: head for head in comprobante.of(Pagos)}
        self._sums: dict[tuple[int, ...], PaymentSums] = {}
        self._totals: dict[Places, dict[str, Decimal]] = {}
        self._mixed: dict[tuple[int, ...], bool] = {}

    def of(self, node: ComplementNode) -> Pago:
        """The payment that a node stands in."""
        return self._pagos[node.places[:3]]

    def mixes(self, node: ComplementNode) -> bool:
        """Whether the payment that a node stands in pays a document of another currency."""
        pago = self.of(node)
        if pago.places not in self._mixed:
            self._mixed[pago.places] = any(document.MonedaDR != pago.MonedaP for document in pago.documentos)
        return self._mixed[pago.places]

    def texts(self, node: ComplementNode) -> Mapping[str, str]:
        """The attributes of Totales of the complement that a node stands in."""
        return self._heads[node.complement].totales.texts

    def sums(self, node: ComplementNode) -> PaymentSums:
        """The sums of the payment that a node stands in."""
        pago = self.of(node)
        if pago.places not in self._sums:
            self._sums[pago.places] = PaymentSums(pago)
        return self._sums[pago.places]

    def totals(self, node: ComplementNode) -> Mapping[str, Decimal]:
        """The totals that the complement of a node should have, in pesos and unrounded, and no others."""
        head = node.complement
        if head not in self._totals:
            self._totals[head] = _totals(self._heads[head].pagos)
        return self._totals[head]


class PaymentSums:
    """The taxes of the documents of one payment, each divided by its EquivalenciaDR and not rounded.

    all_exempt: there are traslados, and all are exempt. some_iva: at least one traslado of IVA is not exempt.
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
        """The traslados of a row of the payment."""
        return self._traslados.get(group_key(row), ZERO_SUM)

    def exempt_base(self, tax: str) -> Decimal:
        """The bases of the exempt traslados of a tax."""
        groups = self._traslados.items()
        return sum([group.base for (name, factor, _), group in groups if (name, factor) == (tax, EXENTO)], ZERO)

    def retencion(self, tax: str) -> Decimal:
        """The retenciones of a tax."""
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
    """An amount in the document's currency as one in that of its payment, not rounded."""
    return amount if document.equivalencia == ONE else amount / document.equivalencia


def _totals(pagos: Iterable[Pago]) -> dict[str, Decimal]:
    totals: dict[str, Decimal] = {}
    for pago in pagos:
        for name, amount in _parts(pago):
            totals[name] = totals.get(name, ZERO) + amount * pago.tipo_cambio
    return totals


def _parts(pago: Pago) -> Iterable[tuple[str, Decimal]]:
    """What a payment adds to which total, in its currency."""
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
