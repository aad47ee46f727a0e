"""Stamped invoices and retenciones: search, detail, downloads and cancellation."""

from __future__ import annotations

import secrets

import structlog
from starlette.exceptions import HTTPException
from starlette.responses import Response

from timbra.cfdi.uuid_text import canonical_uuid
from timbra.errors import ServiceError
from timbra.portal.dispatch.forms import date_range
from timbra.portal.dispatch.page import Page
from timbra.portal.dispatch.page_request import PageRequest, redirect, text_field
from timbra.portal.dispatch.scope import may_see_data_of, user_names, visible_account
from timbra.portal.views.cancellation_texts import CANCELLATION_CODES, MOTIVES
from timbra.portal.views.invoice import InvoiceStatus, history, query_status
from timbra.rendering.html import document_html
from timbra.service.cancellation.use_case import CancellationRequest
from timbra.service.documents.stored_document import read_stored
from timbra.service.services import (
    AccountServices,
    CancellationServices,
    DocumentServices,
    StampingServices,
    ValidationServices,
)
from timbra.store.stamps.port import StampRecord
from timbra.store.stamps.search import StampFilter, SummaryPage

PATH = "/portal/facturas"
EMPTY_PAGE = SummaryPage((), None)
FIELDS = ("uuid", "rfc", "serie", "folio", "desde", "hasta", "documento")
KINDS = {"": None, "cfdi": False, "retenciones": True}
"""Values of the field `documento`, and of `StampFilter.retenciones`."""
MAX_FIELD_LENGTH = 40


async def search(page_request: PageRequest, accounts: AccountServices, documents: DocumentServices) -> Response:
    """List stamped invoices and retenciones, newest first."""
    fields = {name: page_request.query(name) for name in FIELDS}
    values = {
        "fields": fields,
        "users": await page_request.pools.run_database(user_names, page_request, accounts),
        "page": EMPTY_PAGE,
    }
    try:
        filters = _filter(page_request, fields)
        cursor = page_request.query("cursor") or None
        page = await page_request.pools.run_database(documents.stamp_search.page, filters, cursor)
    except ServiceError as error:
        return page_request.render_error("invoices.html", error, values)
    return page_request.render("invoices.html", {**values, "page": page})


def _filter(page_request: PageRequest, fields: dict[str, str]) -> StampFilter:
    """Read the search form. ServiceError("TB4005") for a field that cannot be searched."""
    uuid = canonical_uuid(fields["uuid"]) if fields["uuid"] else ""
    if uuid is None:
        raise ServiceError("TB4005", "El folio fiscal tiene 36 caracteres, con guiones.")
    if fields["serie"] and not fields["folio"]:
        raise ServiceError("TB4005", "Con la serie indique también el folio.")
    if fields["documento"] not in KINDS:
        raise ServiceError("TB4005", "El campo documento solo admite los valores cfdi y retenciones.")
    since, until = date_range(page_request)
    return StampFilter(
        visible_account(page_request),
        uuid,
        fields["rfc"].upper(),
        fields["serie"],
        fields["folio"],
        since,
        until,
        KINDS[fields["documento"]],
    )


class InvoicePage:
    """Renders the page of one invoice.

    Args:
        accounts: Names the user of the invoice's account.
        documents: Parses and displays the document.
        validation: Queries the status.
        cancellation: Queries the relations.
    """

    def __init__(
        self,
        accounts: AccountServices,
        documents: DocumentServices,
        validation: ValidationServices,
        cancellation: CancellationServices,
    ) -> None:
        self._accounts = accounts
        self._documents = documents
        self._validation = validation
        self._cancellation = cancellation

    async def render(
        self,
        page_request: PageRequest,
        record: StampRecord,
        error: ServiceError | None = None,
        fields: dict[str, str] | None = None,
    ) -> Response:
        """Render the page.

        Args:
            page_request: The request.
            record: The stamp.
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
        notice = page_request.query("aviso")
        view = self._documents.views.view(root, pages=page_request.verification_pages)
        values: dict[str, object] = {
            "record": record,
            "invoice": document_html(page_request.templates, view),
            "status": status,
            "history": await page_request.pools.run_database(history, self._documents, record),
            "user": users.get(record.account_id, ""),
            "own": record.account_id == page_request.account.account_id,
            "motives": MOTIVES,
            "cancellation_code": notice if notice in CANCELLATION_CODES else "",
            "cancellation_text": CANCELLATION_CODES.get(notice, ""),
            "fields": fields or {"motivo": "", "sustituta": ""},
        }
        return page_request.render_form("invoice_page.html", values, error)


async def show(
    page_request: PageRequest,
    stamping: StampingServices,
    accounts: AccountServices,
    documents: DocumentServices,
    validation: ValidationServices,
    cancellation: CancellationServices,
) -> Response:
    """Show one document with its status, stamp, history and relations."""
    record = await _record(page_request, stamping)
    return await InvoicePage(accounts, documents, validation, cancellation).render(page_request, record)


async def download_xml(page_request: PageRequest, services: StampingServices) -> Response:
    """Download the stamped XML."""
    record = await _record(page_request, services)
    return _attachment(record.cfdi, "application/xml", f"{record.uuid}.xml")


async def download_pdf(page_request: PageRequest, stamping: StampingServices, documents: DocumentServices) -> Response:
    """Download the printed representation as PDF."""
    record = await _record(page_request, stamping)
    printed = await documents.printing.print_stored(page_request.pools.account, record, page_request.verification_pages)
    return _attachment(printed.pdf, "application/pdf", f"{record.uuid}.pdf")


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
    record = await _record(page_request, stamping)
    account = page_request.account
    if record.account_id != account.account_id:
        raise HTTPException(404)
    fields: dict[str, str] = {}
    try:
        fields = {name: text_field(form, name, MAX_FIELD_LENGTH) for name in ("motivo", "sustituta")}
        request = CancellationRequest(record.issuer_rfc, record.uuid, fields["motivo"], fields["sustituta"])
        result = await page_request.pools.run_authority(
            cancellation.cancelling_of(is_retencion=record.is_retencion).by_uuid, account, request, _request_id()
        )
    except ServiceError as error:
        page = InvoicePage(accounts, documents, validation, cancellation)
        return await page.render(page_request, record, error, fields)
    code = result.codes.get(record.uuid.upper(), "")
    return redirect(f"{PATH}/{record.uuid}?aviso={code}&estado=si")


async def _record(page_request: PageRequest, services: StampingServices) -> StampRecord:
    """Return the stamp of the path. HTTPException(404) when it does not exist or belongs to another account."""
    uuid = canonical_uuid(page_request.request.path_params["uuid"])
    record = await page_request.pools.run_database(services.stamps.by_uuid, uuid) if uuid else None
    if record is None or not may_see_data_of(page_request, record.account_id):
        raise HTTPException(404)
    return record


def _attachment(content: bytes, media_type: str, name: str) -> Response:
    return Response(content, media_type=media_type, headers={"Content-Disposition": f'attachment; filename="{name}"'})


def _request_id() -> str:
    """Return the id of this request, which the history of the invoice shows; a random one when there is none."""
    request_id = structlog.contextvars.get_contextvars().get("request_id")
    return str(request_id) if request_id else f"portal-{secrets.token_hex(8)}"


PAGES = (
    Page("GET", PATH, search, menu="Facturas", icon="receipt-text", shortcut="i"),
    Page("GET", f"{PATH}/{{uuid}}", show),
    Page("GET", f"{PATH}/{{uuid}}/xml", download_xml),
    Page("GET", f"{PATH}/{{uuid}}/pdf", download_pdf),
    Page("POST", f"{PATH}/{{uuid}}/cancelar", cancel),
)
