"""The workflow of cancellations: applies transitions to indexed CFDI and appends an event for each.

A due outcome takes effect at its due date, even when a reader or the periodic job applies it later.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

import structlog

from timbra.cfdi.cancelacion.request import Folio
from timbra.core.clock import Clock
from timbra.database.batches import run_isolated
from timbra.events.event_log import Event
from timbra.sandbox.authority.cancellation.policy import Policy
from timbra.sandbox.authority.cancellation.state_machine import (
    CancellationDecision,
    CancellationState,
    Transition,
    after,
)
from timbra.sandbox.store.models import CancellationRequestRow, DocumentRow
from timbra.sandbox.store.transactions import SandboxStore, SandboxTransaction
from timbra.sat.port import RequestOrigin

LOG = structlog.get_logger(__name__)
KIND = "cancellation."
WITHOUT_EFFECT = "ineffective"
NO_ORIGIN = RequestOrigin(None, "")


class CancellationWorkflow:
    """The only writer of the state of a CFDI."""

    def __init__(self, store: SandboxStore, wall: Clock, policy: Policy) -> None:
        """Write to `store`.

        Args:
            store: The tables of the simulated authority.
            wall: The clock that dates events.
            policy: The terms of receivers.
        """
        self._store = store
        self._wall = wall
        self._policy = policy

    def settle(self, now: datetime) -> int:
        """Apply the outcomes that are due at the fiscal instant; one query while none is due.

        A request whose outcome cannot be applied is logged and loses its due date; the others are completed.

        Returns:
            The number of completed requests.
        """
        with self._store.read() as transaction:
            waiting = [request.uuid for request in transaction.requests.list_due(now)]
        ended: list[str] = []
        result = run_isolated(waiting, lambda uuids: ended.extend(self._end(uuids, now)))
        if result.interruption is not None:
            raise result.interruption
        for uuid, error in result.failed:
            LOG.error("request of cancellation cannot be ended", uuid=uuid, error=repr(error))
            with self._store.write() as transaction:
                transaction.requests.clear_due_date(uuid)
        return len(ended)

    def _end(self, uuids: Sequence[str], now: datetime) -> list[str]:
        """Complete, in one transaction, the requests that another process has not completed meanwhile."""
        with self._store.write() as transaction:
            documents = transaction.documents.lock(uuids)
            ended = transaction.requests.list_due(now, uuids)
            for request in ended:
                due_at = request.due_at or now
                self.step(transaction, documents[request.uuid], Transition(request.outcome or ""), due_at, NO_ORIGIN)
        return [request.uuid for request in ended]

    def request(
        self,
        transaction: SandboxTransaction,
        document: DocumentRow,
        folio: Folio,
        decision: CancellationDecision,
        at: datetime,
        origin: RequestOrigin,
    ) -> None:
        """Apply a decision about an issuer's request; append an event when it has no effect.

        Args:
            transaction: A write transaction.
            document: The CFDI, locked by `transaction`.
            at: The fiscal instant of the request.
        """
        details = {"motivo": folio.motivo, "foliosustitucion": folio.substitute or ""}
        if decision.step is None:
            self._append_event(
                transaction, document.uuid, WITHOUT_EFFECT, at, origin, {**details, "reason": decision.note}
            )
            return
        if decision.step is Transition.REQUESTED:
            self._open(transaction, document, folio, at)
        self.step(transaction, document, decision.step, at, origin, details)

    def step(
        self,
        transaction: SandboxTransaction,
        document: DocumentRow,
        step: Transition,
        at: datetime,
        origin: RequestOrigin,
        details: Mapping[str, object] | None = None,
    ) -> None:
        """Apply a transition to a CFDI and append its event.

        Args:
            transaction: A write transaction.
            document: The CFDI, locked by `transaction`.
            at: The fiscal instant at which it takes effect.
            details: Further members of the event's body.
        """
        before = state_of(document)
        then = after(before, step)
        transaction.documents.set_state(document.uuid, then.status, then.cancellation)
        if before is CancellationState.REQUESTED:
            transaction.requests.delete(document.uuid)
        moved = {"from": list(before.value), "to": list(then.value)}
        self._append_event(transaction, document.uuid, step, at, origin, {**(details or {}), **moved})

    def pending(self, receiver_rfc: str) -> list[str]:
        """Return the folios of the requests that are pending for a receiver, oldest first."""
        with self._store.read() as transaction:
            return transaction.requests.list_of_receiver(receiver_rfc)

    def history(self, uuid: str) -> Sequence[Event]:
        """Return the cancellation events of a CFDI in the order of fiscal time. The folio is in lower case."""
        return self._store.cancellation_events(uuid)

    def _open(self, transaction: SandboxTransaction, document: DocumentRow, folio: Folio, at: datetime) -> None:
        """Insert a request. Only the first one for a CFDI may have a term; an automatic reply answers each."""
        due: list[tuple[datetime, Transition]] = []
        term = self._policy.end_of_term(document, at) if state_of(document) is CancellationState.IN_FORCE else None
        if term is not None:
            due.append((term, Transition.EXPIRED))
        reply = transaction.auto_replies.get(document.receiver_rfc)
        if reply is not None:
            due.append((at + timedelta(seconds=reply.seconds), Transition(reply.outcome)))
        due_at, outcome = min(due, default=(None, None))
        transaction.requests.insert(
            CancellationRequestRow(
                uuid=document.uuid,
                receiver_rfc=document.receiver_rfc,
                motivo=folio.motivo,
                replacement=folio.substitute or "",
                requested_at=at,
                due_at=due_at,
                outcome=outcome,
            )
        )

    def _append_event(
        self,
        transaction: SandboxTransaction,
        uuid: str,
        step: str,
        at: datetime,
        origin: RequestOrigin,
        body: Mapping[str, object],
    ) -> None:
        event = Event(self._wall.now(), at, origin.account_id, f"{KIND}{step}", uuid, origin.request_id, body)
        transaction.append_event(event)


def state_of(document: DocumentRow) -> CancellationState:
    """Return the state of a stored CFDI."""
    return CancellationState((document.state, document.cancellation))
