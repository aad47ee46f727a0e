"""Consumers of the event log: each event becomes work once, whatever the order of commits, and whatever fails."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from datetime import timedelta
from functools import partial

import pytest
from sqlalchemy import Connection, Dialect, String, TypeDecorator, delete, insert, literal, select, true, update
from sqlalchemy.exc import OperationalError, ProgrammingError, StatementError
from tests.support.store_records import NOON, MovableClock

from timbra.core.errors import ServiceError
from timbra.database.database import Database, open_database
from timbra.database.tables.core import LEASE
from timbra.database.tables.stamps import EVENT, EVENT_CONSUMER
from timbra.delivery.deliveries import AuthorityOutbox
from timbra.events.consumers import Consumer, Write, read_by
from timbra.events.dispatcher import EventDispatcher, rewind
from timbra.events.event_log import Event, append_event, append_events

WORK = LEASE
"""Any table with a key: a second row for the same event fails."""


def event(subject: str, kind: str = "noted") -> Event:
    return Event(NOON, NOON, 1, kind, subject, "", {})


def consumer(name: str = "a", *, kind: str | None = None) -> Consumer:
    """Return a consumer that inserts one row for each event."""
    condition = true() if kind is None else EVENT.c.kind == kind
    return Consumer(name, 1, condition, partial(fan_out, name))


def fan_out(name: str, _connection: Connection, events: Sequence[Event]) -> Write:
    rows = [{"name": f"{name}:{event.subject}", "holder": name, "until": event.at} for event in events]

    def write(connection: Connection) -> None:
        connection.execute(insert(WORK), rows)

    return write


@pytest.fixture
def clock() -> MovableClock:
    return MovableClock()


@pytest.fixture
def dispatch(database: Database, clock: MovableClock) -> Callable[..., int]:
    def run(*consumers: Consumer) -> int:
        return EventDispatcher(database, consumers or [consumer()], clock).run()

    # Its first run begins at the end of the log.
    run()
    return run


def append(database: Database, *subjects: str) -> None:
    with database.write() as connection:
        append_events(connection, [event(subject) for subject in subjects])


def work(database: Database, name: str = "a") -> list[str]:
    with database.read() as connection:
        names = connection.execute(select(WORK.c.name).where(WORK.c.holder == name)).scalars()
        return sorted(found.partition(":")[2] for found in names)


def stored(database: Database, name: str = "a") -> tuple[int, str]:
    with database.read() as connection:
        row = connection.execute(select(EVENT_CONSUMER).where(EVENT_CONSUMER.c.name == name)).one()
    return row.position, row.gaps


def test_each_event_becomes_work_once(database: Database, dispatch: Callable[..., int]) -> None:
    append(database, *(f"{number:03}" for number in range(300)))
    assert dispatch() == 300
    append(database, "300")
    assert dispatch() == 1
    assert dispatch() == 0
    assert work(database) == [f"{number:03}" for number in range(301)]


def test_consumers_have_cursors_of_their_own(database: Database, dispatch: Callable[..., int]) -> None:
    append(database, "1")
    assert dispatch() == 1
    dispatch(consumer("b"))
    append(database, "2")
    assert dispatch(consumer("a"), consumer("b")) == 2
    assert (work(database), work(database, "b")) == (["1", "2"], ["2"])


def test_events_of_other_kinds_and_of_earlier_programs_are_passed(
    database: Database, dispatch: Callable[..., int]
) -> None:
    with database.write() as connection:
        append_event(connection, event("1", "other"))
        old = {"at": NOON, "fiscal_at": NOON, "kind": "noted", "subject": "2", "request_id": "", "body": {}}
        number = connection.execute(insert(EVENT).values(old).returning(EVENT.c.id)).scalar_one()
    assert dispatch(consumer(kind="noted")) == 0
    assert stored(database)[0] == number


def test_failure_moves_no_cursor_and_stops_no_other_consumer(database: Database, dispatch: Callable[..., int]) -> None:
    def fail(_connection: Connection) -> None:
        raise ServiceError("CO1000")

    dispatch(consumer("b"))
    append(database, "1")
    failing = Consumer("a", 1, true(), lambda _connection, _events: fail)
    with pytest.raises(ServiceError, match="CO1000"):
        dispatch(failing, consumer("b"))
    assert (work(database), work(database, "b")) == ([], ["1"])
    assert dispatch() == 1
    assert work(database) == ["1"]


def test_failure_of_all_consumers_for_one_reason_is_told_once(database: Database, dispatch: Callable[..., int]) -> None:
    def fail(_connection: Connection) -> None:
        raise ServiceError("CO1000")

    failing = [Consumer(name, 1, true(), lambda _connection, _events: fail) for name in "ab"]
    dispatch(*failing)
    append(database, "1")
    with pytest.raises(ServiceError, match="CO1000"):
        dispatch(*failing)


def test_failures_of_consumers_for_other_reasons_are_all_told(database: Database, dispatch: Callable[..., int]) -> None:
    def away(_connection: Connection, _events: Sequence[Event]) -> Write:
        raise ServiceError("CO1000")

    def fail(connection: Connection, _events: Sequence[Event]) -> Write:
        connection.exec_driver_sql("SELECT column_of_a_later_program FROM event")
        raise AssertionError

    failing = Consumer("a", 1, true(), away), Consumer("b", 1, true(), fail)
    dispatch(*failing)
    append(database, "1")
    with pytest.raises(ExceptionGroup) as caught:
        dispatch(*failing)
    first, second = caught.value.exceptions
    assert isinstance(first, ServiceError)
    assert isinstance(second, (OperationalError, ProgrammingError))


def test_two_dispatchers_do_the_work_once(database: Database, dispatch: Callable[..., int]) -> None:
    def slow(connection: Connection, events: Sequence[Event]) -> Write:
        assert dispatch() == 1
        return fan_out("a", connection, events)

    append(database, "1")
    assert dispatch(Consumer("a", 1, true(), slow)) == 0
    assert work(database) == ["1"]


def damage(database: Database, subject: str) -> str:
    """Make the content of an event unreadable, as a defect of the disk may; return its number."""
    with database.write() as connection:
        found = connection.execute(
            update(EVENT).where(EVENT.c.subject == subject).values(body=[1]).returning(EVENT.c.id)
        ).scalar_one()
        if database.dialect == "sqlite":
            connection.exec_driver_sql("UPDATE event SET body = '{' WHERE id = ?", (found,))
    return str(found)


def mapping_only(name: str, connection: Connection, events: Sequence[Event]) -> Write:
    for each in events:
        if not isinstance(each.body, dict):
            raise TypeError(f"content of {each.subject}")
    return fan_out(name, connection, events)


def test_unreadable_event_is_a_dead_letter_and_the_others_become_work(
    database: Database, dispatch: Callable[..., int]
) -> None:
    subjects = [f"{number:03}" for number in range(200)]
    append(database, *subjects)
    numbers = [damage(database, "070"), damage(database, "150")]
    readers = [Consumer("a", 1, true(), partial(mapping_only, "a"))]
    assert dispatch(*readers) == 198
    assert work(database) == [subject for subject in subjects if subject not in ("070", "150")]
    outbox = AuthorityOutbox(database, MovableClock())
    dead = outbox.list_pending(10, dead_only=True)
    assert sorted((row.kind, row.subject) for row in dead) == sorted(("event.a", number) for number in numbers)
    assert all(row.reason for row in dead)
    assert outbox.backlog().dead == {"event.a": 2}
    assert outbox.backlog().waiting == 0
    append(database, "200")
    assert dispatch(*readers) == 1


def test_requeued_event_is_read_again(database: Database, dispatch: Callable[..., int]) -> None:
    append(database, "1")
    number = damage(database, "1")
    reader = Consumer("a", 1, true(), partial(mapping_only, "a"))
    assert dispatch(reader) == 0
    outbox = AuthorityOutbox(database, MovableClock())
    assert outbox.requeue(number) == 1
    assert dispatch(reader) == 0
    assert outbox.backlog().dead == {"event.a": 1}
    with database.write() as connection:
        connection.execute(update(EVENT).values(body={}))
    outbox.requeue()
    assert dispatch(reader) == 1
    assert work(database) == ["1"]
    assert outbox.size() == 0
    assert dispatch(reader) == 0


def test_event_whose_work_the_database_rejects_is_a_dead_letter(
    database: Database, dispatch: Callable[..., int]
) -> None:
    append(database, "1", "2", "2", "3")
    assert dispatch() == 3
    assert work(database) == ["1", "2", "3"]
    [dead] = AuthorityOutbox(database, MovableClock()).list_pending(10, dead_only=True)
    assert dead.kind == "event.a"
    assert "IntegrityError" in (dead.reason or "")


def test_failure_of_every_event_makes_no_dead_letter(database: Database, dispatch: Callable[..., int]) -> None:
    def fail(connection: Connection, _events: Sequence[Event]) -> Write:
        connection.exec_driver_sql("SELECT column_of_a_later_program FROM event")
        raise AssertionError

    append(database, "1", "2")
    with pytest.raises((OperationalError, ProgrammingError)):
        dispatch(Consumer("a", 1, true(), fail))
    assert AuthorityOutbox(database, MovableClock()).size() == 0
    assert dispatch() == 2


class Exhausted(TypeDecorator[str]):
    """A type for whose values there is no memory."""

    impl = String
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str:
        raise MemoryError


def test_exhausted_memory_of_a_statement_makes_no_dead_letter(database: Database, dispatch: Callable[..., int]) -> None:
    def fail(connection: Connection, _events: Sequence[Event]) -> Write:
        connection.execute(select(literal("", Exhausted())))
        raise AssertionError

    append(database, "1")
    with pytest.raises(StatementError, match="MemoryError"):
        dispatch(Consumer("a", 1, true(), fail))
    assert AuthorityOutbox(database, MovableClock()).size() == 0
    assert dispatch() == 1


@pytest.fixture
def other(address: str, database: Database) -> Iterator[Database]:
    """Another node on the same database; SQLite has one."""
    if database.dialect == "sqlite":
        pytest.skip("SQLite commits in the order of the numbers")
    with closing(open_database(address)) as opened:
        yield opened


def test_event_that_is_committed_after_a_later_one_becomes_work(
    database: Database, other: Database, dispatch: Callable[..., int], clock: MovableClock
) -> None:
    with other.write() as late:
        append_events(late, [event("1"), event("2")])
        with other.write() as rolled_back:
            append_event(rolled_back, event("3"))
            rolled_back.rollback()
        append(database, "4")
        assert dispatch() == 1
        # However long the transaction takes.
        clock.advance(hours=1)
        append(database, "5")
        assert dispatch() == 1
    assert work(database) == ["4", "5"]
    assert dispatch() == 2
    assert work(database) == ["1", "2", "4", "5"]
    clock.advance(minutes=2)
    dispatch()
    assert stored(database)[1] == "[]"
    assert dispatch() == 0


def test_number_without_a_commit_is_looked_up_for_a_minute(
    database: Database, other: Database, dispatch: Callable[..., int], clock: MovableClock
) -> None:
    with other.write() as connection:
        append_event(connection, event("1"))
        connection.rollback()
    append(database, "2")
    dispatch()
    clock.instant += timedelta(seconds=59)
    dispatch()
    position, gaps = stored(database)
    assert gaps.startswith(f"[[{position - 1},{position - 1},")
    clock.instant += timedelta(seconds=2)
    dispatch()
    assert stored(database) == (position, "[]")


def test_late_events_are_read_one_by_one_after_a_failure(
    database: Database, other: Database, dispatch: Callable[..., int], clock: MovableClock
) -> None:
    reader = Consumer("a", 1, true(), partial(mapping_only, "a"))
    with other.write() as late:
        append_events(late, [event(subject) for subject in ("1", "2", "3")])
        append(database, "4")
        assert dispatch(reader) == 1
    damage(database, "2")
    clock.advance(minutes=2)
    append(database, "5")
    assert dispatch(reader) == 3
    assert work(database) == ["1", "3", "4", "5"]
    assert AuthorityOutbox(database, clock).dead_count() == 1


def test_rewind_lets_numbers_return(database: Database, dispatch: Callable[..., int]) -> None:
    append(database, "1", "2")
    dispatch()
    with database.write() as connection:
        connection.execute(delete(EVENT).where(EVENT.c.subject == "2"))
        rewind(connection)
    append(database, "3")
    assert dispatch() == 1
    assert work(database) == ["1", "2", "3"]


def test_read_by_asks_each_consumer() -> None:
    reads = Consumer("a", 1, true(), lambda *_: None, reads=lambda kind, account: (kind, account) == ("rejected", 7))
    is_read = read_by(lambda: [consumer("b"), reads])
    assert is_read("rejected", 7)
    assert not is_read("rejected", 8)
    assert not is_read("delivered", 7)
