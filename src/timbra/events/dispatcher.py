"""Moves the cursors of the consumers of the event log, each with the work that follows from the events it passes.

The work is inserted in the transaction that moves the cursor, so that a crash neither loses nor repeats an event. On
PostgreSQL a transaction may commit an event after higher numbers were read. The numbers that are missing below the
cursor are stored with it, and looked up until every transaction that may have one of them has ended.

An event that fails alone is a dead letter of its consumer: a row of `outbox`, of the kind `event.` with the name of the
consumer, which an operator requeues or drops.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import astuple, dataclass, replace
from datetime import timedelta
from functools import partial
from itertools import pairwise

import orjson
import structlog
from sqlalchemy import ColumnElement, Connection, and_, cast, delete, false, func, insert, or_, select, update
from sqlalchemy.exc import DataError, DBAPIError, IntegrityError

from timbra.core.clock import Clock
from timbra.core.errors import ServiceError
from timbra.database.batches import is_transient, parts_of
from timbra.database.damaged_values import DamagedJson
from timbra.database.database import Database
from timbra.database.tables.column_types import to_microseconds
from timbra.database.tables.stamps import EVENT, EVENT_CONSUMER, OUTBOX
from timbra.events.consumers import Consumer, Write
from timbra.events.event_log import NUMBERED, Event, event_of
from timbra.events.outbox import describe

LOG = structlog.get_logger(__name__)
KIND = "event."
AT_ONCE = 128
"""Events of one transaction: it holds SQLite's write lock for few milliseconds."""
INSERTED_AT_ONCE = 512
"""The same of a consumer that inserts its work by one statement."""
MAX_RUN = 20_000
"""Events of one run for each consumer."""
SHORTEST_WAIT = timedelta(minutes=1)
"""How long a missing number is looked up at least: a statement takes its number shortly before it is seen to write."""
GAPS_AT_ONCE = 64
E, C = EVENT.c, EVENT_CONSUMER.c
_TRANSACTIONS = (
    "SELECT pg_snapshot_xmin(now)::text::bigint, pg_snapshot_xmax(now)::text::bigint FROM pg_current_snapshot() AS now"
)
_NEWEST = select(func.max(E.id))


@dataclass(frozen=True, slots=True)
class Gap:
    """Missing numbers.

    Attributes:
        first, last: The numbers.
        seen_at: When they were missed, in microseconds of wall time.
        horizon: Transactions from this one on began later.
    """

    first: int
    last: int
    seen_at: int
    horizon: int


@dataclass(frozen=True, slots=True)
class _Cursor:
    position: int
    gaps: tuple[Gap, ...]
    turn: int


class EventDispatcher:
    """Follows the event log for consumers. Several processes may do so at once: one of them moves a cursor.

    Args:
        database: The database.
        consumers: The consumers.
        wall: Wall time.
    """

    def __init__(self, database: Database, consumers: Sequence[Consumer], wall: Clock) -> None:
        self._database = database
        self._consumers = consumers
        self._wall = wall

    def run(self) -> int:
        """Read what is new for each consumer; return how many events became work.

        One query while nothing is new. A consumer that fails does not stop the others, and begins again at its cursor.
        """
        with self._database.read() as connection:
            newest = connection.execute(_NEWEST).scalar() or 0
            cursors = dict(_cursors(connection))
            requeued = self._requeued(connection)
        done, failures = 0, []
        for consumer in self._consumers:
            cursor = cursors.get(consumer.name)
            try:
                if cursor is None:
                    self._begin(consumer, newest)
                elif cursor.position < newest or cursor.gaps:
                    done += self._follow(consumer, cursor)
                done += sum(self._repeat(consumer, number) for kind, number in requeued if kind == _kind(consumer))
            except Exception as error:
                failures.append(error)
        if failures:
            raise _joined(failures)
        return done

    def _begin(self, consumer: Consumer, newest: int) -> None:
        row = self._database.insert(EVENT_CONSUMER).values(name=consumer.name, position=newest, gaps="[]", turn=0)
        with self._database.write() as connection:
            connection.execute(row.on_conflict_do_nothing())

    def _follow(self, consumer: Consumer, stored: _Cursor) -> int:
        """Read until the end of the log; the cursor is stored with work, and at the end.

        After a failure events are read one by one, and then twice as many each time.
        """
        most = AT_ONCE if consumer.insert is None else INSERTED_AT_ONCE
        cursor, done, goes_on, limit = stored, 0, True, most
        end = stored.position + MAX_RUN
        while goes_on:
            with self._database.read() as connection:
                numbers, reached, goes_on = self._next(connection, cursor, limit)
            goes_on = goes_on and reached.position < end
            work, count = None, 0
            try:
                work, count = self._read(consumer, numbers)
                is_due = work is not None or (not goes_on and reached != stored)
                has_moved = not is_due or self._move(consumer, reached, work)
            except Exception as error:
                if _concerns_all(error):
                    raise
                if len(numbers) > 1:
                    limit, goes_on = 1, True
                    continue
                is_due, count = True, 0
                has_moved = self._move(consumer, reached, partial(self._set_apart, consumer, numbers[0], error))
            if not has_moved:
                break
            cursor, limit = reached, min(limit * 2, most)
            if is_due:
                cursor = stored = replace(reached, turn=reached.turn + 1)
                done += count
        return done

    def _read(self, consumer: Consumer, numbers: Sequence[int]) -> tuple[Write | None, int]:
        """Return the work that follows from events of some numbers, and of how many at most."""
        if consumer.insert is not None:
            insert_all = consumer.insert
            return (lambda connection: insert_all(connection, numbers)) if numbers else None, len(numbers)
        with self._database.read() as connection:
            events = _events(connection, consumer, numbers)
            work = consumer.fan_out(connection, events) if events else None
        return work, 0 if work is None else len(events)

    def _set_apart(self, consumer: Consumer, number: int, error: Exception, connection: Connection) -> None:
        """Make an event a dead letter."""
        now, kind, reason = self._wall.now(), _kind(consumer), describe(error)
        LOG.error("event is a dead letter", kind=kind, subject=str(number), reason=reason)
        values = {"kind": kind, "subject": str(number), "created_at": now, "due_at": now, "attempts": 0}
        connection.execute(insert(OUTBOX).values(**values, dead=True, reason=reason))

    def _requeued(self, connection: Connection) -> Sequence[tuple[str, int]]:
        """Return the events that an operator requeued, by the kind of their row."""
        kinds = [_kind(consumer) for consumer in self._consumers]
        rows = select(OUTBOX.c.kind, OUTBOX.c.subject).where(OUTBOX.c.kind.in_(kinds), ~OUTBOX.c.dead)
        return [(kind, int(number)) for kind, number in connection.execute(rows)]

    def _repeat(self, consumer: Consumer, number: int) -> int:
        """Read a requeued event again; return whether it became work."""
        row = and_(OUTBOX.c.kind == _kind(consumer), OUTBOX.c.subject == str(number), ~OUTBOX.c.dead)
        try:
            work, count = self._read(consumer, [number])
            with self._database.write() as connection:
                if connection.execute(delete(OUTBOX).where(row)).rowcount and work is not None:
                    work(connection)
        except Exception as error:
            if _concerns_all(error):
                raise
            with self._database.write() as connection:
                if connection.execute(delete(OUTBOX).where(row)).rowcount:
                    self._set_apart(consumer, number, error, connection)
            return 0
        return count

    def _move(self, consumer: Consumer, cursor: _Cursor, work: Write | None) -> bool:
        """Store the cursor and its work; return False when another process moved the cursor meanwhile."""
        gaps = orjson.dumps([astuple(gap) for gap in cursor.gaps]).decode()
        mine = and_(C.name == consumer.name, C.turn == cursor.turn)
        values = {"position": cursor.position, "gaps": gaps, "turn": cursor.turn + 1}
        with self._database.write(durable=consumer.insert is None) as connection:
            if not connection.execute(update(EVENT_CONSUMER).where(mine).values(values)).rowcount:
                return False
            if work is not None:
                work(connection)
        return True

    def _next(self, connection: Connection, cursor: _Cursor, limit: int) -> tuple[Sequence[int], _Cursor, bool]:
        """Read the next numbers, those of gaps that are committed now first.

        Returns:
            At most so many numbers, the cursor after them, and whether others may follow.
        """
        has_gaps = self._database.dialect == "postgresql"
        # In this order: what a transaction before the oldest running one committed is found by the look-up after it.
        oldest, _ = _transactions(connection) if has_gaps else (0, 0)
        late = sorted(_present(connection, cursor.gaps))
        late, others = late[:limit], late[limit:]
        query = select(E.id).where(E.id > cursor.position).order_by(E.id).limit(limit - len(late))
        numbers = connection.execute(query).scalars().all() if len(late) < limit else ()
        position = numbers[-1] if numbers else cursor.position
        # After the look-up: a number that is missing belongs to a transaction before the next one.
        _, following = _transactions(connection) if has_gaps else (0, 0)
        gaps: list[Gap] = []
        if has_gaps:
            now = to_microseconds(self._wall.now())
            bound = now - SHORTEST_WAIT // timedelta(microseconds=1)
            missing = _without(cursor.gaps, late)
            # A later transaction than the next one is of another cluster, from which the database was restored.
            gaps += (gap for gap in missing if others or gap.seen_at > bound or oldest < gap.horizon <= following)
            neighbours = pairwise((cursor.position, *numbers))
            gaps += (Gap(before + 1, after - 1, now, following) for before, after in neighbours if after > before + 1)
        found = [*late, *numbers]
        return found, _Cursor(position, tuple(gaps), cursor.turn), len(found) == limit


def unread(connection: Connection, consumer: Consumer) -> ColumnElement[bool]:
    """Return the condition of the events that a consumer reads and has not read.

    What it has written is to be read after them: an event may become work meanwhile. Of a damaged cursor no event is
    known to be read.
    """
    try:
        cursors = dict(_cursors(connection, C.name == consumer.name))
    except (ValueError, TypeError):
        return _is_read(consumer)
    ranges = [
        found
        for cursor in cursors.values()
        for found in (E.id > cursor.position, *(E.id.between(gap.first, gap.last) for gap in cursor.gaps))
    ]
    return and_(or_(false(), *ranges), _is_read(consumer))


def set_apart(*consumers: Consumer) -> ColumnElement[bool]:
    """Return the condition of the events that are dead letters of consumers, or that an operator requeued."""
    numbers = select(cast(OUTBOX.c.subject, E.id.type)).where(OUTBOX.c.kind.in_([_kind(each) for each in consumers]))
    return E.id.in_(numbers)


def _is_read(consumer: Consumer) -> ColumnElement[bool]:
    """Return the condition of the events that a consumer reads."""
    return and_(E.format >= consumer.since, consumer.condition) if consumer.since else consumer.condition


def first_unread(connection: Connection, consumer: Consumer) -> int:
    """Return a number behind which all events are that a consumer has not read."""
    cursors = dict(_cursors(connection, C.name == consumer.name))
    found = (number for each in cursors.values() for number in (each.position, *(gap.first - 1 for gap in each.gaps)))
    return min(found, default=0)


def rewind(connection: Connection) -> None:
    """Move the cursors to the newest event, after the newest ones were deleted: SQLite gives their numbers again.

    What another process has read and not yet stored is discarded.
    """
    newest = connection.execute(_NEWEST).scalar() or 0
    connection.execute(update(EVENT_CONSUMER).values(turn=C.turn + 1))
    if connection.dialect.name == "sqlite":
        connection.execute(update(EVENT_CONSUMER).where(C.position > newest).values(position=newest))
        number = cast(OUTBOX.c.subject, E.id.type)
        connection.execute(delete(OUTBOX).where(OUTBOX.c.kind.startswith(KIND), number > newest))


def _cursors(connection: Connection, *conditions: ColumnElement[bool]) -> Iterator[tuple[str, _Cursor]]:
    for row in connection.execute(select(EVENT_CONSUMER).where(*conditions)):
        yield row.name, _Cursor(row.position, tuple(Gap(*values) for values in orjson.loads(row.gaps)), row.turn)


def _transactions(connection: Connection) -> tuple[int, int]:
    """Return the oldest transaction that runs, and the next one."""
    oldest, following = connection.exec_driver_sql(_TRANSACTIONS).one()
    return oldest, following


def _present(connection: Connection, gaps: Sequence[Gap]) -> Iterator[int]:
    """Yield the numbers of gaps that are in the log."""
    for part in parts_of(gaps, GAPS_AT_ONCE):
        query = select(E.id).where(or_(*(E.id.between(gap.first, gap.last) for gap in part)))
        yield from connection.execute(query).scalars()


def _events(connection: Connection, consumer: Consumer, numbers: Sequence[int]) -> Sequence[Event]:
    """Return the events of numbers that a consumer reads, in their order."""
    known = frozenset(numbers)
    query = NUMBERED.where(_is_read(consumer)).order_by(E.id)
    rows = [row for ends in _ranges(sorted(known)) for row in connection.execute(query.where(E.id.between(*ends)))]
    # One that was committed since then is in a gap.
    events = [event_of(row) for row in rows if row.id in known]
    if any(isinstance(event.body, DamagedJson) for event in events):
        raise ValueError("the body of an event is damaged")
    return events


def _ranges(numbers: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield the first and last one of numbers that lie close together."""
    first = 0
    for index, number in enumerate(numbers):
        if index + 1 == len(numbers) or numbers[index + 1] - number > AT_ONCE:
            yield numbers[first], number
            first = index + 1


def _kind(consumer: Consumer) -> str:
    return KIND + consumer.name


def _concerns_all(error: Exception) -> bool:
    """Whether other events would fail as well: the database does not answer, or does not know a statement."""
    if isinstance(error, DBAPIError | sqlite3.Error):
        return not isinstance(error, IntegrityError | DataError)
    return is_transient(error) or (isinstance(error, ServiceError) and error.code == "CO1000")


def _without(gaps: Iterable[Gap], numbers: Collection[int]) -> Iterator[Gap]:
    """Yield what remains of gaps without some numbers."""
    for gap in gaps:
        inside = sorted(number for number in numbers if gap.first <= number <= gap.last)
        for before, after in pairwise((gap.first - 1, *inside, gap.last + 1)):
            if after > before + 1:
                yield replace(gap, first=before + 1, last=after - 1)


def _joined(failures: list[Exception]) -> Exception:
    """Return what to raise: one of them while the database is away, for all consumers fail then."""
    codes = {error.code if isinstance(error, ServiceError) else None for error in failures}
    if len(failures) == 1 or codes == {"CO1000"}:
        return failures[0]
    return ExceptionGroup("consumers of events failed", failures)
