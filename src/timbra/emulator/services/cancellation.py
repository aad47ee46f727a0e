"""CancelaCFDService: an issuer's signed request, which its provider sends with a token.

Source: Anexo 20, rubro I.C. The codes of the whole request (EstatusPeticion) are in the attribute CodEstatus of an
answer without folios.
"""

from __future__ import annotations

from dataclasses import dataclass
from xml.sax.saxutils import quoteattr

from lxml import etree

from timbra.cfdi.cancelacion.reading import CANCELACFD, tag
from timbra.cfdi.cancelacion.request import Cancelacion, read_cancelacion
from timbra.core.clock import to_central_mexico
from timbra.core.errors import ServiceError
from timbra.core.soap import envelope
from timbra.emulator.services.reception import Authorize
from timbra.emulator.signed_requests import certificate_code, verify_embedded
from timbra.emulator.simulated_sat import SimulatedSat
from timbra.emulator.soap import SoapEndpoint, SoapFault, SoapOperation, SoapRequest
from timbra.emulator.tokens import AccessTokenError
from timbra.sandbox.authority.cancellation.state_machine import MOTIVES, WITH_SUBSTITUTE
from timbra.sat.port import RequestOrigin

ACTION = f"{CANCELACFD}/ICancelaCFDBinding/CancelaCFD"
NO_ORIGIN = RequestOrigin(None, "")
NOT_AUTHENTICATED, MALFORMED, BAD_SEAL, BAD_MOTIVE, NOT_RELATED = "300", "301", "302", "311", "312"


class RejectedRequestError(Exception):
    """A request that is rejected as a whole."""

    def __init__(self, code: str) -> None:
        """Create the error. `code`: EstatusPeticion."""
        super().__init__(code)
        self.code = code


@dataclass(frozen=True, slots=True)
class CancellationEndpoint:
    """The service over the cancellation service of the sandbox.

    Attributes:
        authorize: Verifies tokens of the cancellation.
    """

    sat: SimulatedSat
    authorize: Authorize

    def endpoint(self) -> SoapEndpoint:
        return SoapEndpoint(SoapOperation(ACTION, tag("CancelaCFD"), self._cancel))

    def _cancel(self, request: SoapRequest) -> bytes:
        document = request.body.find(tag("Cancelacion"))
        rfc = "" if document is None else document.get("RfcEmisor", "")
        try:
            self._authenticate(request)
            read, content = signed_request(self.sat, document)
            receipt = self.sat.cancellations.cancel(read, content, NO_ORIGIN)
        except RejectedRequestError as error:
            return self._rejection(error.code, rfc)
        except ServiceError as error:
            raise SoapFault("InternalServiceFault", error.detail or error.code) from error
        return _response("CancelaCFD", receipt.acuse)

    def _authenticate(self, request: SoapRequest) -> None:
        try:
            self.authorize(request.authorization, request.faults)
        except AccessTokenError as error:
            raise RejectedRequestError(NOT_AUTHENTICATED) from error

    def _rejection(self, code: str, rfc: str) -> bytes:
        fecha = to_central_mexico(self.sat.ledger.clock.now())
        return envelope(
            f'<CancelaCFDResponse xmlns="{CANCELACFD}"><CancelaCFDResult Fecha="{fecha}" '
            f'RfcEmisor={quoteattr(rfc)} CodEstatus="{code}"/></CancelaCFDResponse>'
        )


def signed_request(sat: SimulatedSat, document: etree._Element | None) -> tuple[Cancelacion, bytes]:
    """Return the content of a signed request, and the signed bytes that were read.

    Raises:
        RejectedRequestError: The request is rejected as a whole.
    """
    if document is None:
        raise RejectedRequestError(MALFORMED)
    signed = verify_embedded(document)
    if signed is None:
        raise RejectedRequestError(BAD_SEAL)
    try:
        request = read_cancelacion(signed.content)
    except ServiceError as error:
        raise RejectedRequestError(MALFORMED) from error
    code = certificate_code(sat, signed.certificate, request.rfc_emisor)
    if code is not None:
        raise RejectedRequestError(code)
    if any(folio.motivo not in MOTIVES for folio in request.folios):
        raise RejectedRequestError(BAD_MOTIVE)
    if any((folio.motivo == WITH_SUBSTITUTE) != (folio.substitute is not None) for folio in request.folios):
        raise RejectedRequestError(NOT_RELATED)
    return request, signed.content


def _response(operation: str, acuse: bytes) -> bytes:
    return envelope(f'<{operation}Response xmlns="{CANCELACFD}">{result_xml(operation, acuse)}</{operation}Response>')


def result_xml(operation: str, acuse: bytes) -> str:
    """Return an acuse as the result element of an operation, with its attributes, children and signature."""
    root = etree.fromstring(acuse)
    namespaces: dict[str | None, str] = {**root.nsmap, None: CANCELACFD}
    # The type stubs do not allow a default namespace.
    result = etree.Element(tag(f"{operation}Result"), nsmap=namespaces)  # type: ignore[arg-type]
    for name, value in root.attrib.items():
        result.set(name, value)
    result.extend(list(root))
    return etree.tostring(result, encoding="unicode")
