"""Deliveries under lease."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import Connection, event
from tests.support.events import write_deliveries
from tests.support.store_records import NOON, MovableClock, claim

from timbra.database.database import Database, open_database
from timbra.delivery.deliveries import AuthorityOutbox, OutboxDelivery
from timbra.delivery.receptions import DeliveryState, ReceptionRepository
from timbra.events.event_log import Event, append_event
from timbra.stamps.repository import DatabaseStamps

MAX_REASON_LENGTH = 500

MINUTE = timedelta(minutes=1)
SECOND = timedelta(seconds=1)


@pytest.fixture
def clock() -> MovableClock:
    return MovableClock()


@pytest.fixture
def subjects(database: Database, clock: MovableClock) -> list[str]:
    """Store five undelivered stamps and return their folios, oldest first."""
    stamps = DatabaseStamps(database, clock, clock)
    claims = [claim(number) for number in range(5)]
    for one in claims:
        stamps.claim([one])
        clock.advance(seconds=1)
    stamps.close()
    return [one.record.uuid for one in claims]


@pytest.fixture
def outbox(database: Database, clock: MovableClock) -> AuthorityOutbox:
    return AuthorityOutbox(database, clock)


@pytest.fixture
def elsewhere(address: str, database: Database, clock: MovableClock) -> Iterator[AuthorityOutbox]:
    opened = open_database(address)
    yield AuthorityOutbox(opened, clock)
    opened.close()


def subjects_of(deliveries: list[OutboxDelivery]) -> list[str]:
    return [delivery.subject for delivery in deliveries]


def test_lease_returns_the_oldest_deliveries_to_one_worker(
    outbox: AuthorityOutbox, elsewhere: AuthorityOutbox, subjects: list[str]
) -> None:
    assert subjects_of(outbox.lease(2)) == subjects[:2]
    assert subjects_of(elsewhere.lease(10)) == subjects[2:]
    assert outbox.lease(10) == []
    assert outbox.size() == 5


@pytest.mark.parametrize("address", ["sqlite"], indirect=True)
def test_deliveries_that_a_power_failure_undid_are_written_again(
    address: str, database: Database, outbox: AuthorityOutbox, subjects: list[str], clock: MovableClock, tmp_path: Path
) -> None:
    """The log is cut where the last commit that waited for the disk has ended."""
    file, copy = Path(address.removeprefix("sqlite:///")), tmp_path / "copy"
    log = file.with_name(f"{file.name}-wal")
    synced = log.stat().st_size
    assert subjects_of(outbox.lease(5)) == subjects
    assert log.stat().st_size > synced
    shutil.copy(file, copy)
    copy.with_name("copy-wal").write_bytes(log.read_bytes()[:synced])
    with closing(open_database(f"sqlite:///{copy}", database.environment)) as restored:
        again = AuthorityOutbox(restored, clock)
        assert again.size() == 5
        assert subjects_of(again.lease(5)) == subjects


def test_lease_takes_no_more_than_its_limit_by_any_plan(
    database: Database, outbox: AuthorityOutbox, subjects: list[str]
) -> None:
    if database.dialect == "postgresql":

        def join_by_loops(connection: Connection) -> None:
            for method in ("hashjoin", "mergejoin", "hashagg", "sort", "material"):
                connection.exec_driver_sql(f"SET LOCAL enable_{method} = off")

        event.listen(database.engine, "begin", join_by_loops)
    assert subjects_of(outbox.lease(1)) == subjects[:1]
    assert subjects_of(outbox.lease(2)) == subjects[1:3]


def test_complete_deletes_deliveries(outbox: AuthorityOutbox, subjects: list[str], clock: MovableClock) -> None:
    taken = outbox.lease(5)
    outbox.complete(taken[:3])
    outbox.complete(taken[:1])
    outbox.complete([])
    clock.advance(hours=1)
    assert subjects_of(outbox.lease(5)) == subjects[3:]


def test_lease_returns_a_delivery_again_when_its_lease_has_expired(
    outbox: AuthorityOutbox, elsewhere: AuthorityOutbox, subjects: list[str], clock: MovableClock
) -> None:
    [first] = outbox.lease(1, term=MINUTE)
    clock.advance(seconds=59)
    assert subjects[0] not in subjects_of(elsewhere.lease(5, term=MINUTE))
    clock.advance(seconds=1)
    [again] = elsewhere.lease(5)
    assert (first.subject, first.attempts, again.subject, again.attempts) == (subjects[0], 1, subjects[0], 2)
    assert again.created_at == first.created_at


def test_reschedule_delays_a_delivery(outbox: AuthorityOutbox, subjects: list[str], clock: MovableClock) -> None:
    taken = outbox.lease(5)
    outbox.reschedule(taken[0], clock.now() + timedelta(seconds=5))
    assert outbox.lease(5) == []
    clock.advance(seconds=5)
    assert subjects_of(outbox.lease(5)) == subjects[:1]


def test_lease_returns_nothing_when_the_outbox_is_empty(database: Database, clock: MovableClock) -> None:
    assert AuthorityOutbox(database, clock).lease(10) == []
    assert AuthorityOutbox(database).size() == 0


def test_backlog_counts_dead_deliveries_separately(
    database: Database, subjects: list[str], clock: MovableClock
) -> None:
    outbox = AuthorityOutbox(database, clock, max_attempts=1)
    outbox.lease(2)
    backlog = outbox.backlog()
    assert (backlog.waiting, dict(backlog.dead)) == (3, {"stamp": 2})
    [oldest] = [row.created_at for row in outbox.list_pending(10) if row.subject == subjects[2]]
    assert backlog.oldest == oldest
    assert [row.subject for row in outbox.list_pending(10, dead_only=True)] == subjects[:2]


def test_backlog_has_no_oldest_when_the_outbox_is_empty(database: Database, clock: MovableClock) -> None:
    backlog = AuthorityOutbox(database, clock).backlog()
    assert (backlog.waiting, backlog.oldest, dict(backlog.dead)) == (0, None, {})


def test_requeue_and_drop_work_on_pending_and_dead_deliveries(
    database: Database, subjects: list[str], clock: MovableClock
) -> None:
    outbox = AuthorityOutbox(database, clock, max_attempts=1)
    outbox.lease(3)
    assert (outbox.requeue(subjects[0]), outbox.drop(subjects[1]), outbox.drop(subjects[4])) == (1, 1, 1)
    assert subjects_of(outbox.lease(10)) == [subjects[0], subjects[3]]
    assert outbox.requeue() == 3


def test_mark_dead_stores_the_reason(outbox: AuthorityOutbox, subjects: list[str], clock: MovableClock) -> None:
    taken = outbox.lease(5)
    outbox.mark_dead(taken[1], "no se puede leer: \0 \ud800 " + "x" * 10_000)
    clock.advance(hours=1)
    assert subjects[1] not in subjects_of(outbox.lease(10))
    [dead] = outbox.list_pending(10, dead_only=True)
    assert (dead.subject, dead.dead, dead.attempts) == (subjects[1], True, 1)
    assert dead.reason is not None
    assert dead.reason.startswith("no se puede leer: \ufffd \ufffd xx")
    assert len(dead.reason) <= MAX_REASON_LENGTH + 1
    backlog = outbox.backlog()
    assert (backlog.waiting, dict(backlog.dead)) == (4, {"stamp": 1})


def test_requeue_clears_the_reason_of_a_dead_delivery(outbox: AuthorityOutbox, subjects: list[str]) -> None:
    outbox.mark_dead(outbox.lease(1)[0], "no se puede leer")
    assert outbox.requeue() == 1
    assert [(row.dead, row.reason) for row in outbox.list_pending(1)] == [(False, None)]


def test_reschedule_stores_the_reason(outbox: AuthorityOutbox, subjects: list[str], clock: MovableClock) -> None:
    outbox.reschedule(outbox.lease(1)[0], clock.now() + MINUTE, "authority-down")
    [row] = [row for row in outbox.list_pending(10) if row.subject == subjects[0]]
    assert (row.dead, row.reason) == (False, "authority-down")


def test_lease_and_complete_use_indexes(sqlite_address: str) -> None:
    """Assert that no step of SQLite's plans sorts, or scans more than the rows chosen to be leased."""
    database = open_database(sqlite_address, "sandbox")
    statements: list[tuple[str, object]] = []
    event.listen(
        database.engine, "before_cursor_execute", lambda *statement: statements.append((statement[2], statement[3]))
    )
    outbox = AuthorityOutbox(database)
    with database.write() as connection:
        outbox.add(connection, "stamp", "a", timedelta())
    statements.clear()
    outbox.lease(2)
    outbox.complete([OutboxDelivery("stamp", subject, NOON, 1) for subject in "ab"])
    changing = [
        statement for statement in statements if statement[0].startswith(("UPDATE", "DELETE", "WITH", "SELECT outbox"))
    ]
    with database.read() as connection:
        plans = [
            list(connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", values))  # type: ignore[arg-type]
            for statement, values in changing
        ]
    database.close()
    steps = {row[-1] for plan in plans for row in plan} - {"SCAN chosen"}
    assert len(plans) == 5
    assert not [step for step in steps if step.startswith("SCAN") or "TEMP B-TREE" in step], steps


@pytest.mark.parametrize("late", ["reschedule", "mark_dead"])
def test_expired_lease_does_not_end_the_lease_of_another_worker(
    outbox: AuthorityOutbox, elsewhere: AuthorityOutbox, subjects: list[str], clock: MovableClock, late: str
) -> None:
    [slow, *_] = outbox.lease(10)
    clock.advance(minutes=2)
    assert len(elsewhere.lease(10)) == len(subjects)
    if late == "reschedule":
        outbox.reschedule(slow, clock.now(), "late")
    else:
        outbox.mark_dead(slow, "late")
    assert outbox.lease(10) == []
    assert [row.reason for row in outbox.list_pending(10)] == [None] * len(subjects)
    assert outbox.dead_count() == 0


def test_end_due_leaves_out_deliveries_that_another_process_has_leased(
    database: Database, outbox: AuthorityOutbox, elsewhere: AuthorityOutbox, subjects: list[str]
) -> None:
    folios = outbox.due_stamps(10)
    assert folios == subjects
    leased = subjects_of(elsewhere.lease(2))
    with database.write() as connection:
        assert sorted(outbox.end_due(connection, folios)) == sorted(subjects[2:])
    assert subjects_of(outbox.list_pending(10)) == leased
    assert outbox.due_stamps(10) == []


def test_end_due_leaves_out_deliveries_that_are_marked_dead(
    database: Database, outbox: AuthorityOutbox, subjects: list[str], clock: MovableClock
) -> None:
    [delivery] = outbox.lease(1)
    outbox.mark_dead(delivery, "rejected")
    clock.advance(minutes=2)
    with database.write() as connection:
        assert sorted(outbox.end_due(connection, subjects)) == sorted(subjects[1:])


def test_end_due_leaves_out_deliveries_without_attempts_left(
    database: Database, subjects: list[str], clock: MovableClock
) -> None:
    outbox = AuthorityOutbox(database, clock, max_attempts=2)
    for _ in range(2):
        assert len(outbox.lease(10)) == len(subjects)
        clock.advance(minutes=2)
    with database.write() as connection:
        assert outbox.end_due(connection, subjects) == []
    assert outbox.dead_count() == len(subjects)


def test_end_due_keeps_the_deliveries_when_the_transaction_fails(
    database: Database, outbox: AuthorityOutbox, subjects: list[str]
) -> None:
    assert outbox.due_stamps(10) == subjects

    def end_and_fail() -> None:
        with database.write() as connection:
            assert len(outbox.end_due(connection, subjects)) == 5
            raise RuntimeError("broken")

    with pytest.raises(RuntimeError, match="broken"):
        end_and_fail()
    assert outbox.due_stamps(10) == subjects


def test_stamp_waits_from_its_commit_on(
    database: Database, outbox: AuthorityOutbox, elsewhere: AuthorityOutbox, subjects: list[str]
) -> None:
    """Before the consumer of the event log has written its delivery, and after."""
    for is_written in (False, True):
        if is_written:
            write_deliveries(database)
        backlog = outbox.backlog()
        assert (backlog.waiting, backlog.oldest, outbox.size()) == (5, NOON, 5)
        assert subjects_of(outbox.list_pending(3)) == subjects[:3]
        assert subjects_of(outbox.list_pending(10, kind="stamp")) == subjects
        assert outbox.list_pending(10, dead_only=True) == outbox.list_pending(10, kind="cancellation") == []
        state = ReceptionRepository(database).state_of(subjects[1].upper())
        assert state == DeliveryState("waiting", due_at=NOON + SECOND)


def test_requeue_and_drop_find_a_stamp_whose_event_was_not_read(outbox: AuthorityOutbox, subjects: list[str]) -> None:
    assert outbox.drop(subjects[0].upper()) == 1
    assert (outbox.requeue(subjects[1]), outbox.requeue(subjects[0])) == (1, 0)
    assert subjects_of(outbox.lease(10)) == subjects[1:]


def test_stamp_is_delivered_whatever_the_content_of_its_event(
    database: Database, outbox: AuthorityOutbox, subjects: list[str]
) -> None:
    if database.dialect == "sqlite":
        with database.write() as connection:
            connection.exec_driver_sql("UPDATE event SET body = '{'")
    assert subjects_of(outbox.lease(10)) == subjects


def test_stamp_that_was_committed_after_a_later_one_waits_and_is_delivered(
    database: Database, address: str, clock: MovableClock
) -> None:
    if database.dialect == "sqlite":
        pytest.skip("SQLite commits in the order of the numbers")
    outbox = AuthorityOutbox(database, clock)
    with closing(open_database(address)) as other, other.write() as late:
        append_event(late, Event(NOON, NOON, 1, "stamped", "late", "", {}))
        with database.write() as connection:
            append_event(connection, Event(NOON, NOON, 1, "stamped", "later", "", {}))
        assert subjects_of(outbox.lease(10)) == ["later"]
        assert outbox.size() == 1
    assert sorted(subjects_of(outbox.list_pending(10))) == ["late", "later"]
    assert (outbox.size(), outbox.backlog().waiting) == (2, 2)
    assert ReceptionRepository(database).state_of("late").state == "waiting"
    assert subjects_of(outbox.lease(10)) == ["late"]
    assert outbox.size() == 2
