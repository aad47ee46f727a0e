"""Deliveries to the authority: put off, given up, revived; a bad one among good ones."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

import pytest
from tests.store.records import MovableClock, claim

from timbra.authority.port import FiscalStatus, StatusQuery
from timbra.errors import ServiceError
from timbra.service import delivery
from timbra.service.delivery import deliver_pending
from timbra.store.database import open_database
from timbra.store.outbox import Outbox
from timbra.store.stamps import DatabaseStamps

MOST = 3
HOUR = timedelta(hours=1)


@dataclass
class Authority:
    """Takes all but the refused; down: nothing at all."""

    refused: set[str] = field(default_factory=set)
    down: bool = False
    taken: list[str] = field(default_factory=list)
    asked: int = 0

    def deliver_all(self, uuids: Iterable[str]) -> None:
        self.asked += 1
        if self.down:
            raise ServiceError("authority-down", retry_after=5)
        told = list(uuids)
        if self.refused & set(told):
            raise ServiceError("document-unknown")
        self.taken += told

    def deliver(self, uuid: str) -> None:
        self.deliver_all([uuid])

    def status(self, query: StatusQuery) -> FiscalStatus:
        raise NotImplementedError


@pytest.fixture
def clock() -> MovableClock:
    return MovableClock()


@pytest.fixture
def outbox(tmp_path: Path, clock: MovableClock) -> Iterator[Outbox]:
    database = open_database(f"sqlite:///{tmp_path / 'timbra.db'}")
    stamps = DatabaseStamps(database, clock, clock)
    stamps.claim([claim(number) for number in range(5)])
    stamps.close()
    yield Outbox(database, clock, most_attempts=MOST)
    database.close()


@pytest.fixture
def folios(outbox: Outbox) -> list[str]:
    return [row.subject for row in outbox.listed(10)]


def test_one_refused_stamp_does_not_hold_the_others_back(
    outbox: Outbox, folios: list[str], clock: MovableClock
) -> None:
    authority = Authority(refused={folios[2]})
    assert deliver_pending(outbox, authority, clock) == 4
    assert [row.subject for row in outbox.listed(10)] == [folios[2]]


def test_silence_is_asked_once_a_batch(outbox: Outbox, clock: MovableClock) -> None:
    authority = Authority(down=True)
    assert deliver_pending(outbox, authority, clock) == 0
    assert authority.asked == 1
    assert outbox.backlog().waiting == 5


def given_up(outbox: Outbox, folio: str, clock: MovableClock) -> Authority:
    authority = Authority(refused={folio})
    for _ in range(MOST + 2):
        deliver_pending(outbox, authority, clock)
        clock.advance(hours=2)
    return authority


def test_what_fails_so_often_is_dead(outbox: Outbox, folios: list[str], clock: MovableClock) -> None:
    given_up(outbox, folios[0], clock)
    [row] = outbox.listed(10, dead_only=True)
    assert (row.subject, row.attempts, row.dead) == (folios[0], MOST, True)
    backlog = outbox.backlog()
    assert (backlog.waiting, backlog.oldest, dict(backlog.dead)) == (0, None, {"stamp": 1})


def test_a_delivery_whose_workers_died_each_time_is_dead_too(outbox: Outbox, clock: MovableClock) -> None:
    for _ in range(MOST):
        assert len(outbox.pending(10)) == 5
        clock.advance(hours=1)
    assert outbox.pending(10) == []
    assert sum(outbox.backlog().dead.values()) == 5


def test_what_is_revived_is_delivered(outbox: Outbox, folios: list[str], clock: MovableClock) -> None:
    authority = given_up(outbox, folios[0], clock)
    authority.refused.clear()
    assert deliver_pending(outbox, authority, clock) == 0
    assert (outbox.revive("nobody"), outbox.revive(folios[0])) == (0, 1)
    assert deliver_pending(outbox, authority, clock) == 1
    assert outbox.size() == 0


def test_only_the_dead_are_dropped(outbox: Outbox, folios: list[str], clock: MovableClock) -> None:
    assert outbox.drop(folios[0]) == 0
    given_up(outbox, folios[0], clock)
    assert outbox.drop(folios[0]) == 1
    assert outbox.size() == 0


def test_the_oldest_that_is_still_tried_is_told(outbox: Outbox, folios: list[str], clock: MovableClock) -> None:
    begun = clock.now()
    backlog = outbox.backlog()
    assert (backlog.waiting, dict(backlog.dead)) == (5, {})
    assert backlog.oldest is not None
    assert backlog.oldest <= begun


def test_requests_have_the_processor_between_batches(
    outbox: Outbox, clock: MovableClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(delivery, "BATCH", 2)
    rests: list[float] = []

    assert deliver_pending(outbox, Authority(), clock, rests.append) == 5
    assert len(rests) == 3
    assert all(0 < rest <= delivery.LONGEST_REST for rest in rests)


def test_silence_is_not_waited_for(outbox: Outbox, clock: MovableClock) -> None:
    rests: list[float] = []

    assert deliver_pending(outbox, Authority(down=True), clock, rests.append) == 0
    assert rests == []
