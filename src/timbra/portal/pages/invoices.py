"""Stamped invoices: searching them, seeing one, taking it along, cancelling it."""

from __future__ import annotations

import asyncio
import secrets

import structlog
from starlette.exceptions import HTTPException
from starlette.responses import Response

from timbra.cfdi.folio import canonical_uuid
from timbra.errors import ServiceError
from timbra.portal import invoice
from timbra.portal.owners import may_see_of, scope_of, users
from timbra.portal.page import Page
from timbra.portal.texts import span
from timbra.portal.visit import Visit, moved, text_of
from timbra.rendering.html import invoice_html
from timbra.service.cancelling import CancelOrder
from timbra.store.port import StampRecord
from timbra.store.stamp_search import StampFilter, SummaryPage

PLACE = "/portal/facturas"
NOTHING = SummaryPage((), None)
FIELDS = ("uuid", "rfc", "serie", "folio", "desde", "hasta")


async def search(visit: Visit) -> Response:
    """What was stamped, newest first."""
    sent = {name: visit.query(name) for name in FIELDS}
    values = {"sent": sent, "owners": await asyncio.to_thread(users, visit), "page": NOTHING}
    try:
        wanted = _filter(visit, sent)
        cursor = visit.query("cursor") or None
        found = await asyncio.to_thread(visit.house.stamp_search.page, wanted, cursor)
    except ServiceError as error:
        return visit.show_error("invoices.html", error, values)
    return visit.show("invoices.html", {**values, "page": found})


def _filter(visit: Visit, sent: dict[str, str]) -> StampFilter:
    """ServiceError("TB4005") for what cannot be searched."""
    uuid = canonical_uuid(sent["uuid"]) if sent["uuid"] else ""
    if uuid is None:
        raise ServiceError("TB4005", "El folio fiscal tiene 36 caracteres, con guiones.")
    if sent["serie"] and not sent["folio"]:
        raise ServiceError("TB4005", "Con la serie indique también el folio.")
    since, until = span(visit)
    return StampFilter(scope_of(visit), uuid, sent["rfc"].upper(), sent["serie"], sent["folio"], since, until)


async def show(visit: Visit) -> Response:
    """One invoice, with everything that is known about it."""
    record = await _record(visit)
    return visit.show("invoice_page.html", await _values(visit, record))


async def xml(visit: Visit) -> Response:
    record = await _record(visit)
    return _file(record.cfdi, "application/xml", f"{record.uuid}.xml")


async def printed(visit: Visit) -> Response:
    """The printed representation. ServiceError("TB4006") without the extra `pdf`."""
    record = await _record(visit)
    paper = await visit.house.printing.printed(record.cfdi)
    return _file(paper.pdf, "application/pdf", f"{record.uuid}.pdf")


async def cancel(visit: Visit) -> Response:
    """Asks the authority to cancel an invoice of the account, signed with its stored CSD."""
    form = await visit.form()
    record = await _record(visit)
    if record.account_id != visit.account.account_id:
        raise HTTPException(404)
    sent: dict[str, str] = {}
    try:
        sent = {name: text_of(form, name, 40) for name in ("motivo", "sustituta")}
        order = CancelOrder(record.issuer_rfc, record.uuid, sent["motivo"], sent["sustituta"])
        cancelled = await asyncio.to_thread(visit.house.cancelling.by_uuid, visit.account, order, _request_id())
    except ServiceError as error:
        return visit.show_error("invoice_page.html", error, await _values(visit, record, sent))
    code = cancelled.codes.get(record.uuid.upper(), "")
    return moved(f"{PLACE}/{record.uuid}?aviso={code}&estado=si")


async def _record(visit: Visit) -> StampRecord:
    """The stamp of the address; 404 for one that does not exist and for another account's alike."""
    uuid = canonical_uuid(visit.request.path_params["uuid"])
    record = await asyncio.to_thread(visit.house.stamps.by_uuid, uuid) if uuid else None
    if record is None or not may_see_of(visit, record.account_id):
        raise HTTPException(404)
    return record


async def _values(visit: Visit, record: StampRecord, sent: dict[str, str] | None = None) -> dict[str, object]:
    house = visit.house
    root = house.parser.parse(record.cfdi).root
    standing = invoice.Standing(asked=False)
    if house.sandbox or visit.query("estado"):
        standing = await asyncio.to_thread(invoice.standing, house, visit.account, record, root)
    notice = visit.query("aviso")
    return {
        "record": record,
        "invoice": invoice_html(visit.templates, house.views.view(root)),
        "standing": standing,
        "history": await asyncio.to_thread(invoice.history, house, record),
        "owner": (await asyncio.to_thread(users, visit)).get(record.account_id, ""),
        "own": record.account_id == visit.account.account_id,
        "motives": invoice.MOTIVES,
        "told_code": notice if notice in invoice.ANSWERS else "",
        "told_text": invoice.ANSWERS.get(notice, ""),
        "sent": sent or {"motivo": "", "sustituta": ""},
    }


def _file(content: bytes, kind: str, name: str) -> Response:
    return Response(content, media_type=kind, headers={"Content-Disposition": f'attachment; filename="{name}"'})


def _request_id() -> str:
    """Of this request, for the history; one of its own where nobody has given any."""
    known = structlog.contextvars.get_contextvars().get("request_id")
    return str(known) if known else f"portal-{secrets.token_hex(8)}"


PAGES = (
    Page("GET", PLACE, search, menu="Facturas"),
    Page("GET", f"{PLACE}/{{uuid}}", show),
    Page("GET", f"{PLACE}/{{uuid}}/xml", xml),
    Page("GET", f"{PLACE}/{{uuid}}/pdf", printed),
    Page("POST", f"{PLACE}/{{uuid}}/cancelar", cancel),
)
