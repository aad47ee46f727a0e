"""The simulated authority's counter: requests of cancellation, answers of receivers, what waits, what is related."""

from __future__ import annotations

from collections.abc import Callable

from lxml import etree

from timbra.authority.port import CfdiParties, Origin, Receipt, Relations
from timbra.authority.sandbox.cancellation import State, Step, decide
from timbra.authority.sandbox.filing import children, locked, parents
from timbra.authority.sandbox.ledger import SandboxLedger
from timbra.authority.sandbox.proceedings import state_of
from timbra.authority.sandbox.scripts import Scripts
from timbra.cfdi.cancelacion.acuse import answer_acuse, cancellation_acuse
from timbra.cfdi.cancelacion.answer import AcceptReject, Answer
from timbra.cfdi.cancelacion.relations import RelationsRequest
from timbra.cfdi.cancelacion.request import Cancelacion
from timbra.cfdi.folio import canonical_uuid
from timbra.errors import ServiceError

ACCEPTED_CODE = "201"
RECEIVED, NOT_PENDING, ANSWERED = "1000", "1001", "1002"
_STEPS = {Answer.ACCEPT: Step.ACCEPTED, Answer.REJECT: Step.REJECTED}
_ANSWERED = frozenset({State.REJECTED, State.ACCEPTED, State.EXPIRED})
# Signs an acuse with the authority's key and gives its XML.
Seal = Callable[[etree._Element], bytes]


class SandboxCancellations:
    """A `CancellationAuthority` over the ledger. All CFDI of a request are decided in one transaction, one by one."""

    def __init__(self, ledger: SandboxLedger, seal: Seal) -> None:
        self._ledger = ledger
        self._seal = seal
        self.scripts = Scripts(ledger.database)

    def cancel(self, request: Cancelacion, document: bytes, origin: Origin) -> Receipt:  # noqa: ARG002
        """See `CancellationAuthority.cancel`; the service has verified the document."""
        self._ledger.require_answer()
        now = self._ledger.bring_up()
        with self._ledger.database.write() as connection:
            rows = locked(connection, [folio.uuid for folio in request.folios])
            codes = {}
            for folio in request.folios:
                row = rows.get(folio.uuid)
                case = None if row is None else self._ledger.case(connection, row, now)
                decision = decide(request.rfc_emisor, folio, case, now)
                codes[folio.uuid] = decision.code
                if row is not None and decision.code == ACCEPTED_CODE:
                    self._ledger.proceedings.request(connection, row, folio, decision, now, origin)
        return self._receipt(cancellation_acuse(now, request.rfc_emisor, codes), codes)

    def accept_reject(self, request: AcceptReject, document: bytes, origin: Origin) -> Receipt:  # noqa: ARG002
        """See `CancellationAuthority.accept_reject`."""
        self._ledger.require_answer()
        now = self._ledger.bring_up()
        with self._ledger.database.write() as connection:
            rows = locked(connection, request.answers)
            codes = {}
            for uuid, answer in request.answers.items():
                row = rows.get(uuid)
                if row is None or row.receiver_rfc != request.rfc_receptor:
                    codes[uuid] = NOT_PENDING
                elif state_of(row) is State.REQUESTED:
                    self._ledger.proceedings.step(connection, row, _STEPS[answer], now, origin)
                    codes[uuid] = RECEIVED
                else:
                    codes[uuid] = ANSWERED if state_of(row) in _ANSWERED else NOT_PENDING
        return self._receipt(answer_acuse(now, request, codes), codes)

    def respond(self, folio: str, answer: Answer, origin: Origin) -> Receipt:
        """Answers in the receiver's place, without its signature: a control of the sandbox.

        ServiceError("document-unknown") when no such CFDI is on file.
        """
        uuid = canonical_uuid(folio)
        row = self._ledger.filing.known(uuid) if uuid is not None else None
        if row is None:
            raise ServiceError("document-unknown", "La autoridad simulada no tiene ese CFDI.")
        return self.accept_reject(AcceptReject(row.receiver_rfc, {row.uuid: answer}), b"", origin)

    def pendings(self, receiver_rfc: str) -> list[str]:
        """See `CancellationAuthority.pendings`."""
        self._ledger.require_answer()
        self._ledger.bring_up()
        return self._ledger.proceedings.pending(receiver_rfc)

    def relations(self, request: RelationsRequest, document: bytes) -> Relations | None:  # noqa: ARG002
        """See `CancellationAuthority.relations`."""
        self._ledger.require_answer()
        self._ledger.bring_up()
        row = self._ledger.filing.known(request.uuid)
        if row is None or request.rfc not in (row.issuer_rfc, row.receiver_rfc):
            return None
        with self._ledger.database.read() as connection:
            named, naming = parents(connection, row.uuid), children(connection, row.uuid)
            return Relations(
                parents=tuple(CfdiParties(one.uuid, one.issuer_rfc or "", one.receiver_rfc or "") for one in named),
                children=tuple(CfdiParties(one.uuid, one.issuer_rfc, one.receiver_rfc) for one in naming),
            )

    def _receipt(self, acuse: etree._Element, codes: dict[str, str]) -> Receipt:
        return Receipt(self._seal(acuse), codes)
