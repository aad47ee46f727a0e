"""The receiver's side of a cancellation: what waits for it, and its answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from timbra.accounts.caller import Caller
from timbra.accounts.signers import IssuerCredential
from timbra.authority.port import CancellationAuthority, Origin
from timbra.cfdi.cancelacion.answer import NAME, AcceptReject, Answer, read_accept_reject, read_answer
from timbra.cfdi.cancelacion.reading import MOST_FOLIOS
from timbra.errors import ServiceError
from timbra.messages import cancelling as told
from timbra.service.signed_requests import (
    CsdFiles,
    PfxFile,
    SignedRequests,
    checked_folio,
    checked_rfc,
    require_fields,
    unreadable_told,
)

FOUND, NOTHING = "1100", "1101"


@dataclass(frozen=True, slots=True)
class AnswerOrder:
    """answers: (UUID, `Aceptacion` or `Rechazo`), as the client wrote them."""

    rfc: str
    answers: Sequence[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class AnsweredFolio:
    """uuid: upper case. code: EstatusUUID: 1000 it counts, 1001 nothing waits for it, 1002 answered before."""

    uuid: str
    code: str
    answer: str


@dataclass(frozen=True, slots=True)
class Answered:
    """acuse: the authority's XML. code: codStatus."""

    acuse: str
    folios: tuple[AnsweredFolio, ...]
    code: str = "1000"


@dataclass(frozen=True, slots=True)
class Pendings:
    """uuids: upper case, oldest request first. code: codStatus, 1100 or 1101 when there are none."""

    uuids: tuple[str, ...]
    code: str
    message: str


class Accepting:
    """The use cases of a receiver; errors as those of `Cancelling`. provider_rfc: who sends the answers."""

    def __init__(self, requests: SignedRequests, authority: CancellationAuthority, provider_rfc: str) -> None:
        self._requests = requests
        self._authority = authority
        self._provider_rfc = provider_rfc

    def pendings(self, rfc: str) -> Pendings:
        """What waits for the receiver's answer."""
        uuids = tuple(uuid.upper() for uuid in self._authority.pendings(checked_rfc(rfc)))
        return Pendings(uuids, FOUND, told.PENDINGS_FOUND) if uuids else Pendings((), NOTHING, told.NO_PENDINGS)

    def by_files(self, caller: Caller, order: AnswerOrder, files: CsdFiles | PfxFile, request_id: str) -> Answered:
        """With a certificate and key, or a PFX, that the request carries and nobody keeps."""
        require_fields(files, order.rfc, *(uuid for uuid, _ in order.answers))
        request = self._request(order)
        credential = self._requests.from_files(files, request.rfc_receptor)
        return self._sign_and_send(request, credential, caller, request_id)

    def by_uuid(self, caller: Caller, rfc: str, uuid: str, answer: str, request_id: str) -> Answered:
        """With the account's stored CSD of the receiver."""
        request = self._request(AnswerOrder(rfc, [(uuid, answer)]), path=True)
        credential = self._requests.from_vault(caller.account_id, request.rfc_receptor)
        return self._sign_and_send(request, credential, caller, request_id)

    def by_xml(self, caller: Caller, xml: bytes, request_id: str) -> Answered:
        """A `SolicitudAceptacionRechazo` that its receiver has signed; up to 500 CFDI."""
        if not xml.strip():
            raise ServiceError("xml-missing")
        signed = self._requests.verified(xml, NAME)
        with unreadable_told():
            request = read_accept_reject(signed.content)
        self._requests.require_usable(signed.certificate, request.rfc_receptor)
        return self._send(request, xml, caller, request_id)

    def _request(self, order: AnswerOrder, *, path: bool = False) -> AcceptReject:
        rfc = checked_rfc(order.rfc)
        if not order.answers:
            raise ServiceError("cancel-fields", told.CSD_MISSING)
        if len(order.answers) > MOST_FOLIOS:
            raise ServiceError("cancel-fields", told.MANY_ANSWERS)
        answers: dict[str, Answer] = {}
        for uuid, answer in order.answers:
            answers.setdefault(checked_folio(uuid, path=path), _answer(answer))
        return AcceptReject(rfc, answers, self._provider_rfc)

    def _sign_and_send(
        self, request: AcceptReject, credential: IssuerCredential, caller: Caller, request_id: str
    ) -> Answered:
        document = self._requests.signed(credential, request.to_root(self._requests.world().now))
        return self._send(request, document, caller, request_id)

    def _send(self, request: AcceptReject, document: bytes, caller: Caller, request_id: str) -> Answered:
        receipt = self._authority.accept_reject(request, document, Origin(caller.account_id, request_id))
        folios = [AnsweredFolio(uuid.upper(), code, request.answers[uuid]) for uuid, code in receipt.codes.items()]
        return Answered(receipt.acuse.decode(), tuple(folios))


def _answer(text: str) -> Answer:
    try:
        return read_answer(text)
    except ServiceError as error:
        raise ServiceError("cancel-fields", told.BAD_ANSWER) from error
