"""Cancellation of CFDI by their issuer: by files, by stored CSD and by signed XML."""

from __future__ import annotations

from dataclasses import dataclass

from timbra.accounts.caller import Caller
from timbra.authority.port import CancellationAuthority, RequestOrigin
from timbra.cfdi.cancelacion.request import NAME, Cancelacion, Folio, read_cancelacion
from timbra.errors import ServiceError
from timbra.messages import cancelling as details
from timbra.service.cancellation.signed_requests import (
    NO_FOLIO,
    CsdFiles,
    PfxFile,
    SignedRequests,
    checked_folio,
    checked_rfc,
    require_fields,
)
from timbra.service.cancellation.signed_use_case import SignedMessage, SignedMessageUseCase

MOTIVES = frozenset({"01", "02", "03", "04"})
WITH_SUBSTITUTE = "01"
BAD_MOTIVE = "207"


@dataclass(frozen=True, slots=True)
class CancellationRequest:
    """One CFDI to cancel, as the client wrote it.

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
    """

    acuse: str
    codes: dict[str, str]


class CancellationService:
    """Cancels CFDI for an issuer. Each method may take more than 30 ms; do not call it on the event loop.

    The ServiceErrors are "cancel-fields", "cancel-xml", "cancel-failed" and "CASD", with the cause as detail, and
    "authority-down". The authority's decisions about a CFDI (201 to 212) are results, not errors.
    """

    def __init__(self, requests: SignedRequests, authority: CancellationAuthority) -> None:
        self._authority = authority
        self._use_case = SignedMessageUseCase(
            requests,
            SignedMessage(
                root_name=NAME,
                read=read_cancelacion,
                signer_rfc=lambda message: message.rfc_emisor,
                to_root=Cancelacion.to_root,
                send=self._send,
                check_signed=_require_substitutes,
            ),
        )

    def by_files(
        self, caller: Caller, request: CancellationRequest, files: CsdFiles | PfxFile, request_id: str
    ) -> CancellationResult:
        """Cancel with a certificate and key, or a PFX, of the request, which the server does not store."""
        require_fields(files, request.rfc, request.uuid)
        return self._use_case.by_files(_message(request), files, RequestOrigin(caller.account_id, request_id))

    def by_uuid(self, caller: Caller, request: CancellationRequest, request_id: str) -> CancellationResult:
        """Cancel with the CSD of the issuer that the account stores."""
        origin = RequestOrigin(caller.account_id, request_id)
        return self._use_case.by_stored_csd(_message(request, path=True), caller.account_id, origin)

    def by_xml(self, caller: Caller, xml: bytes, request_id: str) -> CancellationResult:
        """Forward a `Cancelacion` that its issuer has signed; up to 500 CFDI."""
        return self._use_case.by_signed_xml(xml, RequestOrigin(caller.account_id, request_id))

    def _send(self, message: Cancelacion, document: bytes, origin: RequestOrigin) -> CancellationResult:
        receipt = self._authority.cancel(message, document, origin)
        if set(receipt.codes.values()) == {BAD_MOTIVE}:
            raise ServiceError("cancel-xml", details.MOTIVE)
        return CancellationResult(receipt.acuse.decode(), {uuid.upper(): code for uuid, code in receipt.codes.items()})


def _message(request: CancellationRequest, *, path: bool = False) -> Cancelacion:
    """Check the client's values; `path` is True when the UUID is part of the request's path."""
    rfc, uuid = checked_rfc(request.rfc), checked_folio(request.uuid, path=path)
    written = request.substitute.strip()
    substitute = None if written.lower() in NO_FOLIO else checked_folio(written, path=path)
    motivo = request.motivo.strip()
    if motivo not in MOTIVES:
        raise ServiceError("cancel-xml", details.MOTIVE)
    message = Cancelacion(rfc, (Folio(uuid, motivo, substitute),))
    _require_substitutes(message)
    return message


def _require_substitutes(message: Cancelacion) -> None:
    if any(folio.motivo == WITH_SUBSTITUTE and folio.substitute is None for folio in message.folios):
        raise ServiceError("cancel-fields", details.SUBSTITUTE_MISSING)
