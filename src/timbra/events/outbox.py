"""The transactional outbox: deliveries are inserted with the change that causes them, and sent later by any worker.

One implementation serves two tables: deliveries to the authority (`deliveries`) and e-mails (`email`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, ClassVar, Final, Generic, Protocol, TypeVar

from sqlalchemy import Column, ColumnElement, Connection, Row, Table, and_, delete, func, select, tuple_, update

from timbra.core.clock import Clock, WallClock
from timbra.core.errors import ServiceError
from timbra.core.text import storable
from timbra.database.batches import parts_of
from timbra.database.database import Database
from timbra.events.retry import RetrySchedule

MAX_REASON_LENGTH: Final = 500
KEYS_PER_DELETE: Final = 256


class LeasedDelivery(Protocol):
    """A delivery of any outbox."""

    @property
    def created_at(self) -> datetime:
        """The wall instant of the insert."""
        ...

    @property
    def attempts(self) -> int:
        """Number of leases: the fencing token of the current one."""
        ...


Delivery = TypeVar("Delivery", bound=LeasedDelivery)


class Outbox(ABC, Generic[Delivery]):
    """Deliveries of one table. Several workers may lease at once: no two get the same delivery.

    Delivery is at least once: when a worker dies, or is slower than its lease, the next one gets the delivery. A
    delivery becomes a dead letter when it can never succeed or failed too often: it stays in the table, without retry,
    until an operator requeues or drops it.

    Attributes:
        table: The table, with the columns `created_at`, `due_at` (not before this wall instant) and `attempts`.
        key: The two columns of its primary key.
        subject: The column by which operators select deliveries, in lower case.
        order: What deliveries of the same instant are ordered by.
        reason: The column with the reason of the last failure.
        lease_term: How long a worker has a delivery for itself.
        retry_schedule: When a delivery that failed is attempted again.
    """

    table: ClassVar[Table]
    key: ClassVar[tuple[Column[str], Column[str]]]
    subject: ClassVar[Column[str]]
    order: ClassVar[tuple[Column[str], ...]]
    reason: ClassVar[Column[Any]]
    lease_term: ClassVar[timedelta]
    retry_schedule: RetrySchedule

    def __init__(self, database: Database, wall: Clock | None = None) -> None:
        self._database = database
        self._wall = wall or WallClock()

    def reschedule(self, delivery: Delivery, at: datetime, reason: str = "") -> None:
        """Retry the delivery later; no effect for a worker whose lease has expired and that another one has leased.

        Args:
            delivery: A leased delivery.
            at: The wall instant of the next attempt.
            reason: Why the attempt failed.
        """
        with self._database.write() as connection:
            self._update(connection, delivery, {"due_at": at, self.reason.name: _storable(reason)})

    def retry(self, delivery: Delivery, reason: str, schedule: RetrySchedule | None = None) -> bool:
        """Plan the next attempt after a failed one; make a dead letter after the last one.

        Args:
            delivery: A leased delivery.
            reason: Why the attempt failed.
            schedule: In place of `retry_schedule`.

        Returns:
            Whether another attempt follows.
        """
        schedule = schedule or self.retry_schedule
        if delivery.attempts >= schedule.attempts:
            self.mark_dead(delivery, reason)
            return False
        self.reschedule(delivery, self._wall.now() + schedule.wait(delivery.attempts), reason)
        return True

    def postpone(self, delivery: Delivery, at: datetime, reason: str) -> None:
        """As `reschedule`, for an attempt that says nothing about this delivery: it does not count."""
        values = {"due_at": at, "attempts": delivery.attempts - 1, self.reason.name: _storable(reason)}
        with self._database.write() as connection:
            self._update(connection, delivery, values)

    def make_due(self, *conditions: ColumnElement[bool], term: timedelta | None = None) -> int:
        """Make deliveries that wait longer than a lease due at once; return how many.

        Args:
            conditions: Which of them.
            term: The longest lease, `lease_term` when None: a delivery that is due sooner may be leased.
        """
        now = self._wall.now()
        waits = and_(self.table.c.due_at > now + (term or self.lease_term), ~self._is_dead, *conditions)
        with self._database.write() as connection:
            return connection.execute(update(self.table).where(waits).values(due_at=now)).rowcount

    def mark_dead(self, delivery: Delivery, reason: str) -> None:
        """Make the delivery a dead letter at once, because another attempt would fail for the same reason.

        No effect for a worker whose lease has expired and that another one has leased.
        """
        with self._database.write() as connection:
            if self._update(connection, delivery, {**self._dead_values(), self.reason.name: _storable(reason)}):
                self._on_dead(connection, delivery, reason)

    def complete(self, deliveries: Sequence[Delivery]) -> None:
        """Delete deliveries that succeeded; no effect, and no event, for those that are deleted already."""
        if not deliveries:
            return
        # By the first column: SQLite reads the whole table for a list of pairs.
        first, second = self.key
        groups: dict[str, list[str]] = {}
        for delivery in deliveries:
            head, tail = self._key_of(delivery)
            groups.setdefault(head, []).append(tail)
        with self._database.write() as connection:
            deleted: set[tuple[str, str]] = set()
            for head, tails in groups.items():
                for part in parts_of(tails, KEYS_PER_DELETE):
                    statement = delete(self.table).where(first == head, second.in_(part)).returning(second)
                    deleted.update((head, tail) for tail in connection.execute(statement).scalars())
            self._on_completed(connection, [one for one in deliveries if self._key_of(one) in deleted])

    def requeue(self, subject: str | None = None) -> int:
        """Retry deliveries from now on, with all their attempts; return how many.

        Args:
            subject: In any letter case; None for all dead letters.
        """
        return self._requeue(subject)

    def _requeue(self, subject: str | None, *conditions: ColumnElement[bool]) -> int:
        chosen = and_(self._is_dead if subject is None else self._requeued_by(subject.lower()), *conditions)
        values = {"due_at": self._wall.now(), "attempts": 0, **self._requeued_values()}
        with self._database.write() as connection:
            return connection.execute(update(self.table).where(chosen).values(values)).rowcount

    def drop(self, subject: str) -> int:
        """Delete the deliveries of a subject, pending or dead, without sending them; return how many."""
        with self._database.write() as connection:
            return connection.execute(delete(self.table).where(self.subject == subject.lower())).rowcount

    def dead_count(self) -> int:
        """Return the number of dead letters."""
        return self._count(self._is_dead)

    def size(self) -> int:
        """Return the number of deliveries, leased ones and dead letters included."""
        return self._count()

    def _lease(self, limit: int, term: timedelta, *conditions: ColumnElement[bool]) -> list[Delivery]:
        """Lease deliveries that are due, oldest first; one read while none is."""
        now, columns = self._wall.now(), self.table.c
        due = select(*self.key).where(columns.due_at <= now, *conditions)
        due = due.order_by(columns.due_at, *self.order).limit(limit)
        with self._database.read() as connection:
            if connection.execute(due.limit(1)).first() is None:
                return []
        # As a CTE, which PostgreSQL runs once: a subquery may run again for each row and lock further ones.
        chosen = due.with_for_update(skip_locked=True).cte("chosen")
        statement = (
            update(self.table)
            .where(tuple_(*self.key).in_(select(chosen)))
            .values(due_at=now + term, attempts=columns.attempts + 1)
            .returning(*self._columns())
        )
        with self._database.write(durable=False) as connection:
            leased = [self._read(row) for row in connection.execute(statement)]
        return sorted(leased, key=lambda delivery: (delivery.created_at, self._key_of(delivery)))

    def _list(self, limit: int, dead_only: bool, *conditions: ColumnElement[bool]) -> list[Delivery]:
        """Read deliveries, oldest first."""
        query = select(*self._columns()).where(*conditions, *([self._is_dead] if dead_only else []))
        query = query.order_by(self.table.c.created_at, *self.order).limit(limit)
        with self._database.read() as connection:
            return [self._read(row) for row in connection.execute(query)]

    def _count(self, *conditions: ColumnElement[bool]) -> int:
        query = select(func.count()).select_from(self.table).where(*conditions)
        with self._database.read() as connection:
            return connection.execute(query).scalar_one()

    def _update(self, connection: Connection, delivery: Delivery, values: Mapping[str, object]) -> bool:
        """Change the row of a delivery; return whether it exists and is leased by the caller, and no dead letter."""
        this = and_(*(column == value for column, value in zip(self.key, self._key_of(delivery), strict=True)))
        # Each lease has a number of its own: a worker that was too slow must not end the lease of the next one.
        this = and_(this, self.table.c.attempts == delivery.attempts, self.table.c.due_at.is_not(None))
        return connection.execute(update(self.table).where(this).values(dict(values))).rowcount > 0

    @property
    @abstractmethod
    def _is_dead(self) -> ColumnElement[bool]:
        """Whether a row is a dead letter."""

    @abstractmethod
    def _columns(self) -> Sequence[ColumnElement[Any]]:
        """The columns that `_read` reads."""

    @abstractmethod
    def _read(self, row: Row[Any]) -> Delivery: ...

    @abstractmethod
    def _key_of(self, delivery: Delivery) -> tuple[str, str]: ...

    @abstractmethod
    def _dead_values(self) -> Mapping[str, object]:
        """The values that make a row a dead letter."""

    def _requeued_values(self) -> Mapping[str, object]:
        """The values, besides `due_at` and `attempts`, of a row that is retried from now on."""
        return {}

    def _requeued_by(self, subject: str) -> ColumnElement[bool]:
        """The rows that an operator requeues by their subject: pending ones and dead letters."""
        return self.subject == subject

    def _on_completed(self, connection: Connection, deliveries: Sequence[Delivery]) -> None:
        """Write what belongs to the end of deliveries, in its transaction."""

    def _on_dead(self, connection: Connection, delivery: Delivery, reason: str) -> None:
        """Write what belongs to a new dead letter, in its transaction."""


def _storable(reason: str) -> str:
    return storable(reason, MAX_REASON_LENGTH)


def describe(error: Exception) -> str:
    """Return a failure as one line, for the log and the operator."""
    return _storable(str(error) if isinstance(error, ServiceError) else f"{type(error).__name__}: {error}")
