"""Invoices with a balance, computed from the payments that are stamped here, and the payment of some of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation

from lxml import etree

from timbra.cfdi.document import DocumentParser
from timbra.core.errors import ServiceError
from timbra.core.money import half_up
from timbra.documents.listing import DocumentListing
from timbra.documents.payment_document import PESOS, PaidInvoice
from timbra.events.cancellation_states import DocumentState
from timbra.stamps.search import StampFilter
from timbra.web.portal.dispatch.field_errors import FieldError

MOST_DOCUMENTS = 2000
"""Invoices and payments of one customer that are read for the balances."""
PPD = "PPD"
SMALLEST_RATE, MOST_PESOS = Decimal("0.000001"), Decimal(10**6)
ZERO = Decimal(0)
_PAID = "{*}Complemento/{http://www.sat.gob.mx/Pagos20}Pagos/{*}Pago/{*}DoctoRelacionado"


@dataclass(frozen=True, slots=True)
class OpenInvoice:
    """An invoice with MetodoPago PPD that is not paid.

    Attributes:
        cfdi: root of the document.
        balance: Total less what was paid.
        instalment: NumParcialidad of the next payment.
        is_pending: whether its cancellation was requested.
    """

    uuid: str
    cfdi: etree._Element
    total: Decimal
    balance: Decimal
    instalment: int
    is_pending: bool

    @property
    def currency(self) -> str:
        """Moneda."""
        return self.cfdi.get("Moneda", "MXN")


def open_invoices(
    listing: DocumentListing, parser: DocumentParser, account_id: int, receiver: str
) -> list[OpenInvoice]:
    """Return the open invoices of a customer, the oldest first. Reads the database.

    Raises:
        ServiceError: "TB4005" when the customer has more documents than are read for the balances, or a damaged one.
    """
    paid: dict[str, Decimal] = {}
    instalments: dict[str, int] = {}
    for cfdi, _, _ in _documents(listing, parser, account_id, receiver, "P"):
        for document in cfdi.iterfind(_PAID):
            uuid = document.get("IdDocumento", "").lower()
            paid[uuid] = paid.get(uuid, ZERO) + Decimal(document.get("ImpPagado", "0"))
            instalments[uuid] = max(instalments.get(uuid, 0), int(document.get("NumParcialidad", "0")))
    found = []
    for cfdi, uuid, is_pending in _documents(listing, parser, account_id, receiver, "I"):
        total = Decimal(cfdi.get("Total", "0"))
        balance = total - paid.get(uuid, ZERO)
        if cfdi.get("MetodoPago") == PPD and balance > ZERO:
            found.append(OpenInvoice(uuid, cfdi, total, balance, instalments.get(uuid, 0) + 1, is_pending))
    return sorted(found, key=lambda invoice: invoice.cfdi.get("Fecha", ""))


def paid_invoices(invoices: Sequence[OpenInvoice], fields: Mapping[str, str]) -> list[PaidInvoice]:
    """Return what the fields of a payment pay.

    Args:
        fields: the amount paid of each invoice, under `pago.` and its UUID; empty for nothing.

    Raises:
        FieldError: an amount is no amount, or larger than the balance; no invoice is paid, or invoices of several
            issuers.
    """
    found = []
    for invoice in invoices:
        name = f"pago.{invoice.uuid}"
        text = fields.get(name, "").strip()
        if not text:
            continue
        paid = amount_of(name, text)
        if paid > invoice.balance:
            raise FieldError(name, f"El saldo es de {invoice.balance:,.2f}; no se puede pagar más.")
        found.append(PaidInvoice(invoice.uuid, invoice.cfdi, paid, invoice.balance, invoice.instalment))
    if not found:
        raise FieldError("pagos", "Escriba el importe pagado de al menos una factura.")
    if len({_issuer(each.cfdi) for each in found}) > 1:
        raise FieldError("pagos", "Las facturas de un pago son de un emisor; haga un pago por cada uno.")
    return found


def currency_of(chosen: str, invoices: Sequence[PaidInvoice]) -> str:
    """Return the currency of a payment: the chosen one, or that of the invoices.

    Raises:
        FieldError: none is chosen and the invoices have several.
    """
    currencies = {invoice.currency for invoice in invoices}
    if not chosen and len(currencies) > 1:
        raise FieldError("MonedaP", "Las facturas son de varias monedas: elija en cuál se recibió el pago.")
    return chosen or currencies.pop()


def rates_of(currencies: Iterable[str], fields: Mapping[str, str]) -> dict[str, Decimal]:
    """Return the pesos of one unit of each currency but pesos.

    Args:
        fields: the rate of each currency, under `TipoCambio.` and its key.

    Raises:
        FieldError: a rate is absent or no number.
    """
    rates = {}
    for currency in sorted({*currencies} - {PESOS}):
        name = f"TipoCambio.{currency}"
        text = fields.get(name, "").replace(",", ".").strip()
        if not text:
            raise FieldError(name, f"Escriba el tipo de cambio de {currency} en la fecha del pago.")
        try:
            rates[currency] = Decimal(text)
        except InvalidOperation:
            rates[currency] = ZERO
        if not rates[currency].is_finite() or not SMALLEST_RATE <= rates[currency] < MOST_PESOS:
            raise FieldError(name, f"El tipo de cambio de {currency} es un número mayor que cero, en pesos.")
    return rates


def amount_of(name: str, text: str) -> Decimal:
    """Return the amount of a field. FieldError: It is none."""
    text = text.replace(",", "").lstrip("$").strip()
    try:
        value = Decimal(text)
    except InvalidOperation:
        value = ZERO
    if not value.is_finite() or value <= ZERO or value >= Decimal(10) ** 15 or value != half_up(value, 2):
        raise FieldError(name, "Escriba un importe mayor que cero, con dos decimales.")
    return half_up(value, 2)


def _issuer(cfdi: etree._Element) -> str:
    issuer = cfdi.find("{*}Emisor")
    return "" if issuer is None else issuer.get("Rfc", "")


def _documents(
    listing: DocumentListing, parser: DocumentParser, account_id: int, receiver: str, kind: str
) -> Iterator[tuple[etree._Element, str, bool]]:
    """Yield the documents of a kind to a receiver that are not cancelled: root, UUID, whether that was requested."""
    filters = StampFilter(account_id, rfc=receiver, kind=kind)
    if listing.count(filters, MOST_DOCUMENTS + 1) > MOST_DOCUMENTS:
        detail = f"El cliente tiene más de {MOST_DOCUMENTS:,} documentos; escriba el pago en el editor de XML."
        raise ServiceError("TB4005", detail)
    for rows in listing.pages(filters, MOST_DOCUMENTS, with_documents=True):
        for row in rows:
            state = row.cancellation.state
            if row.stamp.receiver_rfc != receiver or state is DocumentState.CANCELLED:
                continue
            if row.damage:
                # A payment that cannot be read would make a balance too large.
                raise ServiceError("TB4005", f"Sin saldos: {row.stamp.uuid}. {row.damage} Avise al administrador.")
            yield parser.parse(row.cfdi).root, row.stamp.uuid.lower(), state is DocumentState.PENDING
