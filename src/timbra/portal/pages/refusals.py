"""Refused requests of stamping: why, where in the document, and in which request."""

from __future__ import annotations

import asyncio

from starlette.exceptions import HTTPException
from starlette.responses import Response

from timbra.errors import ServiceError
from timbra.portal.owners import scope_of, users
from timbra.portal.page import Page
from timbra.portal.texts import span
from timbra.portal.visit import Visit
from timbra.store.refusals import RefusalFilter, RefusalPage

PLACE = "/portal/rechazos"
NOTHING = RefusalPage((), None)
FIELDS = ("codigo", "rfc", "solicitud", "desde", "hasta")
LARGEST_NUMBER = 2**63 - 1


async def search(visit: Visit) -> Response:
    """What was refused, newest first."""
    sent = {name: visit.query(name) for name in FIELDS}
    values = {
        "sent": sent,
        "owners": await asyncio.to_thread(users, visit),
        "page": NOTHING,
        "days": visit.house.settings.refusal_days,
    }
    try:
        since, until = span(visit)
        wanted = RefusalFilter(scope_of(visit), sent["codigo"], sent["rfc"].upper(), sent["solicitud"], since, until)
        found = await asyncio.to_thread(visit.house.refusal_store.page, wanted, visit.query("cursor") or None)
    except ServiceError as error:
        return visit.show_error("refusals.html", error, values)
    return visit.show("refusals.html", {**values, "page": found})


async def document(visit: Visit) -> Response:
    """The document of a refusal, where documents are kept."""
    number = visit.request.path_params["number"]
    if number > LARGEST_NUMBER:
        raise HTTPException(404)
    content = await asyncio.to_thread(visit.house.refusal_store.document, scope_of(visit), number)
    if content is None:
        raise HTTPException(404)
    name = f'attachment; filename="rechazo-{number}.xml"'
    return Response(content, media_type="application/octet-stream", headers={"Content-Disposition": name})


PAGES = (
    Page("GET", PLACE, search, menu="Rechazos"),
    Page("GET", f"{PLACE}/{{number:int}}/xml", document),
)
