"""Deliveries to the authority: retries, dead letters, requeued deliveries, and one failing delivery among others."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from threading import Event

import pytest
from tests.support.store_records import MovableClock, claim

from timbra.core.errors import ServiceError
from timbra.database.database import open_database
from timbra.delivery.deliveries import AuthorityOutbox
from timbra.delivery.delivery import deliver_pending
from timbra.delivery.pace import BESIDE_REQUESTS, OWN_PROCESS, DeliveryPace
from timbra.events.outbox import describe
from timbra.sat.port import FiscalStatus, StatusQuery
from timbra.stamps.repository import DatabaseStamps

MOST = 3
HOUR = timedelta(hours=1)


@dataclass
class Authority:
    """An authority that accepts all but rejected folios; down: it is unavailable.

    silent: folios for which it does not answer. down_after: the number of calls after which it is unavailable.
    """

    rejected: set[str] = field(default_factory=set)
    down: bool = False
    silent: set[str] = field(default_factory=set)
    down_after: int = 1_000_000
    taken: list[str] = field(default_factory=list)
    calls: int = 0

    def deliver_all(self, uuids: Iterable[str]) -> None:
        self.calls += 1
        if self.down or self.calls > self.down_after:
            raise ServiceError("authority-down", retry_after=5)
        delivered = list(uuids)
        if self.silent & set(delivered):
            raise ServiceError("authority-down", retry_after=5)
        if self.rejected & set(delivered):
            raise ServiceError("document-unknown")
        self.taken += delivered

    def deliver(self, uuid: str) -> None:
        self.deliver_all([uuid])

    def status(self, query: StatusQuery) -> FiscalStatus:
        raise NotImplementedError


@dataclass
class CountedBatches(Authority):
    """An authority that accepts batches in both ways.

    sizes: the number of stamps of each batch, an empty one included.
    """

    sizes: list[int] = field(default_factory=list)

    def deliver_all(self, uuids: Iterable[str]) -> None:
        self.sizes.append(len(list(uuids)))

    def deliver_due(self, outbox: AuthorityOutbox, limit: int) -> int:
        due = outbox.lease(limit)
        self.sizes.append(len(due))
        outbox.complete(due)
        return len(due)


@pytest.fixture
def clock() -> MovableClock:
    return MovableClock()


@pytest.fixture
def outbox(tmp_path: Path, clock: MovableClock) -> Iterator[AuthorityOutbox]:
    database = open_database(f"sqlite:///{tmp_path / 'timbra.db'}")
    stamps = DatabaseStamps(database, clock, clock)
    stamps.claim([claim(number) for number in range(5)])
    stamps.close()
    yield AuthorityOutbox(database, clock, max_attempts=MOST)
    database.close()


@pytest.fixture
def folios(outbox: AuthorityOutbox) -> list[str]:
    return [row.subject for row in outbox.list_pending(10)]


def test_deliver_pending_delivers_others_when_one_stamp_is_rejected(
    outbox: AuthorityOutbox, folios: list[str], clock: MovableClock
) -> None:
    authority = Authority(rejected={folios[2]})
    assert deliver_pending(outbox, authority) == 4
    assert [row.subject for row in outbox.list_pending(10)] == [folios[2]]


@pytest.mark.parametrize("error", [ServiceError("CO1000", "no se puede leer"), ValueError("damaged"), KeyError("x")])
def test_deliver_pending_makes_dead_letter_when_stamp_fails_by_itself(
    outbox: AuthorityOutbox, folios: list[str], clock: MovableClock, error: Exception
) -> None:
    class Strict(Authority):
        def deliver_all(self, uuids: Iterable[str]) -> None:
            if folios[3] in (delivered := list(uuids)):
                raise error
            self.taken += delivered

    assert deliver_pending(outbox, Strict()) == 4
    [dead] = outbox.list_pending(10)
    assert (dead.subject, dead.dead, dead.attempts) == (folios[3], True, 1)
    assert dead.reason == describe(error)
    clock.advance(hours=2)
    assert deliver_pending(outbox, Strict()) == 0


def test_deliver_pending_reschedules_rest_when_authority_goes_down(
    outbox: AuthorityOutbox, folios: list[str], clock: MovableClock
) -> None:
    authority = Authority(rejected={folios[0]}, down_after=3)
    deliver_pending(outbox, authority)
    rows = {row.subject: row for row in outbox.list_pending(10)}
    assert rows.pop(folios[0]).dead
    assert rows
    assert {(row.dead, row.reason) for row in rows.values()} == {(False, "authority-down")}
    assert sorted([folios[0], *rows, *authority.taken]) == sorted(folios)


def test_deliver_pending_calls_unreachable_authority_once_per_batch(
    outbox: AuthorityOutbox, clock: MovableClock
) -> None:
    authority = Authority(down=True)
    assert deliver_pending(outbox, authority) == 0
    assert authority.calls == 1
    assert outbox.backlog().waiting == 5


def dead_only(outbox: AuthorityOutbox, folio: str, clock: MovableClock) -> Authority:
    """The other deliveries are dropped; for this one the authority never answers."""
    authority = Authority()
    for one in [row.subject for row in outbox.list_pending(10) if row.subject != folio]:
        outbox.drop(one)
    authority.silent = {folio}
    for _ in range(MOST + 2):
        deliver_pending(outbox, authority)
        clock.advance(hours=2)
    return authority


def test_deliver_pending_makes_dead_letter_after_all_attempts(
    outbox: AuthorityOutbox, folios: list[str], clock: MovableClock
) -> None:
    dead_only(outbox, folios[0], clock)
    [row] = outbox.list_pending(10, dead_only=True)
    assert (row.subject, row.attempts, row.dead) == (folios[0], MOST, True)
    backlog = outbox.backlog()
    assert (backlog.waiting, backlog.oldest, dict(backlog.dead)) == (0, None, {"stamp": 1})


def test_deliver_pending_makes_dead_letter_when_workers_died_each_time(
    outbox: AuthorityOutbox, clock: MovableClock
) -> None:
    for _ in range(MOST):
        assert len(outbox.lease(10)) == 5
        clock.advance(hours=1)
    assert outbox.lease(10) == []
    assert sum(outbox.backlog().dead.values()) == 5


def test_deliver_pending_delivers_requeued_dead_letter(
    outbox: AuthorityOutbox, folios: list[str], clock: MovableClock
) -> None:
    authority = dead_only(outbox, folios[0], clock)
    authority.silent.clear()
    assert deliver_pending(outbox, authority) == 0
    assert (outbox.requeue("unknown"), outbox.requeue(folios[0])) == (0, 1)
    assert deliver_pending(outbox, authority) == 1
    assert outbox.size() == 0


def test_outbox_drops_pending_and_dead_deliveries(
    outbox: AuthorityOutbox, folios: list[str], clock: MovableClock
) -> None:
    assert outbox.drop(folios[1]) == 1
    dead_only(outbox, folios[0], clock)
    assert outbox.drop(folios[0]) == 1
    assert outbox.size() == 0


def test_backlog_reports_oldest_pending_delivery(
    outbox: AuthorityOutbox, folios: list[str], clock: MovableClock
) -> None:
    begun = clock.now()
    backlog = outbox.backlog()
    assert (backlog.waiting, dict(backlog.dead)) == (5, {})
    assert backlog.oldest is not None
    assert backlog.oldest <= begun


def test_deliver_pending_pauses_between_batches(outbox: AuthorityOutbox, clock: MovableClock) -> None:
    rests: list[float] = []
    pace = DeliveryPace(batch=2, rest=3.0)

    assert deliver_pending(outbox, Authority(), rests.append, pace) == 5
    assert len(rests) == 2  # the third batch is not full, so that nothing waits behind it
    assert all(0 < rest <= pace.longest_rest for rest in rests)


@pytest.mark.parametrize("direct", [False, True])
def test_deliver_pending_ends_after_a_batch_that_is_not_full(
    outbox: AuthorityOutbox, clock: MovableClock, *, direct: bool
) -> None:
    authority = CountedBatches()

    number = deliver_pending(outbox, authority, pace=DeliveryPace(4, 0), direct=authority if direct else None)

    assert (number, authority.sizes) == (5, [4, 1])


def test_pace_of_an_own_process_has_larger_batches_and_shorter_pauses() -> None:
    assert OWN_PROCESS.batch > BESIDE_REQUESTS.batch
    assert OWN_PROCESS.longest_rest < BESIDE_REQUESTS.longest_rest


def test_deliver_pending_ends_after_its_batch_when_the_process_stops(
    outbox: AuthorityOutbox, clock: MovableClock
) -> None:
    stopping = Event()

    def stop(_seconds: float) -> None:
        stopping.set()

    assert deliver_pending(outbox, Authority(), stop, DeliveryPace(2, 1.0), stopping) == 2
    assert outbox.size() == 3


def test_deliver_pending_does_not_pause_when_authority_is_down(outbox: AuthorityOutbox, clock: MovableClock) -> None:
    rests: list[float] = []

    assert deliver_pending(outbox, Authority(down=True), rests.append) == 0
    assert rests == []


class FailingDirect:
    """A direct delivery that always fails."""

    def __init__(self, code: str, retry_after: int | None) -> None:
        self._error = ServiceError(code, retry_after=retry_after)

    def deliver_due(self, outbox: AuthorityOutbox, limit: int) -> int:
        raise self._error


def test_deliver_pending_delivers_a_batch_under_leases_when_its_direct_delivery_fails(
    outbox: AuthorityOutbox, folios: list[str], clock: MovableClock
) -> None:
    authority = Authority(rejected={folios[0]})
    direct = FailingDirect("document-unknown", None)

    assert deliver_pending(outbox, authority, lambda _: None, direct=direct) == 4
    assert sorted(authority.taken) == sorted(folios[1:])
    assert [row.subject for row in outbox.list_pending(10, dead_only=True)] == [folios[0]]


def test_deliver_pending_reschedules_once_when_the_authority_is_down_for_a_direct_delivery(
    outbox: AuthorityOutbox, clock: MovableClock
) -> None:
    authority = Authority()

    assert deliver_pending(outbox, authority, lambda _: None, direct=FailingDirect("authority-down", 5)) == 0
    assert authority.calls == 0
    assert {(row.attempts, row.dead) for row in outbox.list_pending(10)} == {(1, False)}
    assert outbox.lease(10) == []
