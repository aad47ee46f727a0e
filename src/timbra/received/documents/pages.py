"""Pages of stored documents: the list with filters and sums, one document, what changed, and exports."""

from __future__ import annotations

from urllib.parse import urlencode

from starlette.exceptions import HTTPException
from starlette.responses import Response

from timbra.cancellation.services import CancellationServices
from timbra.cfdi.cancelacion.answer import ReceiverAnswer
from timbra.cfdi.uuid_text import canonical_uuid
from timbra.core.errors import ServiceError
from timbra.core.scopes import CANCEL, READ
from timbra.documents.pages import attachment, request_id
from timbra.received.documents.exports import CHANGES, detail_of, export, export_changes, kind_of
from timbra.received.documents.models import API, FILE, MAIL, PENDING, PORTAL, SAT, SUPPLIER, ReceivedDocument
from timbra.received.documents.selection import CHOICES, ParameterError, selection_of
from timbra.received.documents.store import DocumentStore
from timbra.received.documents.watch import DocumentWatch
from timbra.received.results import table_row
from timbra.received.view import RESULT_BADGES, STATUS_BADGES
from timbra.validation.tables import FINDINGS
from timbra.web.portal.dispatch.field_errors import FieldError
from timbra.web.portal.dispatch.page import MenuItem, Page
from timbra.web.portal.dispatch.page_request import PageRequest, redirect, text_field

PATH = "/portal/recibidos"
PAGE_SIZE = 50
FIELDS = {
    "text": "texto",
    "rfc": "rfc",
    "side": "lado",
    "since": "desde",
    "until": "hasta",
    "type": "documento",
    "status": "estado",
    "result": "resultado",
    "xml": "xml",
    "mark": "marca",
}
"""Fields of the search form by the field of a selection."""
SOURCE_NAMES = {
    SAT: "SAT",
    FILE: "archivo",
    API: "API",
    PORTAL: "portal",
    MAIL: "correo",
    SUPPLIER: "enlace de proveedor",
}
ANSWERS = {ReceiverAnswer.ACCEPT: "Aceptar la cancelación", ReceiverAnswer.REJECT: "Rechazarla"}
ANSWER_CODES = {
    "1000": "El SAT recibió su respuesta.",
    "1001": "El SAT no tiene una solicitud de cancelación de este folio.",
    "1002": "La solicitud ya se había respondido.",
}
NOTICES = {**ANSWER_CODES, "consultado": "El estado es el que el SAT da ahora."}


async def show(page_request: PageRequest, store: DocumentStore) -> Response:
    """List the stored documents, newest issue first; with `sumar`, with the sums of the selection."""
    fields = {field: page_request.query(field)[:200] for field in FIELDS.values()}
    query = urlencode({name: value for name, value in fields.items() if value})
    values: dict[str, object] = {
        "fields": fields,
        "choices": {FIELDS[name]: choices for name, choices in CHOICES.items()},
        "path": PATH,
        "query": query,
        "rows": (),
        "before": None,
        "after": None,
        "totals": None,
        "results": RESULT_BADGES,
        "statuses": STATUS_BADGES,
        "kind_of": kind_of,
    }
    account_id, run = page_request.account.account_id, page_request.pools.run_database
    try:
        filters = selection_of({name: fields[field] for name, field in FIELDS.items()})
        page = await run(store.lists.page, account_id, filters, page_request.query("cursor") or None, PAGE_SIZE)
        values["found"] = await run(store.lists.found, account_id, filters)
        if page_request.query("sumar"):
            values["totals"] = await run(store.lists.totals, account_id, filters)
    except ParameterError as error:
        return page_request.render_error("stored_documents.html", _field_error(error), values)
    except ServiceError as error:
        return page_request.render_error("stored_documents.html", error, values)
    values |= {"rows": page.documents, "before": page.before, "after": page.after}
    return page_request.render("stored_documents.html", values)


async def export_selection(page_request: PageRequest, store: DocumentStore) -> Response:
    """Send a selection as a file."""
    name = page_request.path_parameter("name")
    if name not in ("csv", "xlsx", "zip"):
        raise HTTPException(404)
    if page_request.request.method == "POST":
        await page_request.form()
    filters = selection_of({name: page_request.query(field) for name, field in FIELDS.items()})
    account_id, run = page_request.account.account_id, page_request.pools.run_database
    return await export(name, page_request.request.headers, store, account_id, filters, run)


async def show_changes(page_request: PageRequest, store: DocumentStore) -> Response:
    """List what changed, newest first."""
    kind = _kind_of_change(page_request)
    work, account_id = store.lists.changes, page_request.account.account_id
    cursor = page_request.query("cursor") or None
    changes, following = await page_request.pools.run_database(work, account_id, kind, cursor, PAGE_SIZE)
    values = {
        "changes": changes,
        "cursor": following,
        "fields": {"cambio": kind},
        "kinds": {"": "Todos", **CHANGES},
        "texts": CHANGES,
        "detail_of": detail_of,
        "path": PATH,
        "here": f"{PATH}/cambios",
    }
    return page_request.render("document_changes.html", values)


async def download_changes(page_request: PageRequest, store: DocumentStore) -> Response:
    """Send what changed as CSV."""
    kind, account_id = _kind_of_change(page_request), page_request.account.account_id
    run = page_request.pools.run_database
    return export_changes(page_request.request.headers, store, account_id, kind, run)


async def show_document(page_request: PageRequest, store: DocumentStore) -> Response:
    """Show one document with the findings of its validation."""
    return await _render(page_request, store, await _find(page_request, store), None)


async def download_xml(page_request: PageRequest, store: DocumentStore) -> Response:
    document = await _find(page_request, store)
    content = await page_request.pools.run_database(store.xml, document.account_id, document.uuid)
    if content is None:
        raise HTTPException(404)
    return attachment(content, "application/xml", f"{document.uuid}.xml")


async def query_status(page_request: PageRequest, store: DocumentStore, watch: DocumentWatch) -> Response:
    """Ask the SAT for the status of one document."""
    await page_request.form()
    document = await _find(page_request, store)
    try:
        await page_request.pools.run_authority(watch.query_status, document)
    except ServiceError as error:
        return await _render(page_request, store, document, error)
    return redirect(f"{PATH}/{document.uuid}?aviso=consultado")


async def answer(
    page_request: PageRequest, store: DocumentStore, watch: DocumentWatch, cancellation: CancellationServices
) -> Response:
    """Accept or reject the cancellation of a received document, with the CSD of the receiver that the account has."""
    form = await page_request.form()
    document, caller = await _find(page_request, store), page_request.account
    run, word = page_request.pools.run_authority, text_field(form, "respuesta", 20)
    try:
        work = cancellation.accepting.by_uuid
        result = await run(work, caller, document.receiver_rfc, document.uuid, word, request_id())
        await run(watch.query_status, document)
    except ServiceError as error:
        return await _render(page_request, store, document, error)
    code = next((each.code for each in result.folios), "")
    return redirect(f"{PATH}/{document.uuid}?aviso={code}")


async def _render(
    page_request: PageRequest, store: DocumentStore, document: ReceivedDocument, error: ServiceError | None
) -> Response:
    findings = await page_request.pools.run_database(store.findings, document.id)
    counted = (document.errors or 0) + (document.warnings or 0)
    values = {
        "document": document,
        "findings": [table_row(FINDINGS, finding) for finding in findings],
        "hidden_findings": max(0, counted - len(findings)),
        "kind": kind_of(document),
        "path": PATH,
        "here": f"{PATH}/{document.uuid}",
        "results": RESULT_BADGES,
        "sources": SOURCE_NAMES,
        "statuses": STATUS_BADGES,
        "is_pending": document.cancellation == PENDING and document.status != "Cancelado",
        "answers": ANSWERS,
        "notice_text": NOTICES.get(page_request.query("aviso"), ""),
    }
    return page_request.render_form("stored_document.html", values, error)


async def _find(page_request: PageRequest, store: DocumentStore) -> ReceivedDocument:
    uuid, account_id = canonical_uuid(page_request.path_parameter("uuid")), page_request.account.account_id
    document = await page_request.pools.run_database(store.find, account_id, uuid) if uuid else None
    if document is None:
        raise HTTPException(404)
    return document


def _kind_of_change(page_request: PageRequest) -> str:
    kind = page_request.query("cambio")
    if kind and kind not in CHANGES:
        raise HTTPException(404)
    return kind


def _field_error(error: ParameterError) -> FieldError:
    return FieldError(FIELDS[error.name], error.detail or "")


PAGES = (
    Page("GET", PATH, show, menu=MenuItem("Recibidos", 59), icon="file-down"),
    Page("GET", f"{PATH}/exportar/{{name}}", export_selection),
    Page("POST", f"{PATH}/exportar/{{name}}", export_selection, scope=READ),
    Page("GET", f"{PATH}/cambios", show_changes),
    Page("GET", f"{PATH}/cambios/csv", download_changes),
    Page("GET", f"{PATH}/{{uuid}}", show_document),
    Page("GET", f"{PATH}/{{uuid}}/xml", download_xml),
    Page("POST", f"{PATH}/{{uuid}}/estado", query_status, scope=READ),
    Page("POST", f"{PATH}/{{uuid}}/responder", answer, scope=CANCEL),
)
