"""Substitution of an invoice in one step: a stamp with relation 04, then the cancellation of the old one, motive 01.

The state is that of the documents: a cancellation that failed is requested again from the page of the operation.
"""

from __future__ import annotations

from dataclasses import dataclass

from starlette.exceptions import HTTPException
from starlette.responses import Response

from timbra.cancellation.cancelling import WITH_SUBSTITUTE, CancellationRequest
from timbra.cancellation.texts_view import CANCELLATION_CODES
from timbra.core.errors import ServiceError
from timbra.core.scopes import CANCEL, STAMP
from timbra.documents.derivation import SUBSTITUTES
from timbra.documents.listing import ListedDocument
from timbra.documents.pages import request_id
from timbra.events.cancellation_states import DocumentState
from timbra.invoices.paths import PATH
from timbra.invoices.services import InvoiceServices
from timbra.rules.reference.messages import MESSAGES
from timbra.stamping.stored_document import read_stored
from timbra.stamps.port import StampRecord
from timbra.web.portal.dispatch.page import Page
from timbra.web.portal.dispatch.page_request import PageRequest, redirect
from timbra.web.portal.views.formatting import error_message

SUBSTITUTION = f"{PATH}/sustitucion"
STATE_BADGES = {
    DocumentState.VALID: ("vigente: falta cancelarla", "warn"),
    DocumentState.PENDING: ("cancelación en proceso", "warn"),
    DocumentState.CANCELLED: ("cancelada", "good"),
}


@dataclass(frozen=True, slots=True)
class Substitution:
    """An invoice and those of the account that it substitutes."""

    record: StampRecord
    substituted: list[ListedDocument]

    @property
    def to_cancel(self) -> list[ListedDocument]:
        """The ones whose cancellation was not requested, or was rejected."""
        return [each for each in self.substituted if each.cancellation.state is DocumentState.VALID]


async def show(page_request: PageRequest, services: InvoiceServices) -> Response:
    """Show the operation: the new invoice, and the state of those that it substitutes."""
    found = await _substitution(page_request, services, page_request.path_parameter("uuid"))
    code = page_request.query("codigo")
    values = {
        "record": found.record,
        "substituted": found.substituted,
        "to_cancel": found.to_cancel,
        "badges": STATE_BADGES,
        "code": code if code in CANCELLATION_CODES or code in MESSAGES else "",
        "code_text": CANCELLATION_CODES.get(code) or (error_message(code) if code in MESSAGES else ""),
        "may_cancel": page_request.account.may(CANCEL),
        "path_of_form": PATH,
    }
    return page_request.render("invoice_substitution.html", values)


async def resume(page_request: PageRequest, services: InvoiceServices) -> Response:
    """Request the cancellations that are missing."""
    await page_request.form()
    return await cancel_substituted(page_request, services, page_request.path_parameter("uuid"))


async def cancel_substituted(page_request: PageRequest, services: InvoiceServices, uuid: str) -> Response:
    """Request the cancellation of what an invoice substitutes, and show the operation.

    Args:
        uuid: the invoice that was stamped.
    """
    found, code = await _substitution(page_request, services, uuid), ""
    if page_request.account.may(CANCEL):
        for old in found.to_cancel:
            request = CancellationRequest(old.stamp.issuer_rfc, old.stamp.uuid, WITH_SUBSTITUTE, found.record.uuid)
            try:
                result = await page_request.pools.run_authority(
                    services.cancellation.cancelling.by_uuid, page_request.account, request, request_id()
                )
                code = result.codes.get(old.stamp.uuid.upper(), "")
            except ServiceError as error:
                # The stamp exists: the page of the operation says what failed, and asks for the rest.
                code = page_request.public_error(error).code
    return redirect(f"{SUBSTITUTION}/{found.record.uuid}?aviso=sustituida&codigo={code}")


async def _substitution(page_request: PageRequest, services: InvoiceServices, uuid: str) -> Substitution:
    """Return an invoice of the account with those that it substitutes. HTTPException(404) without such an invoice."""
    run, account = page_request.pools.run_database, page_request.account.account_id
    record = await run(services.stamping.stamps.by_uuid, uuid.lower())
    if record is None or record.account_id != account or record.is_retencion:
        raise HTTPException(404)
    root = read_stored(record, services.stamping.checks.parser).root
    groups = (group for group in root.iterfind("{*}CfdiRelacionados") if group.get("TipoRelacion") == SUBSTITUTES)
    uuids = [related.get("UUID", "").lower() for group in groups for related in group]
    listed = await run(services.documents.listing.of, uuids)
    own = [each for each in listed if each.stamp.account_id == account and each.stamp.issuer_rfc == record.issuer_rfc]
    if not own:
        raise HTTPException(404)
    return Substitution(record, own)


PAGES = (
    Page("GET", f"{SUBSTITUTION}/{{uuid}}", show, scope=STAMP),
    Page("POST", f"{SUBSTITUTION}/{{uuid}}", resume, scope=CANCEL),
)
