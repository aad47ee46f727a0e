"""Acceptance: the receiver's answers to cancellations, and the cancellations that are pending for a receiver."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from timbra.cancellation.signed_cancelling import SignedMessage, SignedMessageUseCase
from timbra.cancellation.signed_requests import (
    CsdFiles,
    PfxFile,
    SignedRequests,
    checked_folio,
    checked_rfc,
    require_fields,
)
from timbra.cfdi.cancelacion.answer import NAME, AcceptReject, ReceiverAnswer, read_accept_reject, read_answer
from timbra.cfdi.cancelacion.reading import MAX_FOLIOS
from timbra.core.caller import Caller
from timbra.core.errors import ServiceError
from timbra.messages import cancelling as details
from timbra.sat.port import CancellationAuthority, RequestOrigin

FOUND, NOTHING = "1100", "1101"


@dataclass(frozen=True, slots=True)
class AcceptanceRequest:
    """Answers of one receiver.

    Attributes:
        answers: (UUID, `Aceptacion` or `Rechazo`) as the client wrote them.
    """

    rfc: str
    answers: Sequence[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class FolioResult:
    """Result for one CFDI.

    Attributes:
        uuid: upper case.
        code: EstatusUUID: 1000 done, 1001 not pending, 1002 answered before.
        answer: `Aceptacion` or `Rechazo`.
    """

    uuid: str
    code: str
    answer: str


@dataclass(frozen=True, slots=True)
class AcceptanceResult:
    """The authority's response.

    Attributes:
        acuse: XML of the acuse.
        code: codStatus.
    """

    acuse: str
    folios: tuple[FolioResult, ...]
    code: str = "1000"


@dataclass(frozen=True, slots=True)
class PendingRequests:
    """Pending cancellations.

    Attributes:
        uuids: upper case, oldest first.
        code: codStatus: 1100, or 1101 when there are none.
    """

    uuids: tuple[str, ...]
    code: str
    message: str


class AcceptanceService:
    """Answers pending cancellations for a receiver.

    The ServiceErrors are those of `CancellationService`.

    Args:
        requests: signs and verifies the documents.
        authority: receives the answers.
        provider_rfc: RFC of the provider that forwards the answers.
    """

    def __init__(self, requests: SignedRequests, authority: CancellationAuthority, provider_rfc: str) -> None:
        self._requests = requests
        self._authority = authority
        self._provider_rfc = provider_rfc
        self._use_case = SignedMessageUseCase(
            requests,
            SignedMessage(
                root_name=NAME,
                read=read_accept_reject,
                signer_rfc=lambda message: message.rfc_receptor,
                to_root=AcceptReject.to_root,
                send=self._send,
            ),
        )

    def pendings(self, caller: Caller, rfc: str) -> PendingRequests:
        """List the cancellations that are pending for a receiver.

        The caller's account must store a CSD of the receiver, unless the caller is an administrator.
        """
        receiver = checked_rfc(rfc)
        self._requests.require_held(caller, receiver)
        uuids = tuple(uuid.upper() for uuid in self._authority.pendings(receiver))
        return (
            PendingRequests(uuids, FOUND, details.PENDINGS_FOUND)
            if uuids
            else PendingRequests((), NOTHING, details.NO_PENDINGS)
        )

    def by_files(
        self, caller: Caller, request: AcceptanceRequest, files: CsdFiles | PfxFile, request_id: str
    ) -> AcceptanceResult:
        """Answer with a certificate and key, or a PFX, of the request, which the server does not store."""
        require_fields(files, request.rfc)
        return self._use_case.by_files(self._message(request), files, RequestOrigin(caller.account_id, request_id))

    def by_uuid(self, caller: Caller, rfc: str, uuid: str, answer: str, request_id: str) -> AcceptanceResult:
        """Answer with the CSD of the receiver that the account stores."""
        message = self._message(AcceptanceRequest(rfc, [(uuid, answer)]), path=True)
        return self._use_case.by_stored_csd(message, caller.account_id, RequestOrigin(caller.account_id, request_id))

    def by_xml(self, caller: Caller, xml: bytes, request_id: str) -> AcceptanceResult:
        """Forward a `SolicitudAceptacionRechazo` that its receiver has signed; up to 500 CFDI."""
        return self._use_case.by_signed_xml(xml, RequestOrigin(caller.account_id, request_id))

    def _message(self, request: AcceptanceRequest, *, path: bool = False) -> AcceptReject:
        """Check the client's values; `path` is True when the UUID is part of the request's path."""
        rfc = checked_rfc(request.rfc)
        if not request.answers:
            raise ServiceError("cancel-fields", details.CSD_MISSING)
        if len(request.answers) > MAX_FOLIOS:
            raise ServiceError("cancel-fields", details.MANY_ANSWERS)
        answers: dict[str, ReceiverAnswer] = {}
        for uuid, answer in request.answers:
            answers.setdefault(_folio(uuid, path=path), _answer(answer))
        return AcceptReject(rfc, answers, self._provider_rfc)

    def _send(self, message: AcceptReject, document: bytes, origin: RequestOrigin) -> AcceptanceResult:
        receipt = self._authority.accept_reject(message, document, origin)
        folios = [FolioResult(uuid.upper(), code, message.answers[uuid]) for uuid, code in receipt.codes.items()]
        return AcceptanceResult(receipt.acuse.decode(), tuple(folios))


def _folio(uuid: str, *, path: bool) -> str:
    """Return the UUID of an answer in lower case; one text of the rejection serves all ways, as clients expect."""
    try:
        return checked_folio(uuid, path=path)
    except ServiceError as error:
        raise ServiceError(error.code, details.BAD_PATH_UUID) from error


def _answer(text: str) -> ReceiverAnswer:
    try:
        return read_answer(text)
    except ServiceError as error:
        raise ServiceError("cancel-fields", details.BAD_ANSWER) from error
