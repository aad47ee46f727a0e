"""The outbox of deliveries to the authority: stamps, and requests of cancellation that got no answer."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Integer,
    Row,
    Select,
    bindparam,
    case,
    func,
    insert,
    or_,
    select,
)

from timbra.core.clock import Clock
from timbra.database.database import Database
from timbra.database.tables.column_types import to_microseconds
from timbra.database.tables.stamps import EVENT, OUTBOX
from timbra.delivery.consumer import DELIVERIES, unread_stamps
from timbra.delivery.delivered_events import DELIVERED, DeliveredEvents
from timbra.delivery.outage_store import Outage, read_outages
from timbra.events.dispatcher import EventDispatcher
from timbra.events.exclusive import read_one_instant
from timbra.events.outbox import MAX_REASON_LENGTH, Outbox
from timbra.events.retry import RetrySchedule, doubling

LEASE = timedelta(seconds=60)
MAX_ATTEMPTS = 90
WAITS = doubling(timedelta(seconds=2), timedelta(hours=1))
STAMP = "stamp"
_RECEIVED = {"status": "received"}
# The same prepared statement for any number of folios. The values: folios, wall instant, attempts of a dead letter.
_END_DUE = {
    "sqlite": "DELETE FROM outbox WHERE kind = 'stamp' AND subject IN (SELECT value FROM json_each(?)) "
    "AND due_at <= ? AND NOT dead AND attempts < ? RETURNING subject",
    "postgresql": "DELETE FROM outbox WHERE kind = 'stamp' AND subject IN ("
    "SELECT subject FROM outbox WHERE kind = 'stamp' AND subject = ANY(%s::text[]) "
    "AND due_at <= %s AND NOT dead AND attempts < %s FOR UPDATE SKIP LOCKED) RETURNING subject",
}

__all__ = ("LEASE", "MAX_ATTEMPTS", "MAX_REASON_LENGTH", "STAMP", "AuthorityOutbox", "Backlog", "OutboxDelivery")


@dataclass(frozen=True, slots=True)
class OutboxDelivery:
    """One delivery.

    Attributes:
        kind: "stamp" or another.
        subject: The folio of a stamp; what the kind defines otherwise.
        attempts: Number of leases, the current one included.
        due_at: Not before this wall instant; a leased delivery is due when its lease expires.
        reason: Why the last attempt failed; None before the first failure.
        dead: Whether it is a dead letter.
    """

    kind: str
    subject: str
    created_at: datetime
    attempts: int
    due_at: datetime | None = None
    reason: str | None = None
    dead: bool = False


@dataclass(frozen=True, slots=True)
class Backlog:
    """Numbers of deliveries.

    Attributes:
        waiting: The number of pending deliveries.
        oldest: The creation time of the oldest pending delivery; None without one.
        dead: The number of dead letters by kind.
        outages: The services that do not receive stamps now, oldest first.
    """

    waiting: int
    oldest: datetime | None
    dead: Mapping[str, int]
    outages: Sequence[Outage] = ()

    def minutes_behind(self, now: datetime) -> int:
        """Return the whole minutes since the oldest pending delivery was created; 0 without one."""
        return 0 if self.oldest is None else max(int((now - self.oldest) / timedelta(minutes=1)), 0)


class AuthorityOutbox(Outbox[OutboxDelivery]):
    """Deliveries of the table `outbox`, and those of stamps whose event its consumer has not read yet.

    A row is a dead letter when it is marked so, or after `max_attempts` leases.
    """

    table = OUTBOX
    key = (OUTBOX.c.kind, OUTBOX.c.subject)
    subject = OUTBOX.c.subject
    order = (OUTBOX.c.subject,)
    reason = OUTBOX.c.reason
    lease_term = LEASE

    def __init__(
        self,
        database: Database,
        wall: Clock | None = None,
        max_attempts: int = MAX_ATTEMPTS,
        events: DeliveredEvents | None = None,
    ) -> None:
        super().__init__(database, wall)
        self.max_attempts = max_attempts
        self.retry_schedule = RetrySchedule(WAITS, max_attempts)
        self._events = events
        self._dispatcher = EventDispatcher(database, [DELIVERIES], self._wall)

    def lease(self, limit: int, term: timedelta = LEASE, kind: str = STAMP) -> list[OutboxDelivery]:
        """Lease deliveries of a kind that are due, oldest first."""
        if kind == STAMP:
            # Before the lease, which does not last for long.
            self.due_stamps(limit)
        return self._lease(limit, term, OUTBOX.c.kind == kind, self._is_alive)

    def renew(self, deliveries: Sequence[OutboxDelivery], term: timedelta) -> None:
        """Prolong the leases of deliveries; no effect on those that ended or that another worker has leased."""
        due_at = self._wall.now() + term
        with self._database.write() as connection:
            for delivery in deliveries:
                self._update(connection, delivery, {"due_at": due_at})

    def make_kind_due(self, kind: str, term: timedelta) -> int:
        """See `Outbox.make_due`; the deliveries of a kind, which goes to a service of its own."""
        return self.make_due(OUTBOX.c.kind == kind, term=term)

    def due_stamps(self, limit: int) -> list[str]:
        """Return folios of stamps that are due for delivery, oldest first, without leasing them."""
        found = self._read_due(limit)
        return self._read_due(limit) if len(found) < limit and self._dispatcher.run() else found

    def end_due(self, connection: Connection, folios: Sequence[str]) -> list[str]:
        """Delete deliveries of stamps that are still due, in the transaction that writes what they are for.

        A delivery that another process has leased or ended since `due_stamps` is left out.

        Args:
            connection: A write transaction; its rollback keeps the deliveries.
            folios: Folios of stamps.

        Returns:
            The folios of the deleted deliveries.
        """
        now = self._wall.now()
        keys: object = json.dumps(folios) if self._database.dialect == "sqlite" else list(folios)
        values = (keys, to_microseconds(now), self.max_attempts)
        ended = [*connection.exec_driver_sql(_END_DUE[self._database.dialect], values).scalars()]
        if self._events is not None:
            self._events.append(connection, ended, _RECEIVED)
        return ended

    @property
    def tells_end(self) -> bool:
        """Whether `end_due` appends events, whose numbers clients learn."""
        return self._events is not None and self._events.is_read(DELIVERED, None)

    def add(self, connection: Connection, kind: str, subject: str, lease: timedelta = LEASE) -> OutboxDelivery:
        """Insert a delivery, leased by the caller, within the caller's transaction."""
        now = self._wall.now()
        row = {"kind": kind, "subject": subject, "created_at": now, "due_at": now + lease, "attempts": 1}
        connection.execute(insert(OUTBOX).values(row))
        return OutboxDelivery(kind, subject, now, 1, now + lease)

    def list_pending(self, limit: int, *, dead_only: bool = False, kind: str | None = None) -> list[OutboxDelivery]:
        """Return deliveries, oldest first; dead letters included, or alone; those of one kind, or of all kinds."""
        conditions = [] if kind is None else [OUTBOX.c.kind == kind]
        if dead_only or kind not in (None, STAMP):
            return self._list(limit, dead_only, *conditions)
        with self._database.read() as connection:
            unread = connection.execute(unread_stamps(connection).order_by(EVENT.c.id).limit(limit)).all()
        # After them: what becomes a row meanwhile is there.
        rows = {(row.kind, row.subject): row for row in self._list(limit, dead_only, *conditions)}
        new = (OutboxDelivery(STAMP, row.subject, row.at, 0, row.at) for row in unread)
        found = [*rows.values(), *(each for each in new if self._key_of(each) not in rows)]
        return sorted(found, key=lambda each: (each.created_at, each.subject))[:limit]

    def size(self) -> int:
        """See `Outbox.size`; those whose event was not read yet included."""
        backlog = self.backlog()
        return backlog.waiting + sum(backlog.dead.values())

    def drop(self, subject: str) -> int:
        """See `Outbox.drop`."""
        self._dispatcher.run()
        return super().drop(subject)

    def requeue(self, subject: str | None = None, kind: str | None = None) -> int:
        """See `Outbox.requeue`.

        Args:
            subject: See `Outbox.requeue`.
            kind: Only deliveries of this kind; None for all kinds.
        """
        self._dispatcher.run()
        return self._requeue(subject, *([] if kind is None else [OUTBOX.c.kind == kind]))

    def backlog(self) -> Backlog:
        """Count the deliveries, in one pass over the table and the events after it, and read the outages."""
        is_dead = self._is_dead
        oldest = func.min(case((~is_dead, OUTBOX.c.created_at)), type_=OUTBOX.c.created_at.type)
        query = select(OUTBOX.c.kind, func.count(), oldest, func.sum(case((is_dead, 1), else_=0)))
        with self._database.read() as connection:
            read_one_instant(connection)
            rows = connection.execute(query.group_by(OUTBOX.c.kind)).all()
            unread = unread_stamps(connection).with_only_columns(func.count(), func.min(EVENT.c.at))
            new, since = connection.execute(unread).one()
            outages = read_outages(connection)
        return Backlog(
            waiting=sum(count - dead for _, count, _, dead in rows) + new,
            oldest=min((oldest for oldest in (since, *(row[2] for row in rows)) if oldest is not None), default=None),
            dead={kind: int(dead) for kind, _, _, dead in rows if dead},
            outages=outages,
        )

    def _read_due(self, limit: int) -> list[str]:
        with self._database.read() as connection:
            return [*connection.execute(self._due_stamps, {"now": self._wall.now(), "most": limit}).scalars()]

    # Built once: SQLAlchemy's expressions have reference cycles, and the deliveries are read several times a second.
    @cached_property
    def _is_dead(self) -> ColumnElement[bool]:
        return or_(OUTBOX.c.dead, OUTBOX.c.attempts >= self.max_attempts)

    @cached_property
    def _is_alive(self) -> ColumnElement[bool]:
        return ~self._is_dead

    @cached_property
    def _due_stamps(self) -> Select[tuple[str]]:
        """The folios of stamps that are due at `now`, at `most` so many, oldest first."""
        columns = OUTBOX.c
        is_due = columns.due_at <= bindparam("now", type_=columns.due_at.type)
        due = select(columns.subject).where(columns.kind == STAMP, is_due, self._is_alive)
        return due.order_by(columns.due_at, columns.subject).limit(bindparam("most", type_=Integer))

    def _columns(self) -> Sequence[ColumnElement[Any]]:
        columns = OUTBOX.c
        return (*self.key, columns.created_at, columns.attempts, columns.due_at, columns.reason, self._is_dead)

    def _read(self, row: Row[Any]) -> OutboxDelivery:
        kind, subject, created_at, attempts, due_at, reason, dead = tuple(row)
        return OutboxDelivery(kind, subject, created_at, attempts, due_at, reason, bool(dead))

    def _key_of(self, delivery: OutboxDelivery) -> tuple[str, str]:
        return delivery.kind, delivery.subject

    def _on_completed(self, connection: Connection, deliveries: Sequence[OutboxDelivery]) -> None:
        if self._events is not None:
            uuids = [delivery.subject for delivery in deliveries if delivery.kind == STAMP]
            self._events.append(connection, uuids, _RECEIVED)

    def _dead_values(self) -> Mapping[str, object]:
        return {"dead": True}

    def _requeued_values(self) -> Mapping[str, object]:
        return {"dead": False, "reason": None}
