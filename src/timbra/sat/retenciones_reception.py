"""Client of the SAT's reception of retenciones: one form with the document, answered with an acuse."""

from __future__ import annotations

import secrets
from http import HTTPStatus
from urllib.parse import quote

from timbra.cfdi.document import DocumentParser, ParserLimits
from timbra.core.errors import ServiceError
from timbra.core.retry import RetryPolicy
from timbra.sat.access_token import Access, call_with_token
from timbra.sat.circuit_breaker import CircuitBreaker
from timbra.sat.reception import read_acuse
from timbra.sat.reception_client import NOT_ADMITTED, ReceptionClient
from timbra.sat.reception_port import ReceptionAcuse, StampedDocument
from timbra.sat.transport import SUCCESS, HttpResponse, Transport, down

LIMITS = ParserLimits(max_bytes=64 * 1024, max_depth=20, max_attributes=20)
_UNAUTHENTICATED = frozenset({HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN})


class SatRetencionesReception(ReceptionClient):
    """The reception of retenciones: one request with the document."""

    def __init__(
        self, url: str, transport: Transport, access: Access, breaker: CircuitBreaker, retry: RetryPolicy
    ) -> None:
        """Deliver to an address.

        Args:
            url: The address of `api/Recibe`.
            transport: Sends the requests.
            access: See `ReceptionClient`.
            breaker: See `ReceptionClient`.
            retry: See `ReceptionClient`.
        """
        super().__init__(access, breaker, retry)
        self._url = url
        self._transport = transport

    def _deliver(self, document: StampedDocument) -> ReceptionAcuse:
        return self._repeated(lambda seconds: self._attempt(document, seconds))

    def _attempt(self, document: StampedDocument, seconds: float) -> ReceptionAcuse:
        """Send a document; with another token, when the service does not accept the one that is cached."""

        def call(authorization: str, rest: float) -> HttpResponse:
            return self._send(document, authorization, rest)

        response = call_with_token(self._access, seconds, call, _is_unauthenticated, self._retry.now)
        if _is_unauthenticated(response):
            raise ServiceError(NOT_ADMITTED, "El SAT no acepta el token del proveedor (retenciones).")
        if response.status != SUCCESS:
            raise down(f"Respondió con el estado HTTP {response.status}.")
        try:
            # A parser of its own: threads deliver at the same time.
            return read_acuse(DocumentParser(LIMITS).parse(response.body.lstrip()).root, document.uuid)
        except ServiceError as cause:
            raise down(cause.detail or "La respuesta no es un acuse.") from cause

    def _send(self, document: StampedDocument, authorization: str, seconds: float) -> HttpResponse:
        boundary = secrets.token_hex(16)
        head = (
            f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="{document.uuid}.xml"\r\n'
            "Content-Type: text/xml\r\n\r\n"
        )
        return self._transport.exchange(
            "POST",
            f"{self._url}?versionEsquema={quote(document.version)}",
            seconds=seconds,
            max_bytes=LIMITS.max_bytes,
            content=head.encode() + document.xml + f"\r\n--{boundary}--\r\n".encode(),
            headers={"Content-Type": f"multipart/form-data; boundary={boundary}", "Authorization": authorization},
        )


def _is_unauthenticated(response: HttpResponse) -> bool:
    return response.status in _UNAUTHENTICATED
