"""Deliveries under lease."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

import pytest
from sqlalchemy import event
from tests.store.records import NOON, MovableClock, claim

from timbra.store.database import Database, open_database
from timbra.store.outbox import Delivery, Outbox
from timbra.store.stamps import DatabaseStamps

MINUTE = timedelta(minutes=1)


@pytest.fixture
def clock() -> MovableClock:
    return MovableClock()


@pytest.fixture
def subjects(database: Database, clock: MovableClock) -> list[str]:
    """Five stamps that nobody has delivered, oldest first."""
    stamps = DatabaseStamps(database, clock, clock)
    claims = [claim(number) for number in range(5)]
    for one in claims:
        stamps.claim([one])
        clock.advance(seconds=1)
    stamps.close()
    return [one.record.uuid for one in claims]


@pytest.fixture
def outbox(database: Database, clock: MovableClock) -> Outbox:
    return Outbox(database, clock)


@pytest.fixture
def elsewhere(address: str, database: Database, clock: MovableClock) -> Iterator[Outbox]:
    opened = open_database(address)
    yield Outbox(opened, clock)
    opened.close()


def of(deliveries: list[Delivery]) -> list[str]:
    return [delivery.subject for delivery in deliveries]


def test_the_oldest_are_taken_first_and_by_one_worker(outbox: Outbox, elsewhere: Outbox, subjects: list[str]) -> None:
    assert of(outbox.pending(2)) == subjects[:2]
    assert of(elsewhere.pending(10)) == subjects[2:]
    assert outbox.pending(10) == []
    assert outbox.size() == 5


def test_what_is_done_never_comes_back(outbox: Outbox, subjects: list[str], clock: MovableClock) -> None:
    taken = outbox.pending(5)
    outbox.done(taken[:3])
    outbox.done(taken[:1])
    outbox.done([])
    clock.advance(hours=1)
    assert of(outbox.pending(5)) == subjects[3:]


def test_a_lease_that_is_over_frees_the_delivery(
    outbox: Outbox, elsewhere: Outbox, subjects: list[str], clock: MovableClock
) -> None:
    [first] = outbox.pending(1, lease=MINUTE)
    clock.advance(seconds=59)
    assert subjects[0] not in of(elsewhere.pending(5, lease=MINUTE))
    clock.advance(seconds=1)
    [again] = elsewhere.pending(5)
    assert (first.subject, first.attempts, again.subject, again.attempts) == (subjects[0], 1, subjects[0], 2)
    assert again.created_at == first.created_at


def test_a_delivery_put_off_waits_until_then(outbox: Outbox, subjects: list[str], clock: MovableClock) -> None:
    taken = outbox.pending(5)
    outbox.retry(taken[0], clock.now() + timedelta(seconds=5))
    assert outbox.pending(5) == []
    clock.advance(seconds=5)
    assert of(outbox.pending(5)) == subjects[:1]


def test_an_empty_outbox_gives_nothing(database: Database, clock: MovableClock) -> None:
    assert Outbox(database, clock).pending(10) == []
    assert Outbox(database).size() == 0


def test_the_backlog_counts_the_dead_apart(database: Database, subjects: list[str], clock: MovableClock) -> None:
    outbox = Outbox(database, clock, most_attempts=1)
    outbox.pending(2)
    backlog = outbox.backlog()
    assert (backlog.waiting, dict(backlog.dead)) == (3, {"stamp": 2})
    [oldest] = [row.created_at for row in outbox.listed(10) if row.subject == subjects[2]]
    assert backlog.oldest == oldest
    assert [row.subject for row in outbox.listed(10, dead_only=True)] == subjects[:2]


def test_an_empty_outbox_has_no_oldest(database: Database, clock: MovableClock) -> None:
    backlog = Outbox(database, clock).backlog()
    assert (backlog.waiting, backlog.oldest, dict(backlog.dead)) == (0, None, {})


def test_the_dead_are_revived_or_dropped(database: Database, subjects: list[str], clock: MovableClock) -> None:
    outbox = Outbox(database, clock, most_attempts=1)
    outbox.pending(3)
    assert (outbox.revive(subjects[0]), outbox.drop(subjects[1]), outbox.drop(subjects[4])) == (1, 1, 0)
    assert of(outbox.pending(10)) == sorted([subjects[0], *subjects[3:]], key=subjects.index)
    assert outbox.revive() == 4


def test_a_long_outbox_is_not_read_whole(sqlite_address: str) -> None:
    """No step of SQLite's plans scans the table or sorts."""
    database = open_database(sqlite_address, "sandbox")
    statements: list[tuple[str, object]] = []
    event.listen(database.engine, "before_cursor_execute", lambda *told: statements.append((told[2], told[3])))
    outbox = Outbox(database)
    outbox.pending(2)
    outbox.done([Delivery("stamp", subject, NOON, 1) for subject in "ab"])
    changing = [told for told in statements if told[0].startswith(("UPDATE", "DELETE"))]
    with database.read() as connection:
        plans = [list(connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {told}", given)) for told, given in changing]  # type: ignore[arg-type]
    database.close()
    steps = [row[-1] for plan in plans for row in plan]
    assert len(plans) == 2
    assert not [step for step in steps if step.startswith("SCAN") or "TEMP B-TREE" in step], steps
