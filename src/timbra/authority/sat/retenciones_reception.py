"""Client of the SAT's reception of retenciones: one form with the document, answered with an acuse."""

from __future__ import annotations

import secrets
from http import HTTPStatus
from urllib.parse import quote

from timbra.authority.reception_port import ReceptionAcuse, StampedDocument
from timbra.authority.sat.access_token import Access, call_with_token
from timbra.authority.sat.circuit_breaker import CircuitBreaker
from timbra.authority.sat.reception import read_acuse
from timbra.authority.sat.retry import RetryPolicy
from timbra.authority.sat.transport import SUCCESS, HttpResponse, Transport, down
from timbra.cfdi.document import DocumentParser, ParserLimits
from timbra.errors import ServiceError

LIMITS = ParserLimits(max_bytes=64 * 1024, max_depth=20, max_attributes=20)
_NOT_ADMITTED = frozenset({HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN})


class SatRetencionesReception:
    """A `ReceptionAuthority` of retenciones; one per process, because it has a circuit breaker."""

    def __init__(
        self, url: str, transport: Transport, access: Access, breaker: CircuitBreaker, retry: RetryPolicy
    ) -> None:
        """Deliver to an address.

        Args:
            url: The address of `api/Recibe`.
            transport: Sends the requests.
            access: The token of the service.
            breaker: Stops deliveries after repeated failures.
            retry: The retry policy of a delivery.
        """
        self._url = url
        self._transport = transport
        self._access = access
        self._breaker = breaker
        self._retry = retry

    def capacity(self, wanted: int) -> int:
        """See `ReceptionAuthority.capacity`."""
        return self._breaker.capacity(wanted)

    def deliver(self, document: StampedDocument) -> ReceptionAcuse:
        """See `ReceptionAuthority.deliver`."""
        if not self._breaker.allow():
            raise down("Sus últimas entregas fallaron y no se repite todavía.")
        try:
            response = self._retry.call(lambda seconds: self._attempt(document, seconds))
        except ServiceError:
            self._breaker.record_failure()
            raise
        self._breaker.record_success()
        if response.status != SUCCESS:
            raise ServiceError("delivery-rejected", "El SAT no acepta el token del proveedor (retenciones).")
        # A parser of its own: threads deliver at the same time.
        return read_acuse(DocumentParser(LIMITS).parse(response.body.lstrip()).root, document.uuid)

    def _attempt(self, document: StampedDocument, seconds: float) -> HttpResponse:
        """Return an answer with an acuse, or the one that rejects a second token."""

        def call(authorization: str, rest: float) -> HttpResponse:
            return self._send(document, authorization, rest)

        response = call_with_token(self._access, seconds, call, _is_unauthenticated, self._retry.now)
        if response.status != SUCCESS and response.status not in _NOT_ADMITTED:
            raise down(f"Respondió con el estado HTTP {response.status}.")
        if response.status == SUCCESS:
            try:
                read_acuse(DocumentParser(LIMITS).parse(response.body.lstrip()).root, document.uuid)
            except ServiceError as cause:
                raise down(cause.detail or "La respuesta no es un acuse.") from cause
        return response

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
    return response.status in _NOT_ADMITTED
