"""Rejected stamping requests: code, place in the document, and request id."""

from __future__ import annotations

from starlette.exceptions import HTTPException
from starlette.responses import Response

from timbra.accounts.pages.user_names import user_names
from timbra.accounts.services import AccountServices
from timbra.core.errors import ServiceError
from timbra.events.audit.recorder import AuditRecorder
from timbra.operations.services import OperationsServices
from timbra.rejections.store import RejectionFilter, RejectionPage
from timbra.web.portal.dispatch.card import Card, CardPlace, CardValues
from timbra.web.portal.dispatch.forms import date_range
from timbra.web.portal.dispatch.page import MenuItem, Page
from timbra.web.portal.dispatch.page_request import PageRequest
from timbra.web.portal.dispatch.scope import visible_account

PATH = "/portal/rechazos"
EMPTY_PAGE = RejectionPage((), None)
FIELDS = ("codigo", "rfc", "solicitud", "desde", "hasta")
MAX_NUMBER = 2**63 - 1
CARD_ROWS = 5


async def search(page_request: PageRequest, accounts: AccountServices, operations: OperationsServices) -> Response:
    """List rejections, newest first."""
    fields = {name: page_request.query(name) for name in FIELDS}
    values = {
        "fields": fields,
        "users": await page_request.pools.run_database(user_names, page_request, accounts),
        "page": EMPTY_PAGE,
        "days": operations.rejection_days,
    }
    try:
        since, until = date_range(page_request)
        filters = RejectionFilter(
            visible_account(page_request), fields["codigo"], fields["rfc"].upper(), fields["solicitud"], since, until
        )
        cursor = page_request.query("cursor") or None
        page = await page_request.pools.run_database(operations.rejection_store.page, filters, cursor)
    except ServiceError as error:
        return page_request.render_error("rejections.html", error, values)
    return page_request.render("rejections.html", {**values, "page": page})


def newest(page_request: PageRequest, accounts: AccountServices, operations: OperationsServices) -> CardValues:
    found = operations.rejection_store.page(RejectionFilter(visible_account(page_request)), limit=CARD_ROWS)
    return {"rejections": found.rejections, "users": user_names(page_request, accounts)}


async def download(page_request: PageRequest, services: OperationsServices, audit: AuditRecorder) -> Response:
    """Download the document of a rejection, if the server keeps documents."""
    number = page_request.request.path_params["number"]
    if number > MAX_NUMBER:
        raise HTTPException(404)
    account_id = visible_account(page_request)
    content = await page_request.pools.run_database(services.rejection_store.document, account_id, number)
    if content is None:
        raise HTTPException(404)
    if account_id is None:
        await page_request.pools.run_database(audit.record, "rejected-document.read", None, str(number))
    disposition = f'attachment; filename="rechazo-{number}.xml"'
    return Response(content, media_type="application/octet-stream", headers={"Content-Disposition": disposition})


PAGES = (
    Page("GET", PATH, search, menu=MenuItem("Rechazos", 70), icon="ban", shortcut="r"),
    Page("GET", f"{PATH}/{{number:int}}/xml", download),
)
CARDS = (Card(CardPlace.NEWEST, 20, "rejections_card.html", newest),)
