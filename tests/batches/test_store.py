"""Batches in the database: leases, outcomes, and the end of results."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from tests.support.events import list_events
from tests.support.store_records import NOON, MovableClock

from timbra.batches.store.models import Batch, BatchItem
from timbra.batches.store.repository import BatchRepository, LeaseLostError
from timbra.core.errors import ServiceError
from timbra.database.database import Database
from timbra.events.event_log import Event

CANCELLED = "cancelled"
DONE = "done"
EXPIRED = "expired"
INPUT = "input"
OUTPUT = "output"
QUEUED = "queued"
RUNNING = "running"
LEASE = timedelta(minutes=2)

BATCH = Batch(
    *("batch_1", 1, QUEUED, "stamp", "a.zip", "00", False, "http://h", 3, 0, 0, 0, ""),
    created_at=NOON,
    started_at=None,
    finished_at=None,
    expires_at=None,
    due_at=NOON,
    attempts=0,
)
EVENT = Event(NOON, NOON, 1, "batch.done", "batch_1", "", {"status": "done"})


@pytest.fixture
def clock() -> MovableClock:
    return MovableClock()


@pytest.fixture
def repository(database: Database, clock: MovableClock) -> BatchRepository:
    return BatchRepository(database, clock)


def leased(repository: BatchRepository) -> Batch:
    batch = repository.lease()
    assert batch is not None
    return batch


def test_add_returns_the_unfinished_batch_of_the_same_archive(repository: BatchRepository) -> None:
    assert repository.add(BATCH, [b"one", b"two"], 2) == BATCH
    assert repository.add(replace(BATCH, id="batch_2"), [b"one"], 2).id == "batch_1"
    other = replace(BATCH, id="batch_3", pdf=True, pdf_template="moderna")
    assert repository.add(other, [b"x"], 2) == other
    with pytest.raises(ServiceError, match="TB4030"):
        repository.add(replace(BATCH, id="batch_4", digest="02"), [b"x"], 2)
    assert [repository.chunk("batch_1", INPUT, number) for number in range(3)] == [b"one", b"two", None]


def test_lease_gives_a_batch_to_one_worker_until_it_ends(repository: BatchRepository, clock: MovableClock) -> None:
    repository.add(BATCH, [b"x"], 9)
    first = leased(repository)
    assert (first.state, first.attempts, first.started_at) == (RUNNING, 1, NOON)
    assert repository.lease() is None
    clock.advance(seconds=LEASE.total_seconds())
    second = leased(repository)
    assert second.attempts == 2
    with pytest.raises(LeaseLostError):
        repository.save_items(first, [BatchItem(0, "a.xml", "stamped")])
    assert repository.numbers("batch_1") == set()


def test_save_items_counts_each_document_once(repository: BatchRepository) -> None:
    repository.add(BATCH, [b"x"], 9)
    batch = leased(repository)
    items = [BatchItem(0, "a.xml", "stamped", "u"), BatchItem(1, "b.xml", "rejected", code="301")]
    repository.save_items(batch, items)
    repository.save_items(batch, [*items, BatchItem(2, "c.xml", "repeated", "v")])
    found = repository.find("batch_1", 1)
    assert (found.stamped, found.repeated, found.rejected) == (1, 1, 1)
    assert [item.name for item in repository.all_items("batch_1")] == ["a.xml", "b.xml", "c.xml"]


def test_cancel_ends_a_queued_batch_only(repository: BatchRepository) -> None:
    repository.add(BATCH, [b"x"], 9)
    with pytest.raises(ServiceError, match="TB4041"):
        repository.cancel("batch_1", 2)
    assert repository.cancel("batch_1", 1).state == CANCELLED
    assert repository.lease() is None
    assert repository.chunk("batch_1", INPUT, 0) is None
    running = replace(BATCH, id="batch_2")
    repository.add(running, [b"x"], 9)
    leased(repository)
    with pytest.raises(ServiceError, match="TB4031"):
        repository.cancel("batch_2", 1)


def test_finish_and_expire(database: Database, repository: BatchRepository, clock: MovableClock) -> None:
    repository.add(BATCH, [b"x"], 9)
    batch = leased(repository)
    repository.save_items(batch, [BatchItem(0, "a.xml", "stamped", "u")])
    repository.replace_chunks(batch, OUTPUT, [b"old", b"old"])
    repository.replace_chunks(batch, OUTPUT, [b"new"])
    repository.finish(batch, NOON + timedelta(hours=72), "", EVENT)
    assert list_events(database) == [EVENT]
    assert repository.find("batch_1").state == DONE
    assert repository.chunk("batch_1", INPUT, 0) is None
    assert [repository.chunk("batch_1", OUTPUT, number) for number in (0, 1)] == [b"new", None]
    assert repository.expire() == 0
    clock.advance(hours=72)
    assert repository.expire() == 1
    assert repository.find("batch_1").state == EXPIRED
    assert repository.chunk("batch_1", OUTPUT, 0) is None
    assert list(repository.all_items("batch_1")) == []


def test_give_back_makes_a_batch_due_without_counting_the_attempt(
    repository: BatchRepository, clock: MovableClock
) -> None:
    repository.add(BATCH, [b"x"], 9)
    repository.give_back(leased(repository), NOON + timedelta(minutes=1))
    assert repository.lease() is None
    clock.advance(minutes=1)
    assert leased(repository).attempts == 1
