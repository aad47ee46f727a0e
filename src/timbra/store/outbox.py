"""What must still reach the authority: taken under a lease, deleted once delivered, put off, or given up."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, Connection, case, delete, func, insert, select, tuple_, update

from timbra.clock import Clock, WallClock
from timbra.store.database import Database
from timbra.store.tables.stamps import OUTBOX

LEASE = timedelta(seconds=60)
MOST_ATTEMPTS = 90
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


@dataclass(frozen=True, slots=True)
class Waiting:
    """A delivery as it is shown. due_at: not before this wall instant. dead: no longer tried by itself."""

    kind: str
    subject: str
    created_at: datetime
    due_at: datetime
    attempts: int
    dead: bool


@dataclass(frozen=True, slots=True)
class Backlog:
    """What is outstanding. oldest: of those that are still tried, None without any. dead: how many, by kind."""

    waiting: int
    oldest: datetime | None
    dead: Mapping[str, int]


class Outbox:
    """Several workers may drain it at once: what one has taken, others do not see until its lease is over.

    Delivery is at least once: a worker that dies, or outlives its lease, leaves the row to the next.
    What was taken `most_attempts` times in vain is dead: it stays until somebody revives or drops it.
    """

    def __init__(self, database: Database, wall: Clock | None = None, most_attempts: int = MOST_ATTEMPTS) -> None:
        self._database = database
        self._wall = wall or WallClock()
        self.most_attempts = most_attempts

    def pending(self, limit: int, lease: timedelta = LEASE, kind: str = STAMP) -> list[Delivery]:
        """Takes up to `limit` deliveries of a kind that are due, oldest first."""
        now = self._wall.now()
        alive = OUTBOX.c.attempts < self.most_attempts
        waiting = select(*KEY).where(OUTBOX.c.due_at <= now, OUTBOX.c.kind == kind, alive)
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
        # By kind: SQLite reads the whole table for a list of pairs.
        subjects: dict[str, list[str]] = {}
        for delivery in deliveries:
            subjects.setdefault(delivery.kind, []).append(delivery.subject)
        with self._database.write() as connection:
            for kind, of_kind in subjects.items():
                connection.execute(delete(OUTBOX).where(OUTBOX.c.kind == kind, OUTBOX.c.subject.in_(of_kind)))

    def retry(self, delivery: Delivery, at: datetime) -> None:
        """Puts a delivery off until the wall instant `at`."""
        this = (OUTBOX.c.kind == delivery.kind, OUTBOX.c.subject == delivery.subject)
        with self._database.write() as connection:
            connection.execute(update(OUTBOX).where(*this).values(due_at=at))

    def size(self) -> int:
        """How many deliveries are outstanding, taken ones and dead ones included."""
        with self._database.read() as connection:
            return connection.execute(select(func.count()).select_from(OUTBOX)).scalar_one()

    def backlog(self) -> Backlog:
        """What is outstanding, counted; one pass over the table."""
        dead = OUTBOX.c.attempts >= self.most_attempts
        oldest = func.min(case((~dead, OUTBOX.c.created_at)), type_=OUTBOX.c.created_at.type)
        query = select(OUTBOX.c.kind, func.count(), oldest, func.sum(case((dead, 1), else_=0))).group_by(OUTBOX.c.kind)
        with self._database.read() as connection:
            rows = connection.execute(query).all()
        return Backlog(
            waiting=sum(count - dead for _, count, _, dead in rows),
            oldest=min((oldest for _, _, oldest, _ in rows if oldest is not None), default=None),
            dead={kind: int(dead) for kind, _, _, dead in rows if dead},
        )

    def listed(self, limit: int, *, dead_only: bool = False) -> list[Waiting]:
        """What is outstanding, oldest first."""
        query = select(*KEY, OUTBOX.c.created_at, OUTBOX.c.due_at, OUTBOX.c.attempts)
        if dead_only:
            query = query.where(OUTBOX.c.attempts >= self.most_attempts)
        with self._database.read() as connection:
            rows = connection.execute(query.order_by(OUTBOX.c.created_at, OUTBOX.c.subject).limit(limit)).all()
        return [Waiting(*row, dead=row.attempts >= self.most_attempts) for row in rows]

    def revive(self, subject: str | None = None) -> int:
        """Has a dead delivery, or all of them for None, tried again from now on; how many that were."""
        fresh = update(OUTBOX).where(*self._dead(subject)).values(attempts=0, due_at=self._wall.now())
        with self._database.write() as connection:
            return connection.execute(fresh).rowcount

    def drop(self, subject: str) -> int:
        """Forgets a dead delivery for ever; 0 when there is none of that subject."""
        with self._database.write() as connection:
            return connection.execute(delete(OUTBOX).where(*self._dead(subject))).rowcount

    def _dead(self, subject: str | None) -> list[ColumnElement[bool]]:
        dead = OUTBOX.c.attempts >= self.most_attempts
        return [dead] if subject is None else [dead, OUTBOX.c.subject == subject]
