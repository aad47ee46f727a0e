"""Cancellation of several documents of a list: a preview, then one request for each document."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from starlette.datastructures import FormData
from starlette.responses import Response

from timbra.cancellation.cancelling import CancellationRequest
from timbra.cancellation.services import CancellationServices
from timbra.cancellation.texts_view import CANCELLATION_CODES, MOTIVES
from timbra.core.errors import ServiceError
from timbra.documents.build import DocumentServices
from timbra.documents.listing import ListedDocument
from timbra.documents.pages import PATH, request_id
from timbra.documents.search_pages import chosen_documents
from timbra.events.cancellation_states import DocumentState
from timbra.web.portal.dispatch.field_errors import FieldError
from timbra.web.portal.dispatch.page import Page
from timbra.web.portal.dispatch.page_request import PageRequest, text_field
from timbra.web.portal.views.formatting import error_message

NEEDS_SUBSTITUTE = "01"
"""Motivo that names a document of its own for each one; it is requested on the page of the document."""
BULK_MOTIVES = {motive: text for motive, text in MOTIVES.items() if motive != NEEDS_SUBSTITUTE}
ACCEPTED = ("201", "202", "1201", "1202")


@dataclass(frozen=True, slots=True)
class CancellationOutcome:
    """The answer to one request.

    Attributes:
        is_accepted: Whether the authority accepted the request.
        code: The code of the answer or of the error.
    """

    row: ListedDocument
    is_accepted: bool
    code: str
    text: str


async def preview(page_request: PageRequest, documents: DocumentServices) -> Response:
    """Show the chosen documents, and which of them can be cancelled, before anything is requested."""
    rows = await _chosen(page_request, documents, await page_request.form())
    return _render_preview(page_request, rows, None, "")


async def execute(
    page_request: PageRequest, documents: DocumentServices, cancellation: CancellationServices
) -> Response:
    """Request the cancellation of each document, one after the other, and show every answer."""
    form = await page_request.form()
    rows = await _chosen(page_request, documents, form)
    motive = text_field(form, "motivo")
    if motive not in BULK_MOTIVES:
        return _render_preview(page_request, rows, FieldError("motivo", "Elija un motivo."), motive)
    outcomes = [await _cancel(page_request, cancellation, row, motive) for row in rows if _can_be_cancelled(row)]
    return page_request.render("invoices_cancelled.html", {"outcomes": outcomes})


async def _cancel(
    page_request: PageRequest, cancellation: CancellationServices, row: ListedDocument, motive: str
) -> CancellationOutcome:
    stamp = row.stamp
    request = CancellationRequest(stamp.issuer_rfc, stamp.uuid, motive)
    service = cancellation.cancelling_of(is_retencion=stamp.kind == "R")
    try:
        result = await page_request.pools.run_authority(service.by_uuid, page_request.account, request, request_id())
    except ServiceError as error:
        return CancellationOutcome(row, False, error.code, error.detail or error_message(error.code))
    code = result.codes.get(stamp.uuid.upper(), "")
    return CancellationOutcome(row, code in ACCEPTED, code, CANCELLATION_CODES.get(code, ""))


async def _chosen(page_request: PageRequest, documents: DocumentServices, form: FormData) -> list[ListedDocument]:
    """Return the chosen documents of the caller's account; other folios are left out."""
    rows = await page_request.pools.run_database(documents.listing.of, chosen_documents(form))
    return [row for row in rows if row.stamp.account_id == page_request.account.account_id]


def _can_be_cancelled(row: ListedDocument) -> bool:
    return row.cancellation.state is DocumentState.VALID


def _render_preview(
    page_request: PageRequest, rows: Sequence[ListedDocument], error: ServiceError | None, motive: str
) -> Response:
    values: dict[str, object] = {
        "rows": [row for row in rows if _can_be_cancelled(row)],
        "skipped": [row for row in rows if not _can_be_cancelled(row)],
        "motives": BULK_MOTIVES,
        "motive": motive,
    }
    return page_request.render_form("invoices_to_cancel.html", values, error)


PAGES = (
    Page("POST", f"{PATH}/cancelar", preview),
    Page("POST", f"{PATH}/cancelar/confirmar", execute),
)
