"""Cancellation of CFDI and of retenciones by their issuer: by files, by stored CSD and by signed XML."""

from __future__ import annotations

from dataclasses import dataclass

from timbra.cancellation.late_requests import LateFinding, LateRequests
from timbra.cancellation.signed_cancelling import SignedMessage, SignedMessageUseCase
from timbra.cancellation.signed_requests import (
    NO_FOLIO,
    CsdFiles,
    PfxFile,
    SignedRequests,
    checked_folio,
    checked_rfc,
    require_fields,
)
from timbra.cfdi.cancelacion.request import NAME, Cancelacion, Folio, read_cancelacion
from timbra.cfdi.rfc import is_rfc
from timbra.core.caller import Caller
from timbra.core.errors import ServiceError
from timbra.sat.port import CancellationAuthority, RequestOrigin

MOTIVES = frozenset({"01", "02", "03", "04"})
WITH_SUBSTITUTE = "01"
BAD_MOTIVE = "207"


@dataclass(frozen=True, slots=True)
class CancellationRequest:
    """One CFDI or retención to cancel, as the client wrote it.

    Attributes:
        substitute: FolioSustitucion; `""` and `null` mean none.
    """

    rfc: str
    uuid: str
    motivo: str
    substitute: str = ""


@dataclass(frozen=True, slots=True)
class CancellationResult:
    """The authority's response.

    Attributes:
        acuse: XML of the acuse.
        codes: EstatusUUID by UUID in upper case.
        late: the CFDI whose last day to cancel has passed.
    """

    acuse: str
    codes: dict[str, str]
    late: tuple[LateFinding, ...] = ()


class CancellationService:
    """Cancels CFDI or retenciones for an issuer. Each method may take more than 30 ms; keep it off the event loop.

    The ServiceErrors are "cancel-fields", "cancel-xml", "cancel-failed" and "CASD", with the cause as detail, and
    "authority-down". The authority's decisions about a document (201 to 212, 1201 to 1205) are results, not errors.

    Args:
        requests: signs and verifies the requests; its namespaces tell CFDI and retenciones apart.
        authority: receives the requests.
        late_requests: finds the CFDI whose last day to cancel has passed; None where there is no last day.
    """

    def __init__(
        self, requests: SignedRequests, authority: CancellationAuthority, late_requests: LateRequests | None = None
    ) -> None:
        self._requests = requests
        self._rejections = requests.rejections
        self._authority = authority
        self._late_requests = late_requests
        self._use_case = SignedMessageUseCase(
            requests,
            SignedMessage(
                root_name=NAME,
                read=self._read,
                signer_rfc=lambda message: message.rfc_emisor,
                to_root=Cancelacion.to_root,
                send=self._send,
                check_signed=self._check,
            ),
        )

    def by_files(
        self, caller: Caller, request: CancellationRequest, files: CsdFiles | PfxFile, request_id: str
    ) -> CancellationResult:
        """Cancel with a certificate and key, or a PFX, of the request, which the server does not store."""
        require_fields(files, request.rfc, request.uuid)
        return self._use_case.by_files(self._message(request), files, RequestOrigin(caller.account_id, request_id))

    def by_uuid(self, caller: Caller, request: CancellationRequest, request_id: str) -> CancellationResult:
        """Cancel with the CSD of the issuer that the account stores."""
        origin = RequestOrigin(caller.account_id, request_id)
        return self._use_case.by_stored_csd(self._message(request, path=True), caller.account_id, origin)

    def by_xml(self, caller: Caller, xml: bytes, request_id: str) -> CancellationResult:
        """Forward a `Cancelacion` that its issuer has signed; up to 500 documents."""
        return self._use_case.by_signed_xml(xml, RequestOrigin(caller.account_id, request_id))

    def _read(self, xml: bytes) -> Cancelacion:
        message = read_cancelacion(xml, self._requests.namespaces)
        if message.is_retenciones and not is_rfc(message.rfc_emisor):
            raise ServiceError(*self._rejections.rfc)
        return message

    def _send(self, message: Cancelacion, document: bytes, origin: RequestOrigin) -> CancellationResult:
        late = self._late_requests.find(message) if self._late_requests is not None else ()
        receipt = self._authority.cancel(message, document, origin)
        if set(receipt.codes.values()) == {BAD_MOTIVE}:
            raise ServiceError("cancel-xml", self._rejections.motive)
        codes = {uuid.upper(): code for uuid, code in receipt.codes.items()}
        return CancellationResult(receipt.acuse.decode(), codes, late)

    def _message(self, request: CancellationRequest, *, path: bool = False) -> Cancelacion:
        """Check the client's values; `path` is True when the UUID is part of the request's path."""
        rfc, uuid = checked_rfc(request.rfc), checked_folio(request.uuid, path=path)
        written = request.substitute.strip()
        substitute = None if written.lower() in NO_FOLIO else checked_folio(written, path=path)
        motivo = request.motivo.strip()
        if motivo not in MOTIVES:
            raise ServiceError("cancel-xml", self._rejections.motive)
        message = Cancelacion(rfc, (Folio(uuid, motivo, substitute),), self._requests.namespaces[0])
        self._check(message)
        return message

    def _check(self, message: Cancelacion) -> None:
        """Check motives and substitutes; of CFDI the authority decides all but a missing substitute, for each folio."""
        if any(folio.motivo == WITH_SUBSTITUTE and folio.substitute is None for folio in message.folios):
            raise ServiceError(*self._rejections.substitute)
        if not message.is_retenciones:
            return
        if any(folio.motivo not in MOTIVES for folio in message.folios):
            raise ServiceError("cancel-xml", self._rejections.motive)
        if any(folio.motivo != WITH_SUBSTITUTE and folio.substitute is not None for folio in message.folios):
            raise ServiceError("cancel-xml", self._rejections.unrelated)
