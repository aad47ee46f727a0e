"""Stamped invoices and retenciones: search, detail, downloads and cancellation."""

from __future__ import annotations

import secrets
from dataclasses import replace
from functools import partial

import structlog
from starlette.exceptions import HTTPException
from starlette.responses import Response

from timbra.accounts.pages.user_names import user_names
from timbra.accounts.services import AccountServices
from timbra.cancellation.cancelling import CancellationRequest
from timbra.cancellation.services import CancellationServices
from timbra.cancellation.texts_view import CANCELLATION_CODES, MOTIVES
from timbra.cfdi.uuid_text import canonical_uuid
from timbra.core.errors import ServiceError
from timbra.core.scopes import CANCEL, READ
from timbra.core.text import is_email_address
from timbra.documents.build import DocumentServices
from timbra.documents.derivation import SUBSTITUTES, Derivation, derivations_of
from timbra.documents.invoice_view import InvoiceStatus, delivery_view, history, query_status
from timbra.documents.list_columns import COLUMNS, columns_of, set_columns
from timbra.documents.listing import INCOMPLETE
from timbra.documents.partial_totals import MAX_TOTALS, read_totals, write_totals
from timbra.documents.search_pages import (
    ASCENDING,
    DIRECTIONS,
    KINDS,
    ORDERS,
    STATE_NAMES,
    chosen_documents,
    fields_of_search,
    filter_of,
    order_of,
    query_string,
)
from timbra.evaluation.article_69b import Article69bFinding
from timbra.events.audit.recorder import AuditRecorder
from timbra.rendering.html import document_html
from timbra.stamping.services import StampingServices
from timbra.stamping.stored_document import read_stored
from timbra.stamps.port import StampRecord
from timbra.validation.services import ValidationServices
from timbra.web.portal.dispatch.field_errors import FieldError
from timbra.web.portal.dispatch.page import MenuItem, Page
from timbra.web.portal.dispatch.page_request import PageRequest, redirect, text_field
from timbra.web.portal.dispatch.scope import may_see_data_of
from timbra.web.table_exports import PROGRESS

PATH = "/portal/facturas"
MAX_FIELD_LENGTH = 40
MAX_QUERY_LENGTH = 2000
PAGE_SIZE = 25
MAX_RECIPIENTS = 5
MAX_DIGITS = 6
MAX_PAGE_DIGITS = 9
DERIVATIONS = {
    Derivation.DUPLICATE: "Duplicar",
    Derivation.SUBSTITUTE: "Sustituir",
    Derivation.CREDIT_NOTE: "Nota de crédito",
    Derivation.PAYMENT: "Registrar pago",
}


async def search(page_request: PageRequest, accounts: AccountServices, documents: DocumentServices) -> Response:
    """List stamped invoices and retenciones, newest first or sorted by a column."""
    return await _list(page_request, accounts, documents)


async def add_up(page_request: PageRequest, accounts: AccountServices, documents: DocumentServices) -> Response:
    """Show the list with the sums of the chosen documents, or of all that were found when none is chosen.

    A script of the page asks for the sums alone, part by part, and sends those so far.
    """
    form = await page_request.form()
    so_far = text_field(form, "avance", MAX_TOTALS) if page_request.request.headers.get(PROGRESS) else None
    return await _list(page_request, accounts, documents, chosen_documents(form), so_far)


async def _list(
    page_request: PageRequest,
    accounts: AccountServices,
    documents: DocumentServices,
    added: tuple[str, ...] | None = None,
    so_far: str | None = None,
) -> Response:
    """Render the list.

    Args:
        page_request: The request.
        accounts: Names the users.
        documents: Finds the documents.
        added: Folios whose amounts are added, none for all that are found; None without sums.
        so_far: The sums of the parts before; None for the whole list with all sums.
    """
    fields, run = fields_of_search(page_request), page_request.pools.run_database
    number = page_request.query("pagina") if page_request.query("cursor") else ""
    page_number = max(int(number), 1) if number.isdecimal() and len(number) < MAX_PAGE_DIGITS else 1
    values: dict[str, object] = {
        "fields": fields,
        "users": await run(user_names, page_request, accounts),
        "rows": [],
        "before": None,
        "after": None,
        "warning": "",
        "totals": None,
        "part": None,
        "chosen": added or (),
        "kinds": KINDS,
        "states": STATE_NAMES,
        "orders": ORDERS,
        "directions": DIRECTIONS,
        "columns": columns_of(page_request.request),
        "column_names": COLUMNS,
        "query_string": query_string(fields),
        "unsorted": query_string({**fields, "orden": "", "sentido": ""}),
        "page_number": page_number,
        "pages": 1,
    }
    try:
        filters, order = filter_of(page_request, fields), order_of(fields)
        if so_far is not None:
            part = await run(documents.listing.add_part, replace(filters, uuids=added or ()), read_totals(so_far))
            values |= {"totals": part.totals, "part": part, "rest": write_totals(part)}
            return page_request.render("sums.html", values)
        cursor, ascending = page_request.query("cursor") or None, fields["sentido"] == ASCENDING
        read = partial(documents.listing.page, order=order, ascending=ascending)
        page = await run(read, filters, cursor, PAGE_SIZE)
        found = await run(documents.listing.found, filters)
        if added is not None:
            values["totals"] = await run(documents.listing.totals, replace(filters, uuids=added))
    except ServiceError as error:
        return page_request.render_error("invoices.html", error, values)
    values |= {"rows": page.rows, "warning": "" if page.is_complete else INCOMPLETE, "found": found}
    values |= {"before": page.before, "after": page.cursor, "pages": -(-found.number // PAGE_SIZE)}
    return page_request.render("invoices.html", values)


async def choose_columns(page_request: PageRequest) -> Response:
    """Keep the columns of the list in a cookie, and return to the list."""
    form = await page_request.form()
    query = text_field(form, "consulta", MAX_QUERY_LENGTH)
    response = redirect(f"{PATH}?{query}" if query else PATH)
    set_columns(response, [str(name) for name in form.getlist("columna")], secure=page_request.secure)
    return response


class InvoicePage:
    """Renders the page of one invoice.

    Args:
        accounts: Names the user of the invoice's account.
        documents: Parses and displays the document.
        validation: Queries the status.
        cancellation: Queries the relations.
        stamping: Looks the parties up in the list of article 69-B.
    """

    def __init__(
        self,
        accounts: AccountServices,
        documents: DocumentServices,
        validation: ValidationServices,
        cancellation: CancellationServices,
        stamping: StampingServices,
    ) -> None:
        self._accounts = accounts
        self._documents = documents
        self._validation = validation
        self._cancellation = cancellation
        self._stamping = stamping

    async def render(
        self,
        page_request: PageRequest,
        record: StampRecord,
        error: ServiceError | None = None,
        fields: dict[str, str] | None = None,
    ) -> Response:
        """Render the page.

        Args:
            error: The error of a rejected cancellation form; None otherwise.
            fields: The fields of that form.
        """
        root = read_stored(record, self._documents.parser).root
        status = InvoiceStatus(queried=False)
        if page_request.environment.profile.queries_status or page_request.query("estado"):
            status = await page_request.pools.run_authority(
                query_status, self._validation, self._cancellation, page_request.account, record, root
            )
        users = await page_request.pools.run_database(user_names, page_request, self._accounts)
        acuse = await page_request.pools.run_database(self._documents.storage.cancellation, record)
        notice, milliseconds = page_request.query("aviso"), page_request.query("ms")
        view = self._documents.views.view(root, pages=page_request.verification_pages)
        values: dict[str, object] = {
            "record": record,
            "invoice": document_html(page_request.templates, view),
            "status": status,
            "delivery": await page_request.pools.run_database(delivery_view, self._documents, record),
            "history": await page_request.pools.run_database(history, self._documents, record),
            "user": users.get(record.account_id, ""),
            "listed": (await page_request.pools.run_database(self._documents.listing.of, [record.uuid]))[0],
            "has_acuse": acuse is not None,
            "own": record.account_id == page_request.account.account_id,
            "motives": MOTIVES,
            "derivations": [
                (derivation.value, DERIVATIONS[derivation])
                for derivation in derivations_of(record.kind, record.version, root.get("MetodoPago", ""))
            ],
            "is_substitute": root.find(f"{{*}}CfdiRelacionados[@TipoRelacion='{SUBSTITUTES}']") is not None,
            "milliseconds": notice == "timbrada" and milliseconds.isdigit() and milliseconds[:MAX_DIGITS],
            "mail_enabled": self._stamping.mail_enabled,
            "article_69b": await page_request.pools.run_database(self._article_69b, record),
            "cancellation_code": notice if notice in CANCELLATION_CODES else "",
            "cancellation_text": CANCELLATION_CODES.get(notice, ""),
            "fields": {"motivo": "", "sustituta": "", "correo": "", **(fields or {})},
        }
        return page_request.render_form("invoice_page.html", values, error)

    def _article_69b(self, record: StampRecord) -> Article69bFinding:
        """Look both parties up in the list of today, which may be newer than the stamp."""
        checks = self._stamping.checks
        rfcs = record.issuer_rfc, record.receiver_rfc
        return checks.article_69b.find(rfcs, checks.reference_data())


async def show(
    page_request: PageRequest,
    stamping: StampingServices,
    accounts: AccountServices,
    documents: DocumentServices,
    validation: ValidationServices,
    cancellation: CancellationServices,
    audit: AuditRecorder,
) -> Response:
    """Show one document with its status, stamp, history and relations."""
    record = await read_record(page_request, stamping, audit)
    page = InvoicePage(accounts, documents, validation, cancellation, stamping)
    return await page.render(page_request, record)


async def download_xml(page_request: PageRequest, services: StampingServices, audit: AuditRecorder) -> Response:
    record = await read_record(page_request, services, audit)
    return attachment(record.cfdi, "application/xml", f"{record.uuid}.xml")


async def download_reception(
    page_request: PageRequest, stamping: StampingServices, documents: DocumentServices
) -> Response:
    """Download the SAT's acuse of the delivery."""
    record = await stored_record(page_request, stamping)
    found = await page_request.pools.run_database(documents.delivery_state, record.uuid)
    if found.reception is None:
        raise HTTPException(404)
    return attachment(found.reception.acuse, "application/xml", f"{record.uuid}-acuse.xml")


async def download_pdf(
    page_request: PageRequest, stamping: StampingServices, documents: DocumentServices, audit: AuditRecorder
) -> Response:
    """Download the printed representation as PDF."""
    record = await read_record(page_request, stamping, audit)
    printed = await documents.printing.print_stored(page_request.pools.account, record, page_request.verification_pages)
    return attachment(printed.pdf, "application/pdf", printed.file_name)


async def download_acuse(
    page_request: PageRequest, stamping: StampingServices, documents: DocumentServices
) -> Response:
    """Download the acuse of the cancellation, if the authority sent one."""
    record = await stored_record(page_request, stamping)
    acuse = await page_request.pools.run_database(documents.storage.cancellation, record)
    if acuse is None:
        raise HTTPException(404)
    return attachment(acuse, "application/xml", f"acuse-{record.uuid}.xml")


async def send_email(
    page_request: PageRequest,
    stamping: StampingServices,
    accounts: AccountServices,
    documents: DocumentServices,
    validation: ValidationServices,
    cancellation: CancellationServices,
) -> Response:
    """Send the XML and the PDF of a document of the account by e-mail."""
    form = await page_request.form()
    record = await stored_record(page_request, stamping)
    if record.account_id != page_request.account.account_id:
        raise HTTPException(404)
    addresses = ""
    try:
        addresses = text_field(form, "correo")
        recipients = parse_addresses(addresses)
        await documents.mailer.resend_in_pool(page_request.account, record.uuid, recipients)
    except ServiceError as error:
        page = InvoicePage(accounts, documents, validation, cancellation, stamping)
        return await page.render(page_request, record, error, {"motivo": "", "sustituta": "", "correo": addresses})
    return redirect(f"{PATH}/{record.uuid}?aviso=correo")


async def cancel(
    page_request: PageRequest,
    stamping: StampingServices,
    accounts: AccountServices,
    documents: DocumentServices,
    validation: ValidationServices,
    cancellation: CancellationServices,
) -> Response:
    """Request the cancellation of an invoice of the account, signed with its stored CSD."""
    form = await page_request.form()
    record = await stored_record(page_request, stamping)
    account = page_request.account
    if record.account_id != account.account_id:
        raise HTTPException(404)
    fields: dict[str, str] = {}
    try:
        fields = {name: text_field(form, name, MAX_FIELD_LENGTH) for name in ("motivo", "sustituta")}
        request = CancellationRequest(record.issuer_rfc, record.uuid, fields["motivo"], fields["sustituta"])
        result = await page_request.pools.run_authority(
            cancellation.cancelling_of(is_retencion=record.is_retencion).by_uuid, account, request, request_id()
        )
    except ServiceError as error:
        page = InvoicePage(accounts, documents, validation, cancellation, stamping)
        return await page.render(page_request, record, error, fields)
    code = result.codes.get(record.uuid.upper(), "")
    return redirect(f"{PATH}/{record.uuid}?aviso={code}&estado=si")


async def read_record(page_request: PageRequest, services: StampingServices, audit: AuditRecorder) -> StampRecord:
    """Return the stamp of the path, as `stored_record`; a read of another account's document is in the audit log."""
    record = await stored_record(page_request, services)
    if record.account_id != page_request.account.account_id:
        await page_request.pools.run_database(audit.record, "document.read", record.account_id, record.uuid)
    return record


def parse_addresses(text: str) -> list[str]:
    """Return the distinct addresses of a list with commas. FieldError for none, too many or a malformed one."""
    addresses = list(dict.fromkeys(filter(None, (one.strip() for one in text.split(",")))))
    if not 0 < len(addresses) <= MAX_RECIPIENTS:
        raise FieldError("correo", f"Escriba de uno a {MAX_RECIPIENTS} correos, separados por comas.")
    wrong = [one for one in addresses if not is_email_address(one)]
    if wrong:
        raise FieldError("correo", f"No es un correo válido: {wrong[0]}.")
    return addresses


async def stored_record(page_request: PageRequest, services: StampingServices) -> StampRecord:
    """Return the stamp of the path. HTTPException(404) when it does not exist or belongs to another account."""
    uuid = canonical_uuid(page_request.request.path_params["uuid"])
    record = await page_request.pools.run_database(services.stamps.by_uuid, uuid) if uuid else None
    if record is None or not may_see_data_of(page_request, record.account_id):
        raise HTTPException(404)
    return record


def attachment(content: bytes, media_type: str, name: str) -> Response:
    return Response(content, media_type=media_type, headers={"Content-Disposition": f'attachment; filename="{name}"'})


def request_id() -> str:
    """Return the id of this request, which the history of the invoice shows; a random one when there is none."""
    request_id = structlog.contextvars.get_contextvars().get("request_id")
    return str(request_id) if request_id else f"portal-{secrets.token_hex(8)}"


PAGES = (
    Page("GET", PATH, search, menu=MenuItem("Facturas", 30), icon="receipt-text", shortcut="i"),
    Page("POST", f"{PATH}/sumar", add_up, scope=READ),
    Page("POST", f"{PATH}/columnas", choose_columns, scope=READ),
    Page("GET", f"{PATH}/{{uuid}}", show),
    Page("GET", f"{PATH}/{{uuid}}/xml", download_xml),
    Page("GET", f"{PATH}/{{uuid}}/pdf", download_pdf),
    Page("GET", f"{PATH}/{{uuid}}/acuse", download_acuse),
    Page("GET", f"{PATH}/{{uuid}}/recepcion", download_reception),
    Page("POST", f"{PATH}/{{uuid}}/cancelar", cancel, scope=CANCEL),
    Page("POST", f"{PATH}/{{uuid}}/correo", send_email),
)
