"""Cancellation of retenciones by REST: one document at once, or many with a tracking folio.

Source: Anexo 20, rubro II.C.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from uuid import uuid4

from lxml import etree

from timbra.cfdi.byte_splice import DECLARATION
from timbra.cfdi.cancelacion.reading import CANCELARETENCION, MAX_FOLIOS, MAX_NAMESPACES, RETENCIONES_NAMESPACES
from timbra.cfdi.cancelacion.request import Cancelacion, read_cancelacion
from timbra.cfdi.document import DocumentParser, ParserLimits
from timbra.cfdi.rfc import is_rfc
from timbra.cfdi.uuid_text import canonical_uuid
from timbra.core.clock import to_central_mexico
from timbra.core.errors import ServiceError
from timbra.emulator.credentials import write_atomically
from timbra.emulator.faults import ScriptedFaults
from timbra.emulator.services.cancellation import NO_ORIGIN, RejectedRequestError
from timbra.emulator.services.reception import Authorize
from timbra.emulator.signed_requests import verify_embedded
from timbra.emulator.simulated_sat import SimulatedSat
from timbra.sandbox.authority.cancellation.state_machine import MOTIVES, WITH_SUBSTITUTE
from timbra.seals.certificates.certificate import Certificate, CertificateKind

MAX_REQUEST_BYTES = 4 * 1024 * 1024
MALFORMED, BAD_FOLIOS, BAD_RFC, BAD_DATE = "1301", "1302", "1303", "1304"
BAD_SIGNATURE, BAD_MOTIVE, NOT_RELATED = "1309", "1310", "1311"
_READING = {
    "date-invalid": BAD_DATE,
    "request-empty": BAD_FOLIOS,
    "folio-invalid": BAD_FOLIOS,
    "folios-many": BAD_FOLIOS,
}


@dataclass(frozen=True, slots=True)
class RetencionesCancellation:
    """The service over the cancellation service of the sandbox.

    Attributes:
        authorize: Verifies tokens of the cancellation of retenciones.
        folder: Keeps the acuses of requests with a tracking folio.
    """

    sat: SimulatedSat
    authorize: Authorize
    folder: Path
    _parser: DocumentParser = field(
        default_factory=lambda: DocumentParser(ParserLimits(MAX_REQUEST_BYTES, max_depth=16, max_attributes=32))
    )

    def cancel_one(self, authorization: str, body: bytes, faults: ScriptedFaults) -> bytes:
        """Return the acuse of a request with one retención.

        Args:
            authorization: The HTTP header Authorization.
            body: The signed request.
            faults: The scripted faults of the request.

        Raises:
            AccessTokenError: The token is not valid.
            ServiceError: The simulated SAT does not respond.
        """
        self.authorize(authorization, faults)
        return self._cancel(body, max_folios=1)

    def cancel_many(self, authorization: str, body: bytes, faults: ScriptedFaults) -> bytes:
        """Process a request and return the tracking folio of its acuse; arguments and errors as `cancel_one`."""
        self.authorize(authorization, faults)
        acuse, folio = self._cancel(body, max_folios=MAX_FOLIOS), str(uuid4())
        write_atomically(self.folder / f"{folio}.xml", acuse)
        return DECLARATION + f"<Respuesta><Folio>{folio}</Folio></Respuesta>".encode()

    def acuse(self, authorization: str, folio: str, faults: ScriptedFaults) -> bytes | None:
        """Return the acuse of a tracking folio; None for an unknown one.

        Raises:
            AccessTokenError: The token is not valid.
        """
        self.authorize(authorization, faults)
        uuid = canonical_uuid(folio)
        try:
            return None if uuid is None else (self.folder / f"{uuid}.xml").read_bytes()
        except FileNotFoundError:
            return None

    def _cancel(self, body: bytes, max_folios: int) -> bytes:
        rfc = ""
        try:
            root = self._root(body)
            rfc = root.get("RfcEmisor", "")
            request, content = self._signed_request(root, max_folios)
            return self.sat.cancellations.cancel(request, content, NO_ORIGIN).acuse
        except RejectedRequestError as error:
            return self._rejection(error.code, rfc)
        except ServiceError as error:
            if error.code != "cancel-xml":
                raise
            return self._rejection(NOT_RELATED, rfc)

    def _root(self, body: bytes) -> etree._Element:
        try:
            root = self._parser.parse(body.lstrip()).root
        except ServiceError as error:
            raise RejectedRequestError(MALFORMED) from error
        if body.count(b"xmlns") > MAX_NAMESPACES or etree.QName(root).namespace not in RETENCIONES_NAMESPACES:
            raise RejectedRequestError(MALFORMED)
        return root

    def _signed_request(self, root: etree._Element, max_folios: int) -> tuple[Cancelacion, bytes]:
        signed = verify_embedded(root)
        if signed is None:
            raise RejectedRequestError(BAD_SIGNATURE)
        try:
            request = read_cancelacion(signed.content, RETENCIONES_NAMESPACES)
        except ServiceError as error:
            raise RejectedRequestError(_READING.get(error.code, MALFORMED)) from error
        code = self._certificate_code(signed.certificate, request.rfc_emisor) or _content_code(request, max_folios)
        if code is not None:
            raise RejectedRequestError(code)
        return request, signed.content

    def _certificate_code(self, certificate: Certificate, rfc: str) -> str | None:
        if not is_rfc(rfc):
            return BAD_RFC
        if certificate.kind is not CertificateKind.CSD:
            return "1307"
        if certificate.rfc != rfc or self.sat.trust.issuer_of(certificate) is None:
            return "1305"
        if self.sat.is_revoked(certificate):
            return "1308"
        return None if certificate.is_valid_at(self.sat.ledger.clock.now()) else "1306"

    def _rejection(self, code: str, rfc: str) -> bytes:
        # The type stubs do not allow a default namespace.
        root = etree.Element(f"{{{CANCELARETENCION}}}Acuse", nsmap={None: CANCELARETENCION})  # type: ignore[dict-item]
        fecha = to_central_mexico(self.sat.ledger.clock.now())
        for name, value in (("CodEstatus", code), ("Fecha", fecha), ("RfcEmisor", rfc)):
            root.set(name, value)
        return self.sat.authority.seal_acuse(root)


def _content_code(request: Cancelacion, max_folios: int) -> str | None:
    if len(request.folios) > max_folios:
        return BAD_FOLIOS
    if any(folio.motivo not in MOTIVES for folio in request.folios):
        return BAD_MOTIVE
    if any((folio.motivo == WITH_SUBSTITUTE) != (folio.substitute is not None) for folio in request.folios):
        return NOT_RELATED
    return None
