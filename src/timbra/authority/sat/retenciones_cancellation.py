"""Client of the SAT's service that cancels one retención: the signed request is the body, the acuse is the answer.

Requests with several retenciones have another, asynchronous service with a tracking folio, which is not used.
"""

from __future__ import annotations

from collections.abc import Callable

from lxml import etree

from timbra.authority.port import CancellationReceipt
from timbra.authority.sat.circuit_breaker import CircuitBreaker
from timbra.authority.sat.retry import RetryPolicy
from timbra.authority.sat.transport import SUCCESS, Transport, down
from timbra.cfdi.byte_splice import DECLARATION
from timbra.cfdi.cancelacion.request import Cancelacion
from timbra.cfdi.document import DocumentParser, ParserLimits
from timbra.cfdi.uuid_text import canonical_uuid
from timbra.errors import ServiceError
from timbra.messages.cancelling import RETENCIONES

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
        authorization: returns the value of the header Authorization; empty for none.
    """

    def __init__(
        self,
        url: str,
        transport: Transport,
        breaker: CircuitBreaker,
        retry: RetryPolicy,
        authorization: Callable[[], str] = lambda: "",
    ) -> None:
        """Configure the client."""
        self._url = url
        self._transport = transport
        self._breaker = breaker
        self._retry = retry
        self._authorization = authorization
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
            acuse = self._retry.call(lambda seconds: self._send(document, seconds))
        except ServiceError:
            self._breaker.record_failure()
            raise
        self._breaker.record_success()
        return _receipt(acuse)

    def _send(self, document: bytes, seconds: float) -> etree._Element:
        headers = {"Content-Type": XML, "Accept": XML}
        if authorization := self._authorization():
            headers["Authorization"] = authorization
        response = self._transport.exchange(
            "POST", self._url, seconds=seconds, max_bytes=LIMITS.max_bytes, content=document, headers=headers
        )
        if response.status != SUCCESS:
            raise down(f"Respondió con el estado HTTP {response.status}.")
        try:
            root = self._parser.parse(response.body.lstrip()).root
        except ServiceError as cause:
            raise down("La respuesta no es XML que se pueda leer.") from cause
        if etree.QName(root).localname != "Acuse":
            raise down("La respuesta no es un Acuse.")
        return root


def _receipt(acuse: etree._Element) -> CancellationReceipt:
    """Return the acuse with its codes; ServiceError when it has none."""
    codes: dict[str, str] = {}
    for group in acuse.iterchildren("{*}Folios"):
        uuid = canonical_uuid((group.findtext("{*}UUID") or "").strip())
        if uuid is None:
            raise down("La respuesta trae un folio mal formado.")
        codes[uuid] = (group.findtext("{*}EstatusUUID") or "").strip()
    if codes:
        return CancellationReceipt(DECLARATION + etree.tostring(acuse, encoding="utf-8"), codes)
    code = (acuse.get("CodEstatus") or "").strip()[:10]
    if not code:
        raise ServiceError("CASD", "El SAT no dijo nada de la retención.")
    raise ServiceError("cancel-xml", _MESSAGES.get(code) or f"CR{code} - El SAT rechazó la solicitud.")
