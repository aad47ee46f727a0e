"""Stored CFDI: the record that the look-up tells, and the files behind its links."""

from __future__ import annotations

import asyncio

from starlette.responses import Response

from timbra.api.address import base_address
from timbra.api.exchange import Exchange, json_answer
from timbra.api.operations import Access, Operation, Parameter
from timbra.api.stored import ADDENDA, CANCELLATION, PDF, XML, addenda_of, live_answer
from timbra.errors import ServiceError

FILES = "/datawarehouse/v1/files"
# What was written by others is shown by no browser as a page of this server.
GUARDED = {
    "Content-Security-Policy": "default-src 'none'; sandbox",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "private, no-store",
    "Referrer-Policy": "no-referrer",
}


async def live(exchange: Exchange) -> Response:
    """The record of one stamp, with links to its files."""
    house = exchange.house
    stored = await asyncio.to_thread(house.storage.read, exchange.caller, exchange.parameters["uuid"])
    base = base_address(exchange)

    def link(name: str) -> str:
        return base + house.links.signed(f"{FILES}/{stored.record.uuid}/{name}")

    answer = live_answer(stored, link, f"{base}{exchange.scope['path']}")
    return json_answer(answer)


async def file(exchange: Exchange) -> Response:
    """One file of a stored CFDI, for whoever holds its link."""
    house = exchange.house
    uuid, name = exchange.parameters["uuid"].lower(), exchange.parameters["name"].lower()
    house.links.check(f"{FILES}/{uuid}/{name}", exchange.query("expires") or "", exchange.query("signature") or "")
    record = await asyncio.to_thread(house.storage.any, uuid)
    if name == PDF:
        return _file((await house.printing.printed(record.cfdi)).pdf, "application/pdf", f"{uuid}.pdf")
    if name == XML:
        return _file(record.cfdi, "application/xml", f"{uuid}.xml")
    content: bytes | None = None
    if name == CANCELLATION:
        content = await asyncio.to_thread(house.storage.cancellation, record)
    elif name == ADDENDA:
        content = await asyncio.to_thread(lambda: addenda_of(house.storage.opened(record)))
    if content is None:
        raise ServiceError("TB4041")
    return _file(content, "application/xml", f"{uuid}-{name}")


def _file(content: bytes, media_type: str, name: str) -> Response:
    headers = GUARDED | {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(content, headers=headers, media_type=media_type)


OPERATIONS = (
    Operation(
        name="storage-live",
        method="GET",
        paths=("/datawarehouse/v1/live/{uuid}",),
        endpoint=live,
        summary="One stored CFDI, with links to its XML and PDF",
        description="The links need no token and last 72 hours.",
        tag="storage",
        answer="StoredCfdi",
    ),
    Operation(
        name="storage-file",
        method="GET",
        paths=(f"{FILES}/{{uuid}}/{{name}}",),
        endpoint=file,
        summary="A file of a stored CFDI, by its link",
        tag="storage",
        answer="file",
        access=Access.PUBLIC,
        parameters=(
            Parameter("expires", "query", "When the link ends, Unix seconds.", required=True),
            Parameter("signature", "query", "Of path and end.", required=True),
        ),
    ),
)
