"""The payment of open invoices: balances of a customer, and the CFDI of pago."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from hashlib import sha256

from lxml import etree
from starlette.datastructures import FormData
from starlette.responses import Response

from timbra.cfdi.rfc import is_rfc
from timbra.cfdi.uuid_text import canonical_uuid
from timbra.core.errors import ServiceError
from timbra.core.scopes import STAMP
from timbra.documents.payment_document import PESOS, PaymentTerms, payment_document
from timbra.documents.review import report_of, stamp_once
from timbra.invoices.choices import Choice, currencies, payment_forms
from timbra.invoices.composing import local_now, with_seconds
from timbra.invoices.memory import keys_of
from timbra.invoices.paths import PATH
from timbra.invoices.payments import (
    OpenInvoice,
    amount_of,
    currency_of,
    open_invoices,
    paid_invoices,
    rates_of,
)
from timbra.invoices.services import InvoiceServices
from timbra.invoices.store import EntryKind
from timbra.validation.models import ReportEntryKind
from timbra.web.portal.dispatch.field_errors import FieldError
from timbra.web.portal.dispatch.page import Page
from timbra.web.portal.dispatch.page_request import PageRequest, redirect, text_field

PAYMENTS = f"{PATH}/pagos"
MAX_FIELDS = 2100
MAX_BYTES = 1024 * 1024
FIELDS = ("rfc", "FechaPago", "FormaDePagoP", "MonedaP", "Monto", "NumOperacion", "Serie", "Folio", "envio")
UUID_LENGTH, CURRENCY_LENGTH = 36, 3


@dataclass(slots=True)
class PaymentForm:
    """The fields of a payment.

    Attributes:
        values: texts by the names of `FIELDS`, the amounts under `pago.` and the UUID of the invoice, and the rates
            under `TipoCambio.` and the currency.
        errors: findings of the document, in Spanish.
    """

    values: dict[str, str] = field(default_factory=dict)
    errors: list[str] = field(default_factory=list)


async def show(page_request: PageRequest, services: InvoiceServices) -> Response:
    """Show the open invoices of a customer."""
    return await _render(page_request, services, PaymentForm({"rfc": page_request.query("rfc").upper()[:13]}))


async def submit(page_request: PageRequest, services: InvoiceServices) -> Response:
    """Stamp the payment; one that is not valid is shown again."""
    sent = await page_request.form(max_fields=MAX_FIELDS)
    form = PaymentForm()
    try:
        form.values = _values(sent)
        invoices = await _open(page_request, services, form.values["rfc"])
        xml = _document(form.values, invoices, services)
        _, report = await report_of(page_request, services.stamping, services.validation, xml, keeps_seal=False)
        form.errors = [
            entry.message.partition(" - ")[2] + " " + (entry.detail or "")
            for entry in report.primary_entries
            if entry.kind is ReportEntryKind.ERROR
        ]
        if not form.errors:
            uuid, _ = await stamp_once(
                page_request, services.stamping, xml, keeps_seal=False, custom_id=_custom_id(form.values)
            )
            return redirect(f"/portal/facturas/{uuid}?aviso=timbrada")
    except ServiceError as error:
        return await _render(page_request, services, form, error)
    return await _render(page_request, services, form)


def _document(values: dict[str, str], invoices: Sequence[OpenInvoice], services: InvoiceServices) -> bytes:
    """Write the CFDI of the payment. FieldError for a field that is absent or wrong."""
    for name, sentence in (("FechaPago", "Escriba cuándo se recibió el pago."), ("FormaDePagoP", "Elija la forma.")):
        if not values[name]:
            raise FieldError(name, sentence)
    paid = paid_invoices(invoices, values)
    currency = currency_of(values["MonedaP"], paid)
    others = {invoice.currency for invoice in paid} - {currency}
    terms = PaymentTerms(
        with_seconds(values["FechaPago"]),
        values["FormaDePagoP"],
        currency,
        rates_of({currency, *others}, values),
        values["NumOperacion"],
        amount_of("Monto", values["Monto"]) if values["Monto"] else None,
    )
    fecha = local_now(paid[0].cfdi.get("LugarExpedicion", ""), services)
    root = payment_document(paid, terms, fecha, (values["Serie"], values["Folio"]))
    etree.indent(root, "  ")
    return etree.tostring(root, xml_declaration=True, encoding="UTF-8")


def _values(form: FormData) -> dict[str, str]:
    values = {name: text_field(form, name, 100) for name in FIELDS}
    values["MonedaP"] = values["MonedaP"].upper()
    lengths = {"pago.": UUID_LENGTH, "TipoCambio.": CURRENCY_LENGTH}
    named = [
        name
        for name in form
        for start, rest in lengths.items()
        if name.startswith(start) and len(name) == len(start) + rest
    ]
    return {**values, **{name: text_field(form, name, 30) for name in named}}


def _custom_id(values: dict[str, str]) -> str:
    """Return the idempotency key: a payment that is sent twice gets one stamp."""
    return f"payment:{values['envio']}:{sha256(repr(sorted(values.items())).encode()).hexdigest()}"


async def _open(page_request: PageRequest, services: InvoiceServices, rfc: str) -> list[OpenInvoice]:
    """Return the open invoices of a customer; none for a text that is no RFC."""
    if not is_rfc(rfc):
        return []
    parser, account = services.stamping.checks.parser, page_request.account.account_id
    return await page_request.pools.run_database(open_invoices, services.documents.listing, parser, account, rfc)


async def _render(
    page_request: PageRequest,
    services: InvoiceServices,
    form: PaymentForm,
    error: ServiceError | None = None,
) -> Response:
    values, run = {**dict.fromkeys(FIELDS, ""), **form.values}, page_request.pools.run_database
    values["envio"] = values["envio"] or secrets.token_urlsafe(12)
    invoices: list[OpenInvoice] = []
    try:
        invoices = await _open(page_request, services, values["rfc"])
    except ServiceError as too_many:
        error = error or too_many
    validation = services.validation
    forms: list[Choice] = await run(payment_forms, validation.catalogs, validation.today())
    chosen = {invoice.currency for invoice in invoices} | {values["MonedaP"]}
    entries = await run(services.repository.entries, page_request.account.account_id)
    shown = {
        "values": values,
        "invoices": invoices,
        "forms": forms,
        "currencies": await run(currencies, validation.catalogs, validation.today()),
        "rates": sorted(chosen - {PESOS, ""}),
        "errors": form.errors,
        "customers": keys_of(entries, EntryKind.CUSTOMER),
        "path_of_form": PATH,
        "only": canonical_uuid(page_request.query("factura")) or "",
        "balance": sum((invoice.balance for invoice in invoices), Decimal(0)),
    }
    return page_request.render_form("invoice_payment.html", shown, error)


PAGES = (
    Page("GET", PAYMENTS, show, scope=STAMP),
    Page("POST", PAYMENTS, submit, max_bytes=MAX_BYTES, scope=STAMP),
)
