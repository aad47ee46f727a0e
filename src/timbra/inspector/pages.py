"""The request inspector: the calls of the account, one call, and the live view of new calls."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlencode

import structlog
from starlette.exceptions import HTTPException
from starlette.responses import Response, StreamingResponse

from timbra.core.errors import ServiceError
from timbra.documents.build import DocumentServices
from timbra.inspector.build import InspectorServices
from timbra.inspector.call_content import CallContent, read_content, uuid_in
from timbra.inspector.client_behavior import ClientFault, ClientFinding
from timbra.inspector.live_feed import EndReason, LiveView
from timbra.inspector.store import CallFilter, NumberedCall
from timbra.inspector.view import body_view, codes_in, curl_of, finding_of, has_hidden_values, needs_file
from timbra.web.portal.dispatch.field_errors import FieldError
from timbra.web.portal.dispatch.page import MenuItem, Page
from timbra.web.portal.dispatch.page_request import PageRequest

log: structlog.stdlib.BoundLogger = structlog.get_logger("timbra.portal")

PATH: Final = "/portal/inspector"
ROWS: Final = 50
MAX_FINDINGS: Final = 20
LIVE_ROWS: Final = 50
"""Calls of one event; of more, the live view shows the newest."""
KEEP_ALIVE_SECONDS: Final = 20
RETRY_MILLISECONDS: Final = 3000
MAX_NUMBER: Final = 2**63 - 1
FIELDS: Final = ("estado", "codigo", "rfc", "texto")
STATES: Final[Mapping[str, str]] = {
    "": "todas",
    "aceptadas": "sin error",
    "rechazadas": "con error",
    "2xx": "2xx",
    "4xx": "4xx",
    "5xx": "5xx",
}
MAX_TEXT: Final = 200
TITLES: Final = {
    ClientFault.OTHER_BYTES: "Repitió con otros bytes",
    ClientFault.IGNORED_REPEAT: "Ignoró el 307",
    ClientFault.NO_RETRY: "No repitió la petición",
    ClientFault.RETRIED_AT_ONCE: "Repitió antes de tiempo",
}
ADVICE: Final = {
    ClientFault.OTHER_BYTES: (
        "No supo si el documento se timbró y envió otro: puede haber dos timbres de la misma operación. Guarde el "
        "documento antes de enviarlo y repita exactamente los mismos bytes."
    ),
    ClientFault.IGNORED_REPEAT: (
        "El 307 trae el timbre que ya existe; la operación está terminada. Guarde ese timbre y no vuelva a enviar."
    ),
    ClientFault.NO_RETRY: (
        "La respuesta no decidió nada sobre el documento, y la petición no se repitió en un minuto. Repita los mismos "
        "bytes hasta obtener el timbre o un rechazo."
    ),
    ClientFault.RETRIED_AT_ONCE: "Espere los segundos que dice Retry-After antes de repetir.",
}


@dataclass(frozen=True, slots=True)
class ClientFindingView:
    """A mistake of a client.

    Attributes:
        first: Number of the call whose answer the client had to survive.
        second: Number of the call that was wrong; None for one that is missing.
    """

    title: str
    advice: str
    first: int
    second: int | None


def client_finding_view(finding: ClientFinding) -> ClientFindingView:
    """Return a mistake in words."""
    advice = ADVICE[finding.fault]
    if finding.seconds is not None:
        waited, wanted = finding.seconds
        advice = f"Esperó {waited:g} s de {wanted:g} s. {advice}"
    return ClientFindingView(TITLES[finding.fault], advice, finding.first, finding.second)


def filter_of(fields: Mapping[str, str], account_id: int) -> CallFilter:
    """Read the search form. Raises FieldError: The state is neither one of `STATES` nor an HTTP status."""
    state = fields["estado"].lower()
    statuses, rejected = None, None
    if state in ("aceptadas", "rechazadas"):
        rejected = state == "rechazadas"
    elif re.fullmatch(r"[1-5]xx", state):
        statuses = (int(state[0]) * 100, int(state[0]) * 100 + 99)
    elif re.fullmatch(r"[1-5][0-9]{2}", state):
        statuses = (int(state), int(state))
    elif state:
        raise FieldError("estado", "El estado es un número HTTP, como 400, o un grupo, como 4xx.")
    code, rfc = fields["codigo"].strip(), fields["rfc"].strip().upper()
    return CallFilter(account_id, statuses, rejected, code, rfc, fields["texto"][:MAX_TEXT])


async def search(page_request: PageRequest, services: InspectorServices) -> Response:
    """List calls of the account, newest first."""
    account_id = page_request.account.account_id
    fields = {name: page_request.query(name) for name in FIELDS}
    values: dict[str, object] = {
        "fields": fields,
        "states": STATES,
        "is_on": services.recorder is not None,
        "days": services.days,
        "kept": services.rows,
        "rows": [],
        "cursor": None,
        "live": "",
        "dropped": None,
        "client_findings": [],
    }
    try:
        filters, cursor = filter_of(fields, account_id), _number(page_request.query("cursor"))
    except ServiceError as error:
        return page_request.render_error("inspector.html", error, values)

    def read() -> dict[str, object]:
        newest = services.calls.newest_number(account_id)
        rows = services.calls.page(filters, cursor or None, ROWS + 1)
        is_live = services.recorder is not None and not cursor
        return {
            "rows": rows[:ROWS],
            "cursor": rows[ROWS - 1].number if len(rows) > ROWS else None,
            "live": f"{PATH}/vivo?{urlencode({**fields, 'desde': newest})}" if is_live else "",
            "dropped": services.calls.dropped(account_id),
            "client_findings": _client_findings(services, account_id),
        }

    return page_request.render("inspector.html", {**values, **await page_request.pools.run_database(read)})


async def show(page_request: PageRequest, services: InspectorServices, documents: DocumentServices) -> Response:
    """Show one call with headers, bodies and findings."""
    numbered, content = await _find(page_request, services)
    finding = finding_of(numbered.call, content)
    account_id = page_request.account.account_id
    found = await page_request.pools.run_database(_client_findings, services, account_id, numbered.number)
    curl = curl_of(numbered, content, page_request.base_url)
    values = {
        "row": numbered,
        "call": numbered.call,
        "content": content,
        "finding": finding,
        "codes": codes_in(numbered.call, content),
        "client_findings": found,
        "request_body": body_view(content.request, content.request_xml, documents.parser, finding),
        "response_body": body_view(content.response, content.response_xml, documents.parser, None),
        "uuid": uuid_in(content.response.text),
        "curl": curl,
        "needs_file": needs_file(curl),
        "hidden_values": has_hidden_values(content),
    }
    return page_request.render("inspector_call.html", values)


def _client_findings(
    services: InspectorServices, account_id: int, number: int | None = None
) -> list[ClientFindingView]:
    """Return what the client did wrong: the newest mistakes, or those in which one call takes part."""
    found = services.client_findings(account_id)
    if number is not None:
        found = [finding for finding in found if number in (finding.first, finding.second)]
    return [client_finding_view(finding) for finding in found[:MAX_FINDINGS]]


async def download(page_request: PageRequest, services: InspectorServices) -> Response:
    """Download the recorded body of a request or of an answer."""
    numbered, content = await _find(page_request, services)
    name = page_request.request.path_params["part"]
    if name not in ("solicitud", "respuesta"):
        raise HTTPException(404)
    body = content.request if name == "solicitud" else content.response
    disposition = f'attachment; filename="{name}-{numbered.number}.txt"'
    headers = {"Content-Disposition": disposition}
    return Response(body.text.encode(), media_type="application/octet-stream", headers=headers)


async def live(page_request: PageRequest, services: InspectorServices) -> Response:
    """Send new calls as server-sent events until the session ends, the browser leaves or the server stops."""
    if services.recorder is None:
        raise HTTPException(404)
    fields = {name: page_request.query(name) for name in FIELDS}
    account_id = page_request.account.account_id
    filters = filter_of(fields, account_id)
    last = _number(page_request.request.headers.get("last-event-id", "") or page_request.query("desde"))
    view = services.feed.open(account_id)
    # A proxy such as nginx would buffer the events otherwise.
    headers = {"X-Accel-Buffering": "no"}
    events = _events(page_request, services, view, filters, last)
    return StreamingResponse(events, media_type="text/event-stream", headers=headers)


async def _events(
    page_request: PageRequest, services: InspectorServices, view: LiveView, filters: CallFilter, last: int
) -> AsyncIterator[str]:
    """Yield events: new calls when they were written, and a comment when none were for a while."""
    try:
        yield f"retry: {RETRY_MILLISECONDS}\n\n"
        while view.ended is None:
            if not await page_request.has_session():
                view.end(EndReason.SESSION)
                break
            rows, last = await _new_calls(page_request, services, filters, last)
            if rows:
                template = page_request.templates.get_template("inspector_live.html")
                yield event("calls", template.render(rows=rows), last)
            if not await view.wait(KEEP_ALIVE_SECONDS):
                yield ": \n\n"
        if view.ended is not EndReason.STOPPING and view.ended is not None:
            yield event("end", view.ended.value, last)
    finally:
        services.feed.close(view)


async def _new_calls(
    page_request: PageRequest, services: InspectorServices, filters: CallFilter, last: int
) -> tuple[list[NumberedCall], int]:
    """Return the calls after `last`, and the number up to which they were read; none while the database fails."""
    try:
        rows = await page_request.pools.run_database(services.calls.newer, filters, last, LIVE_ROWS)
    except ServiceError as error:
        log.warning("live view failed", code=error.code, detail=error.detail)
        return [], last
    return [*rows], max([last, *(row.number for row in rows)])


def event(name: str, data: str, number: int) -> str:
    """Format a server-sent event.

    Args:
        data: Its text; each line becomes a field.
        number: Its id, which the browser sends when it connects again.
    """
    lines = "".join(f"data: {line}\n" for line in data.splitlines() if line)
    return f"id: {number}\nevent: {name}\n{lines}\n"


async def _find(page_request: PageRequest, services: InspectorServices) -> tuple[NumberedCall, CallContent]:
    number = page_request.request.path_params["number"]
    if number > MAX_NUMBER:
        raise HTTPException(404)
    account_id = page_request.account.account_id
    found = await page_request.pools.run_database(services.calls.find, account_id, number)
    if found is None:
        raise HTTPException(404)
    numbered, stored = found
    return numbered, read_content(stored)


def _number(text: str) -> int:
    """Read the number of a call; 0 for an empty text. Raises ServiceError: "TB4005" when it is none."""
    if not text:
        return 0
    if not (text.isascii() and text.isdigit() and len(text) < 20 and int(text) <= MAX_NUMBER):
        raise ServiceError("TB4005", "El cursor de la página no es válido.")
    return int(text)


PAGES = (
    Page("GET", PATH, search, menu=MenuItem("Inspector", 40), icon="activity", shortcut="l"),
    Page("GET", f"{PATH}/vivo", live),
    Page("GET", f"{PATH}/{{number:int}}", show),
    Page("GET", f"{PATH}/{{number:int}}/{{part}}", download),
)
