"""Moves the cursors of the consumers of the event log, each with the work that follows from the events it passes.

The work is inserted in the transaction that moves the cursor, so that a crash neither loses nor repeats an event. On
PostgreSQL a transaction may commit an event after higher numbers were read. The numbers that are missing below the
cursor are stored with it, and looked up until every transaction that may have one of them has ended.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import astuple, dataclass, replace
from datetime import timedelta
from itertools import pairwise

import orjson
from sqlalchemy import ColumnElement, Connection, and_, func, or_, select, update

from timbra.core.clock import Clock
from timbra.database.batches import parts_of
from timbra.database.database import Database
from timbra.database.tables.column_types import to_microseconds
from timbra.database.tables.stamps import EVENT, EVENT_CONSUMER
from timbra.events.consumers import Consumer, Write
from timbra.events.event_log import NUMBERED, Event

AT_ONCE = 128
"""Events of one transaction: it holds SQLite's write lock for few milliseconds."""
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
        done, failures = 0, []
        for consumer in self._consumers:
            cursor = cursors.get(consumer.name)
            if cursor is None:
                self._begin(consumer, newest)
            elif cursor.position < newest or cursor.gaps:
                try:
                    done += self._follow(consumer, cursor)
                except Exception as error:
                    failures.append(error)
        if failures:
            raise failures[0] if len(failures) == 1 else ExceptionGroup("consumers of events failed", failures)
        return done

    def _begin(self, consumer: Consumer, newest: int) -> None:
        row = self._database.insert(EVENT_CONSUMER).values(name=consumer.name, position=newest, gaps="[]", turn=0)
        with self._database.write() as connection:
            connection.execute(row.on_conflict_do_nothing())

    def _follow(self, consumer: Consumer, stored: _Cursor) -> int:
        """Read until the end of the log; the cursor is stored with work, and at the end."""
        cursor, done, goes_on = stored, 0, True
        end = stored.position + MAX_RUN
        while goes_on:
            with self._database.read() as connection:
                events, reached, goes_on = self._next(connection, consumer, cursor)
                work = consumer.fan_out(connection, events) if events else None
            cursor, goes_on = reached, goes_on and reached.position < end
            if work is not None or (not goes_on and cursor != stored):
                if not self._move(consumer, cursor, work):
                    return done
                cursor = stored = replace(cursor, turn=cursor.turn + 1)
                done += len(events) if work is not None else 0
        return done

    def _move(self, consumer: Consumer, cursor: _Cursor, work: Write | None) -> bool:
        """Store the cursor and its work; return False when another process moved the cursor meanwhile."""
        gaps = orjson.dumps([astuple(gap) for gap in cursor.gaps]).decode()
        mine = and_(C.name == consumer.name, C.turn == cursor.turn)
        values = {"position": cursor.position, "gaps": gaps, "turn": cursor.turn + 1}
        with self._database.write() as connection:
            if not connection.execute(update(EVENT_CONSUMER).where(mine).values(values)).rowcount:
                return False
            if work is not None:
                work(connection)
        return True

    def _next(
        self, connection: Connection, consumer: Consumer, cursor: _Cursor
    ) -> tuple[Sequence[Event], _Cursor, bool]:
        """Read the next events, and those of gaps that are committed now.

        Returns:
            The events that the consumer reads, the cursor after them, and whether others may follow.
        """
        has_gaps = self._database.dialect == "postgresql"
        # In this order: what a transaction before the oldest running one committed is found by the look-up after it.
        oldest, _ = _transactions(connection) if has_gaps else (0, 0)
        late = list(_present(connection, cursor.gaps))
        query = select(E.id).where(E.id > cursor.position).order_by(E.id).limit(AT_ONCE)
        numbers = connection.execute(query).scalars().all()
        position = numbers[-1] if numbers else cursor.position
        events = _events(connection, consumer, late, {*late, *numbers}, cursor.position, position)
        # After the look-up: a number that is missing belongs to a transaction before the next one.
        _, following = _transactions(connection) if has_gaps else (0, 0)
        gaps: list[Gap] = []
        if has_gaps:
            now = to_microseconds(self._wall.now())
            bound = now - SHORTEST_WAIT // timedelta(microseconds=1)
            missing = _without(cursor.gaps, late)
            # A later transaction than the next one is of another cluster, from which the database was restored.
            gaps += (gap for gap in missing if gap.seen_at > bound or oldest < gap.horizon <= following)
            neighbours = pairwise((cursor.position, *numbers))
            gaps += (Gap(before + 1, after - 1, now, following) for before, after in neighbours if after > before + 1)
        return events, _Cursor(position, tuple(gaps), cursor.turn), len(numbers) == AT_ONCE


def rewind(connection: Connection) -> None:
    """Move the cursors to the newest event, after the newest ones were deleted: SQLite gives their numbers again.

    What another process has read and not yet stored is discarded.
    """
    newest = connection.execute(_NEWEST).scalar() or 0
    connection.execute(update(EVENT_CONSUMER).values(turn=C.turn + 1))
    if connection.dialect.name == "sqlite":
        connection.execute(update(EVENT_CONSUMER).where(C.position > newest).values(position=newest))


def _cursors(connection: Connection) -> Iterator[tuple[str, _Cursor]]:
    for row in connection.execute(select(EVENT_CONSUMER)):
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


def _events(
    connection: Connection, consumer: Consumer, late: Collection[int], known: Collection[int], after: int, until: int
) -> Sequence[Event]:
    """Return the events of known numbers that a consumer reads; one that was committed since then is in a gap."""
    ranges: list[ColumnElement[bool]] = [E.id.in_(part) for part in parts_of(sorted(late), AT_ONCE)]
    if until > after:
        ranges.append(and_(E.id > after, E.id <= until))
    rows = [
        row
        for each in ranges
        for row in connection.execute(NUMBERED.where(each, E.format >= consumer.since, consumer.condition))
        if row.id in known
    ]
    return [Event(*row[1:]) for row in sorted(rows, key=lambda row: row.id)]


def _without(gaps: Iterable[Gap], numbers: Collection[int]) -> Iterator[Gap]:
    """Yield what remains of gaps without some numbers."""
    for gap in gaps:
        inside = sorted(number for number in numbers if gap.first <= number <= gap.last)
        for before, after in pairwise((gap.first - 1, *inside, gap.last + 1)):
            if after > before + 1:
                yield replace(gap, first=before + 1, last=after - 1)
