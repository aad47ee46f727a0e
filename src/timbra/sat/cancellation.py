"""Client of the SAT's cancellation services, which accept requests that the taxpayer has signed.

A request may reach the SAT although its response is lost; it is idempotent: the SAT answers a repeated one with 202 (or
1002). The messages follow the SAT's WCF contracts: `CancelaCFD` is taken from recorded responses, the other operations
from public programs that simulate the SAT.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from xml.sax.saxutils import escape

from lxml import etree

from timbra.cfdi.byte_splice import DECLARATION
from timbra.cfdi.cancelacion.answer import AcceptReject
from timbra.cfdi.cancelacion.reading import CANCELACFD, tag
from timbra.cfdi.cancelacion.relations import RelationsRequest
from timbra.cfdi.cancelacion.request import Cancelacion
from timbra.cfdi.document import BOM, PROLOG, ParserLimits
from timbra.cfdi.uuid_text import canonical_uuid
from timbra.core.errors import ServiceError
from timbra.core.retry import RetryPolicy
from timbra.messages import cancelling as messages
from timbra.sat.access_token import NO_ACCESS, Access, call_with_token
from timbra.sat.acuse_signature import require_sound_signature
from timbra.sat.circuit_breaker import CircuitBreaker
from timbra.sat.port import CancellationReceipt, CfdiParties, Relations, RequestOrigin
from timbra.sat.retenciones_cancellation import NO_ADDRESS, SatRetencionesCancellations
from timbra.sat.soap import SoapService
from timbra.sat.transport import down

LIMITS = ParserLimits(max_bytes=512 * 1024, max_depth=20, max_attributes=20)
CANCEL = f"{CANCELACFD}/ICancelaCFDBinding/CancelaCFD"
ANSWER = f"{CANCELACFD}/IAceptacionRechazoService/ProcesarRespuesta"
PENDINGS = f"{CANCELACFD}/IAceptacionRechazoService/ObtenerPeticionesPendientes"
RELATIONS = f"{CANCELACFD}/ICfdiConsultaRelacionadosService/ProcesarRespuesta"
GOOD_CODES = frozenset({"", "1000", "1100", "1101", "201", "202"})
NOT_AUTHENTICATED = "300"
NOT_A_PARTY = "Clave: 2002"
_SCHEMAS = {"xsd": "http://www.w3.org/2001/XMLSchema", "xsi": "http://www.w3.org/2001/XMLSchema-instance"}
_MESSAGES = {
    "302": messages.SIGNATURE,
    "303": messages.OTHER_RFC,
    "304": messages.EXPIRED,
    "310": messages.NOT_CSD,
    "311": messages.MOTIVE,
}


@dataclass(frozen=True, slots=True)
class CancellationAddresses:
    """The service of each kind of request; None when no address is configured.

    Attributes:
        cancel: Receives requests of cancellation.
        answer: Receives answers of receivers, and returns pending requests.
        relations: Returns related CFDI.
        access: The token of these services.
    """

    cancel: SoapService | None
    answer: SoapService | None
    relations: SoapService | None
    access: Access = NO_ACCESS


class SatCancellations:
    """A `CancellationAuthority` over the SAT's services; one per process, because it has a circuit breaker.

    Args:
        services: the services for CFDI.
        breaker, retry: stop and repeat calls.
        retenciones: cancels retenciones; None when no address is configured.
    """

    def __init__(
        self,
        services: CancellationAddresses,
        breaker: CircuitBreaker,
        retry: RetryPolicy,
        retenciones: SatRetencionesCancellations | None = None,
    ) -> None:
        self._services = services
        self._retenciones = retenciones
        self._breaker = breaker
        self._retry = retry

    def cancel(self, request: Cancelacion, document: bytes, origin: RequestOrigin) -> CancellationReceipt:  # noqa: ARG002
        """See `CancellationAuthority.cancel`.

        Raises:
            ServiceError: "authority-down"; "cancel-xml" or "CASD" when the SAT rejects the request; "CO1000" when no
                address is configured.
        """
        if request.is_retenciones:
            if self._retenciones is None:
                raise ServiceError("CO1000", NO_ADDRESS)
            return self._retenciones.cancel(request, document)
        result = self._call(self._services.cancel, CANCEL, "CancelaCFD", _embedded(document))
        return _receipt(result, "Acuse")

    def accept_reject(self, request: AcceptReject, document: bytes, origin: RequestOrigin) -> CancellationReceipt:  # noqa: ARG002
        """See `CancellationAuthority.accept_reject`; raises what `cancel` raises."""
        result = self._call(self._services.answer, ANSWER, "ProcesarRespuesta", _embedded(document))
        return _receipt(result, "AcuseAceptacionRechazo")

    def pendings(self, receiver_rfc: str) -> list[str]:
        """See `CancellationAuthority.pendings`; raises what `cancel` raises."""
        content = f"<rfcReceptor>{escape(receiver_rfc)}</rfcReceptor>"
        result = self._call(self._services.answer, PENDINGS, "ObtenerPeticionesPendientes", content)
        _require_good(result)
        return [_folio(element.text) for element in result.iter(tag("UUID"))]

    def relations(self, request: RelationsRequest, document: bytes) -> Relations | None:  # noqa: ARG002
        """See `CancellationAuthority.relations`; raises what `cancel` raises, except rejections."""
        result = self._call(self._services.relations, RELATIONS, "ProcesarRespuesta", _embedded(document))
        if NOT_A_PARTY in (result.findtext(tag("Resultado")) or ""):
            return None
        return Relations(
            tuple(_parties(result, "UuidsRelacionadosPadres")), tuple(_parties(result, "UuidsRelacionadosHijos"))
        )

    def _call(self, service: SoapService | None, action: str, operation: str, content: str) -> etree._Element:
        """Call an operation and return the result element of its response."""
        if service is None:
            raise ServiceError("CO1000", NO_ADDRESS)
        if not self._breaker.allow():
            raise down("Sus últimas solicitudes fallaron y no se repite todavía.")
        request = f'<{operation} xmlns="{CANCELACFD}">{content}</{operation}>'

        def call(authorization: str, seconds: float) -> etree._Element:
            response = service.call(action, request, seconds, authorization)
            result = response.find(tag(f"{operation}Result"))
            if response.tag != tag(f"{operation}Response") or result is None:
                raise down(f"La respuesta no es de {operation}.")
            return result

        def attempt(seconds: float) -> etree._Element:
            return call_with_token(self._services.access, seconds, call, _is_unauthenticated, self._retry.now)

        try:
            result = self._retry.call(attempt)
        except ServiceError:
            self._breaker.record_failure()
            raise
        self._breaker.record_success()
        return result


def _is_unauthenticated(result: etree._Element) -> bool:
    """Whether the whole request was rejected with 300; answers of receivers use 300 for their own signature too."""
    return result.get("CodEstatus") == NOT_AUTHENTICATED and next(result.iterchildren(tag("Folios")), None) is None


def _receipt(result: etree._Element, name: str) -> CancellationReceipt:
    """Return the acuse under the element name that clients expect, with its codes."""
    codes = {
        _folio(group.findtext(tag("UUID"))): (group.findtext(tag("EstatusUUID")) or "").strip()
        for group in result.iterchildren(tag("Folios"))
    }
    if not codes:
        _require_good(result)
        raise ServiceError("CASD", "El SAT no dijo nada de los folios.")
    acuse = etree.Element(name, nsmap=_SCHEMAS)
    for key, value in result.attrib.items():
        acuse.set(key, value)
    acuse.extend(_alone(child) for child in result)
    xml = DECLARATION + etree.tostring(acuse, encoding="utf-8")
    require_sound_signature(xml)
    return CancellationReceipt(xml, codes)


def _alone(element: etree._Element) -> etree._Element:
    """Return a copy that declares the namespaces that it uses, with the prefixes of the response; none of the others.

    An element that is only moved gets new prefixes, and the signature of the acuse does not verify any more.
    """
    copy = etree.fromstring(etree.tostring(element, encoding="utf-8", with_tail=False))
    etree.cleanup_namespaces(copy)
    return copy


def _require_good(result: etree._Element) -> None:
    code = (result.get("CodEstatus") or result.findtext(tag("CodEstatus")) or "").strip()[:10]
    if code not in GOOD_CODES:
        raise ServiceError("cancel-xml", _MESSAGES.get(code) or f"CA{code} - El SAT rechazó la solicitud.")


def _parties(result: etree._Element, name: str) -> Iterator[CfdiParties]:
    for element in result.iterfind(f"{tag(name)}/*"):
        rfcs = (element.findtext(tag(party)) or "" for party in ("RfcEmisor", "RfcReceptor"))
        yield CfdiParties(_folio(element.findtext(tag("Uuid"))), *rfcs)


def _folio(text: str | None) -> str:
    uuid = canonical_uuid((text or "").strip())
    if uuid is None:
        raise down("La respuesta trae un folio mal formado.")
    return uuid


def _embedded(document: bytes) -> str:
    """Return the document from its root on, without declaration and byte order mark, to embed it in an element."""
    plain = document.removeprefix(BOM)
    prolog = PROLOG.match(plain)
    return plain[prolog.end() if prolog else 0 :].decode()
