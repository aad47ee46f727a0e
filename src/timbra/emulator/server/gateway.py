"""HTTP requests of the services: bounded bodies, scripted faults, and the handlers in threads."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from xml.sax.saxutils import escape

import structlog
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response, StreamingResponse

from timbra.core.errors import ServiceError
from timbra.core.soap import CONTENT_TYPE
from timbra.emulator.faults import EmulatedService, ScriptedFaults
from timbra.emulator.options import EmulatorConfiguration
from timbra.emulator.server.abort import abort_connection
from timbra.emulator.services.blobs import StorageError
from timbra.emulator.soap import ADDRESSING, SoapFault, SoapStream
from timbra.emulator.tokens import AccessTokenError
from timbra.seals.xml_signatures.ws_security import SECURITY

LOG = structlog.get_logger(__name__)
BODY_SECONDS = 120.0
_PAGE = (
    "<!DOCTYPE html><html><head><title>{text}</title></head><body><h2>{text}</h2>"
    "<p>The service is unavailable.</p></body></html>"
)
_NAMESPACES = {"InvalidSecurity": SECURITY, "FailedAuthentication": SECURITY, "ActionNotSupported": ADDRESSING}
_GONE = Response(status_code=500)
"""Returned after the connection was closed; nothing of it is sent."""


@dataclass(frozen=True, slots=True)
class HttpCall:
    """A complete request.

    Attributes:
        path: The parameters of the path.
        query: The query string, as sent.
        headers: Names in lower case.
        body: The whole body.
        faults: The scripted faults of the request.
    """

    path: Mapping[str, str]
    query: str = field(repr=False)
    headers: Mapping[str, str] = field(repr=False)
    body: bytes = field(repr=False)
    faults: ScriptedFaults


Handler = Callable[[HttpCall], Response]
"""Serves a request in a thread."""


class StreamedResponse(StreamingResponse):
    """A SOAP response that is made while it is sent."""

    def __init__(self, stream: SoapStream) -> None:
        super().__init__(stream.pieces(), headers={"Content-Type": CONTENT_TYPE, "Content-Length": str(stream.size)})
        self.stream = stream

    def half(self) -> Response:
        """Return a response with the first half of the bytes."""
        return StreamingResponse(self._half(), headers={"Content-Type": CONTENT_TYPE})

    def _half(self) -> Iterator[bytes]:
        left = self.stream.size // 2
        for piece in self.stream.pieces():
            yield piece[:left]
            left -= len(piece)
            if left <= 0:
                return


class BodyTooLargeError(Exception):
    """A body over the limit."""


class Gateway:
    """Makes endpoints of handlers."""

    def __init__(self, configuration: EmulatorConfiguration, pause: Callable[[float], None]) -> None:
        """Serve with the faults of a configuration.

        Args:
            configuration: Has the script of faults.
            pause: Stops listening for seconds; called on the event loop.
        """
        self._configuration = configuration
        self._pause = pause

    async def serve(self, request: Request, service: EmulatedService, handler: Handler, max_bytes: int) -> Response:
        """Serve one request, with its faults."""
        faults = await run_in_threadpool(self._take, service)
        rejected, reset = faults.get("connection-refused"), faults.get("connection-reset")
        if rejected is not None:
            self._pause(rejected.seconds or 0)
        if rejected is not None or reset is not None:
            abort_connection(request.scope)
            return _GONE
        try:
            body = await read_body(request, max_bytes)
        except BodyTooLargeError:
            return PlainTextResponse(f"El cuerpo pasa de {max_bytes} bytes.", 413)
        except (TimeoutError, ClientDisconnect):
            return PlainTextResponse("El cuerpo no llegó a tiempo.", 408)
        slow = faults.get("slow")
        if slow is not None:
            await asyncio.sleep(slow.seconds or 0)
        response = _scripted(faults)
        if response is None:
            response = await run_in_threadpool(self._respond, request, handler, body, faults)
        if faults.get("answer-lost") is not None:
            abort_connection(request.scope)
            return _GONE
        if faults.get("truncated") is not None:
            return _half(response)
        return response

    def _take(self, service: EmulatedService) -> ScriptedFaults:
        self._configuration.refresh()
        return self._configuration.faults.take(service)

    def _respond(self, request: Request, handler: Handler, body: bytes, faults: ScriptedFaults) -> Response:
        headers = {name.lower(): value for name, value in request.headers.items()}
        query = request.scope["query_string"].decode("latin-1")
        try:
            return handler(HttpCall(request.path_params, query, headers, body, faults))
        except SoapFault as fault:
            return xml_response(fault.to_xml(), 500)
        except StorageError as error:
            return storage_error(error)
        except AccessTokenError as error:
            return PlainTextResponse(f"Autenticación no válida. {error.reason}", 401)
        except ServiceError as error:
            LOG.warning("request of the emulator not served", code=error.code, detail=error.detail)
            return PlainTextResponse(error.detail or error.code, 503)


def xml_response(content: bytes, status: int = 200) -> Response:
    """Return a response of a SOAP service."""
    return Response(content, status, {"Content-Type": CONTENT_TYPE})


def storage_error(error: StorageError) -> Response:
    content = (
        f'<?xml version="1.0" encoding="utf-8"?><Error><Code>{error.code}</Code><Message>{escape(error.text)}</Message>'
        "</Error>"
    )
    return Response(content, error.status, {"Content-Type": "application/xml", "x-ms-error-code": error.code})


def _scripted(faults: ScriptedFaults) -> Response | None:
    """Return the response that a fault replaces; None when the request is processed."""
    status, page, fault = faults.get("status"), faults.get("html"), faults.get("soap-fault")
    if status is not None:
        return PlainTextResponse(status.message or "Falla programada.", status.http_status)
    if page is not None:
        return HTMLResponse(_PAGE.format(text=escape(page.message or "Service Unavailable")), page.http_status)
    if fault is not None:
        code = fault.code or "InternalServiceFault"
        text = fault.message or "Falla programada."
        return xml_response(SoapFault(code, text, _NAMESPACES.get(code, "")).to_xml(), fault.http_status)
    return None


def _half(response: Response) -> Response:
    if isinstance(response, StreamedResponse):
        return response.half()
    content = bytes(response.body)
    headers = {name: value for name, value in response.headers.items() if name.lower() != "content-length"}
    return Response(content[: len(content) // 2], response.status_code, headers)


async def read_body(request: Request, max_bytes: int) -> bytes:
    """Return the whole body.

    Raises:
        BodyTooLargeError: It is larger than `max_bytes`.
        TimeoutError: It did not arrive in time.
        ClientDisconnect: The client closed the connection.
    """
    declared = request.headers.get("content-length", "0")
    if declared.isascii() and declared.isdigit() and int(declared) > max_bytes:
        raise BodyTooLargeError
    body = bytearray()
    async with asyncio.timeout(BODY_SECONDS):
        async for piece in request.stream():
            body += piece
            if len(body) > max_bytes:
                raise BodyTooLargeError
    return bytes(body)
