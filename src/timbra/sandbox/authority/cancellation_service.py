"""The cancellation service of the simulated authority: requests, answers of receivers, pending requests, relations."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from lxml import etree

from timbra.cfdi.cancelacion.acuse import answer_acuse, cancellation_acuse, retenciones_acuse
from timbra.cfdi.cancelacion.answer import AcceptReject, ReceiverAnswer
from timbra.cfdi.cancelacion.relations import RelationsRequest
from timbra.cfdi.cancelacion.request import Cancelacion
from timbra.cfdi.uuid_text import canonical_uuid
from timbra.core.errors import ServiceError
from timbra.messages.cancelling import RETENCIONES
from timbra.sandbox.authority.cancellation.auto_replies import AutoReplies
from timbra.sandbox.authority.cancellation.state_machine import (
    ACCEPTED_CODE,
    RETENCION_ACCEPTED_CODE,
    UNRELATED_CODE,
    CancellationState,
    Transition,
    decide,
    decide_retencion,
)
from timbra.sandbox.authority.cancellation.workflow import state_of
from timbra.sandbox.authority.ledger.ledger import SandboxLedger
from timbra.sandbox.store.models import RETENCION, RelatedDocumentRow
from timbra.sat.port import CancellationReceipt, CfdiParties, Relations, RequestOrigin

ACCEPTED_CODES = frozenset({ACCEPTED_CODE, RETENCION_ACCEPTED_CODE})
RECEIVED, NOT_PENDING, ANSWERED = "1000", "1001", "1002"
_STEPS = {ReceiverAnswer.ACCEPT: Transition.ACCEPTED, ReceiverAnswer.REJECT: Transition.REJECTED}
_ANSWERED = frozenset({CancellationState.REJECTED, CancellationState.ACCEPTED, CancellationState.EXPIRED})
Seal = Callable[[etree._Element], bytes]
"""Signs an acuse with the key of the authority and returns its XML."""


class SandboxCancellationService:
    """A `CancellationAuthority` over the ledger. The folios of a request are decided in order, in one transaction.

    CFDI and retenciones are two registers: a request about the one kind does not find documents of the other.
    """

    def __init__(self, ledger: SandboxLedger, seal: Seal) -> None:
        self._ledger = ledger
        self._seal = seal
        self.scripts = AutoReplies(ledger.store)

    def cancel(self, request: Cancelacion, document: bytes, origin: RequestOrigin) -> CancellationReceipt:  # noqa: ARG002
        """See `CancellationAuthority.cancel`; the service has verified the document."""
        self._ledger.require_answer()
        now = self._ledger.synchronize()
        decide_one, acuse = (
            (decide_retencion, retenciones_acuse) if request.is_retenciones else (decide, cancellation_acuse)
        )
        codes = {}
        with self._ledger.store.write() as transaction:
            rows = transaction.documents.lock([folio.uuid for folio in request.folios])
            for folio in request.folios:
                row = rows.get(folio.uuid)
                if row is not None and (row.kind == RETENCION) is not request.is_retenciones:
                    row = None
                if row is not None and self._ledger.is_late(transaction, row, now):
                    row = None
                case = None if row is None else self._ledger.case(transaction, row, now)
                decision = decide_one(request.rfc_emisor, folio, case, now)
                if decision.code == UNRELATED_CODE:
                    raise ServiceError("cancel-xml", RETENCIONES.unrelated)
                codes[folio.uuid] = decision.code
                if row is not None and decision.code in ACCEPTED_CODES:
                    self._ledger.workflow.request(transaction, row, folio, decision, now, origin)
        return self._receipt(acuse(now, request.rfc_emisor, codes), codes)

    def accept_reject(self, request: AcceptReject, document: bytes, origin: RequestOrigin) -> CancellationReceipt:  # noqa: ARG002
        self._ledger.require_answer()
        now = self._ledger.synchronize()
        with self._ledger.store.write() as transaction:
            rows = transaction.documents.lock(request.answers)
            codes = {}
            for uuid, answer in request.answers.items():
                row = rows.get(uuid)
                if row is None or row.receiver_rfc != request.rfc_receptor:
                    codes[uuid] = NOT_PENDING
                elif state_of(row) is CancellationState.REQUESTED:
                    self._ledger.workflow.step(transaction, row, _STEPS[answer], now, origin)
                    codes[uuid] = RECEIVED
                else:
                    codes[uuid] = ANSWERED if state_of(row) in _ANSWERED else NOT_PENDING
        return self._receipt(answer_acuse(now, request, codes), codes)

    def respond(self, folio: str, answer: ReceiverAnswer, origin: RequestOrigin) -> CancellationReceipt:
        """Answer a request in place of the receiver, without its signature; a control of the sandbox.

        Args:
            folio: The UUID of the CFDI, in any letter case.
            origin: The origin of the request, for the event log.

        Raises:
            ServiceError: "document-unknown" when the authority does not have the CFDI.
        """
        uuid = canonical_uuid(folio)
        row = self._ledger.indexer.find_or_index(uuid) if uuid is not None else None
        if row is None:
            raise ServiceError("document-unknown", "La autoridad simulada no tiene ese CFDI.")
        return self.accept_reject(AcceptReject(row.receiver_rfc, {row.uuid: answer}), b"", origin)

    def pendings(self, receiver_rfc: str) -> list[str]:
        self._ledger.require_answer()
        self._ledger.synchronize()
        return self._ledger.workflow.pending(receiver_rfc)

    def relations(self, request: RelationsRequest, document: bytes) -> Relations | None:  # noqa: ARG002
        self._ledger.require_answer()
        self._ledger.synchronize()
        row = self._ledger.indexer.find_or_index(request.uuid)
        if row is None or row.kind == RETENCION or request.rfc not in (row.issuer_rfc, row.receiver_rfc):
            return None
        with self._ledger.store.read() as transaction:
            return Relations(
                parents=_parties(transaction.documents.parents(row.uuid)),
                children=_parties(transaction.documents.children(row.uuid)),
            )

    def _receipt(self, acuse: etree._Element, codes: dict[str, str]) -> CancellationReceipt:
        return CancellationReceipt(self._seal(acuse), codes)


def _parties(rows: Iterable[RelatedDocumentRow]) -> tuple[CfdiParties, ...]:
    return tuple(CfdiParties(row.uuid, row.issuer_rfc, row.receiver_rfc) for row in rows if row.kind != RETENCION)
