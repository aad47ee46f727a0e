"""Client of the SAT's service that cancels one retención: the signed request is the body, the acuse is the answer.

Requests with several retenciones have another, asynchronous service with a tracking folio, which is not used.
"""

from __future__ import annotations

from http import HTTPStatus

from lxml import etree

from timbra.cfdi.byte_splice import DECLARATION
from timbra.cfdi.cancelacion.request import Cancelacion
from timbra.cfdi.document import DocumentParser, ParserLimits
from timbra.cfdi.uuid_text import canonical_uuid
from timbra.core.errors import ServiceError
from timbra.core.retry import RetryPolicy
from timbra.messages.cancelling import RETENCIONES
from timbra.sat.access_token import NO_ACCESS, Access, call_with_token
from timbra.sat.acuse_signature import require_sound_signature
from timbra.sat.circuit_breaker import CircuitBreaker
from timbra.sat.port import CancellationReceipt
from timbra.sat.transport import SUCCESS, HttpResponse, Transport, down

LIMITS = ParserLimits(max_bytes=512 * 1024, max_depth=20, max_attributes=20)
NO_ADDRESS = "No está configurada la dirección de este servicio del SAT."
ONE_ONLY = "El SAT cancela una retención por solicitud; envíe una solicitud por folio."
XML = "application/xml"
_MESSAGES = {
    "1305": RETENCIONES.other_rfc,
    "1307": RETENCIONES.not_csd,
    "1308": RETENCIONES.expired,
    "1309": RETENCIONES.signature,
    "1310": RETENCIONES.motive,
    "1311": RETENCIONES.unrelated,
}


class SatRetencionesCancellations:
    """Sends requests to the address of the service; one instance per process, because it has a circuit breaker.

    Args:
        url: address of the service.
        transport: sends the requests.
        breaker, retry: stop and repeat calls.
        access: the token of the service.
    """

    def __init__(
        self,
        url: str,
        transport: Transport,
        breaker: CircuitBreaker,
        retry: RetryPolicy,
        access: Access = NO_ACCESS,
    ) -> None:
        self._url = url
        self._transport = transport
        self._breaker = breaker
        self._retry = retry
        self._access = access
        self._parser = DocumentParser(LIMITS)

    def cancel(self, request: Cancelacion, document: bytes) -> CancellationReceipt:
        """Send a request with one retención.

        Args:
            request: the content of the document.
            document: the signed XML.

        Raises:
            ServiceError: "authority-down"; "cancel-xml" or "CASD" when the SAT rejects the request, or when it has
                several retenciones.
        """
        if len(request.folios) > 1:
            raise ServiceError("cancel-xml", ONE_ONLY)
        if not self._breaker.allow():
            raise down("Sus últimas solicitudes fallaron y no se repite todavía.")
        try:
            acuse = self._retry.call(lambda seconds: self._attempt(document, seconds))
        except ServiceError:
            self._breaker.record_failure()
            raise
        self._breaker.record_success()
        return _receipt(acuse)

    def _attempt(self, document: bytes, seconds: float) -> etree._Element:
        def call(authorization: str, rest: float) -> HttpResponse:
            return self._send(document, authorization, rest)

        response = call_with_token(self._access, seconds, call, _is_unauthenticated, self._retry.now)
        return self._read(response)

    def _send(self, document: bytes, authorization: str, seconds: float) -> HttpResponse:
        headers = {"Content-Type": XML, "Accept": XML}
        if authorization:
            headers["Authorization"] = authorization
        return self._transport.exchange(
            "POST", self._url, seconds=seconds, max_bytes=LIMITS.max_bytes, content=document, headers=headers
        )

    def _read(self, response: HttpResponse) -> etree._Element:
        if response.status != SUCCESS:
            raise down(f"Respondió con el estado HTTP {response.status}.")
        try:
            root = self._parser.parse(response.body.lstrip()).root
        except ServiceError as cause:
            raise down("La respuesta no es XML que se pueda leer.") from cause
        if etree.QName(root).localname != "Acuse":
            raise down("La respuesta no es un Acuse.")
        return root


def _is_unauthenticated(response: HttpResponse) -> bool:
    return response.status == HTTPStatus.UNAUTHORIZED


def _receipt(acuse: etree._Element) -> CancellationReceipt:
    """Return the acuse with its codes; ServiceError when it has none."""
    codes: dict[str, str] = {}
    for group in acuse.iterchildren("{*}Folios"):
        uuid = canonical_uuid((group.findtext("{*}UUID") or "").strip())
        if uuid is None:
            raise down("La respuesta trae un folio mal formado.")
        codes[uuid] = (group.findtext("{*}EstatusUUID") or "").strip()
    if codes:
        xml = DECLARATION + etree.tostring(acuse, encoding="utf-8")
        require_sound_signature(xml)
        return CancellationReceipt(xml, codes)
    code = (acuse.get("CodEstatus") or "").strip()[:10]
    if not code:
        raise ServiceError("CASD", "El SAT no dijo nada de la retención.")
    raise ServiceError("cancel-xml", _MESSAGES.get(code) or f"CR{code} - El SAT rechazó la solicitud.")
