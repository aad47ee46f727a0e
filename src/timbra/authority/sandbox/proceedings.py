"""What happens to CFDI on file: each step with its row in the history; what is due happens by itself.

A due outcome happens at its own instant, whoever notices it first and however late: a reader or the periodic task.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection, Row, delete, select, update

from timbra.authority.port import Origin
from timbra.authority.sandbox.cancellation import Decision, State, Step, after
from timbra.authority.sandbox.filing import locked
from timbra.authority.sandbox.policy import Policy
from timbra.cfdi.cancelacion.request import Folio
from timbra.clock import Clock
from timbra.store.database import Database
from timbra.store.events import Event, append_event, cancellation_events
from timbra.store.tables.sandbox import SANDBOX_DOCUMENT, SANDBOX_REQUEST, SANDBOX_SCRIPT

KIND = "cancellation."
WITHOUT_EFFECT = "ineffective"
NOBODY = Origin(None, "")
REQUEST = SANDBOX_REQUEST.c


class Proceedings:
    """The only writer of states. wall: when events are noted."""

    def __init__(self, database: Database, wall: Clock, policy: Policy) -> None:
        self._database = database
        self._wall = wall
        self._policy = policy

    def settle(self, now: datetime) -> int:
        """Lets happen what is due at the fiscal instant; how many requests that ended. One look when nothing is due."""
        due = select(SANDBOX_REQUEST).where(REQUEST.due_at <= now).order_by(REQUEST.due_at, REQUEST.uuid)
        with self._database.read() as connection:
            waiting = connection.execute(due.with_only_columns(REQUEST.uuid)).scalars().all()
        if not waiting:
            return 0
        with self._database.write() as connection:
            documents = locked(connection, waiting)
            ended = connection.execute(due.where(REQUEST.uuid.in_(waiting))).all()
            for request in ended:
                self.step(connection, documents[request.uuid], Step(request.outcome), request.due_at, NOBODY)
        return len(ended)

    def request(
        self, connection: Connection, document: Row[Any], folio: Folio, decision: Decision, at: datetime, origin: Origin
    ) -> None:
        """What the authority decided about an issuer's request takes its course, or is noted to have no effect."""
        asked = {"motivo": folio.motivo, "foliosustitucion": folio.substitute or ""}
        if decision.step is None:
            self._note(connection, document.uuid, WITHOUT_EFFECT, at, origin, {**asked, "reason": decision.note})
            return
        if decision.step is Step.REQUESTED:
            self._open(connection, document, folio, at)
        self.step(connection, document, decision.step, at, origin, asked)

    def step(
        self,
        connection: Connection,
        document: Row[Any],
        step: Step,
        at: datetime,
        origin: Origin,
        told: Mapping[str, object] | None = None,
    ) -> None:
        """Moves a locked document, and writes it down."""
        before = state_of(document)
        then = after(before, step)
        values = {"state": then.status, "cancellation": then.cancellation}
        own = SANDBOX_DOCUMENT.c.uuid == document.uuid
        connection.execute(update(SANDBOX_DOCUMENT).where(own).values(values))
        if before is State.REQUESTED:
            connection.execute(delete(SANDBOX_REQUEST).where(REQUEST.uuid == document.uuid))
        moved = {"from": list(before.value), "to": list(then.value)}
        self._note(connection, document.uuid, step, at, origin, {**(told or {}), **moved})

    def pending(self, receiver_rfc: str) -> list[str]:
        """Folios of the requests that wait for a receiver, oldest first."""
        rows = select(REQUEST.uuid).where(REQUEST.receiver_rfc == receiver_rfc)
        with self._database.read() as connection:
            return list(connection.execute(rows.order_by(REQUEST.requested_at, REQUEST.uuid)).scalars())

    def history(self, uuid: str) -> Sequence[Event]:
        """Everything that happened to a CFDI since it was filed, in the order of fiscal time."""
        return cancellation_events(self._database, uuid)

    def _open(self, connection: Connection, document: Row[Any], folio: Folio, at: datetime) -> None:
        """Only the first request for a CFDI has a term; a scripted receiver answers any."""
        due: list[tuple[datetime, Step]] = []
        if state_of(document) is State.IN_FORCE:
            due.append((self._policy.end_of_term(at), Step.EXPIRED))
        script = connection.execute(
            select(SANDBOX_SCRIPT).where(SANDBOX_SCRIPT.c.rfc == document.receiver_rfc)
        ).one_or_none()
        if script is not None:
            due.append((at + timedelta(seconds=script.seconds), Step(script.outcome)))
        due_at, outcome = min(due, default=(None, None))
        row = {
            "uuid": document.uuid,
            "receiver_rfc": document.receiver_rfc,
            "motivo": folio.motivo,
            "replacement": folio.substitute or "",
            "requested_at": at,
            "due_at": due_at,
            "outcome": outcome,
        }
        connection.execute(self._database.insert(SANDBOX_REQUEST).values(row))

    def _note(
        self, connection: Connection, uuid: str, what: str, at: datetime, origin: Origin, body: Mapping[str, object]
    ) -> None:
        event = Event(self._wall.now(), at, origin.account_id, f"{KIND}{what}", uuid, origin.request_id, body)
        append_event(connection, event)


def state_of(document: Row[Any]) -> State:
    return State((document.state, document.cancellation))
