"""What must still reach the authority: taken under a lease, deleted once delivered, or put off."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import Connection, delete, func, insert, select, tuple_, update

from timbra.clock import Clock, WallClock
from timbra.store.database import Database
from timbra.store.tables.stamps import OUTBOX

LEASE = timedelta(seconds=60)
STAMP = "stamp"
KEY = (OUTBOX.c.kind, OUTBOX.c.subject)


@dataclass(frozen=True, slots=True)
class Delivery:
    """One delivery. kind: "stamp" or another; subject: the folio, or what the kind says; attempts: how often it was
    taken, this time included.
    """

    kind: str
    subject: str
    created_at: datetime
    attempts: int


class Outbox:
    """Several workers may drain it at once: what one has taken, others do not see until its lease is over.

    Delivery is at least once: a worker that dies, or outlives its lease, leaves the row to the next.
    """

    def __init__(self, database: Database, wall: Clock | None = None) -> None:
        self._database = database
        self._wall = wall or WallClock()

    def pending(self, limit: int, lease: timedelta = LEASE, kind: str = STAMP) -> list[Delivery]:
        """Takes up to `limit` deliveries of a kind that are due, oldest first."""
        now = self._wall.now()
        waiting = select(*KEY).where(OUTBOX.c.due_at <= now, OUTBOX.c.kind == kind)
        due = waiting.order_by(OUTBOX.c.due_at, OUTBOX.c.subject).limit(limit)
        take = (
            update(OUTBOX)
            .where(tuple_(*KEY).in_(due.with_for_update(skip_locked=True)))
            .values(due_at=now + lease, attempts=OUTBOX.c.attempts + 1)
            .returning(*KEY, OUTBOX.c.created_at, OUTBOX.c.attempts)
        )
        with self._database.write() as connection:
            taken = [Delivery(*row) for row in connection.execute(take)]
        return sorted(taken, key=lambda delivery: (delivery.created_at, delivery.subject))

    def add(self, connection: Connection, kind: str, subject: str, lease: timedelta = LEASE) -> Delivery:
        """Writes a delivery that the caller attempts at once, under its lease, within the caller's transaction."""
        now = self._wall.now()
        row = {"kind": kind, "subject": subject, "created_at": now, "due_at": now + lease, "attempts": 1}
        connection.execute(insert(OUTBOX).values(row))
        return Delivery(kind, subject, now, 1)

    def done(self, deliveries: Sequence[Delivery]) -> None:
        """Forgets what was delivered; what is forgotten already is nothing to it."""
        if not deliveries:
            return
        keys = [(delivery.kind, delivery.subject) for delivery in deliveries]
        with self._database.write() as connection:
            connection.execute(delete(OUTBOX).where(tuple_(*KEY).in_(keys)))

    def retry(self, delivery: Delivery, at: datetime) -> None:
        """Puts a delivery off until the wall instant `at`."""
        this = (OUTBOX.c.kind == delivery.kind, OUTBOX.c.subject == delivery.subject)
        with self._database.write() as connection:
            connection.execute(update(OUTBOX).where(*this).values(due_at=at))

    def size(self) -> int:
        """How many deliveries are outstanding, taken ones included."""
        with self._database.read() as connection:
            return connection.execute(select(func.count()).select_from(OUTBOX)).scalar_one()
