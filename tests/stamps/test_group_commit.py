"""Concurrent claims are committed together."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from typing import Any

import pytest
from tests.support.store_records import MovableClock, claim

from timbra.core.errors import ServiceError
from timbra.database.database import Database
from timbra.stamps.group_commit import GroupCommit
from timbra.stamps.port import AlreadyStamped, Claim, DamagedStamp, Outcome, StampPage, StampRecord, Stored
from timbra.stamps.repository import DatabaseStamps


class Recorder:
    """A store that records its batches and fails as configured."""

    def __init__(self, fails: Callable[[Sequence[Claim]], Exception | None] = lambda _: None) -> None:
        self.batches: list[list[Claim]] = []
        self._fails = fails

    def claim(self, claims: Sequence[Claim]) -> list[Outcome]:
        self.batches.append(list(claims))
        error = self._fails(claims)
        if error is not None:
            raise error
        return [Stored(one.record) for one in claims]

    def preview(self, claim: Claim) -> Outcome:
        raise NotImplementedError

    def by_seal(self, seal_hash: bytes) -> StampRecord | None:
        raise NotImplementedError

    def by_uuid(self, uuid: str) -> StampRecord | None:
        raise NotImplementedError

    def by_uuids(self, uuids: Sequence[str]) -> list[StampRecord | DamagedStamp]:
        raise NotImplementedError

    def page(self, account_id: int | None, *, cursor: str | None = None, limit: int = 50) -> StampPage:
        raise NotImplementedError


def gathered(*claims: Coroutine[Any, Any, Outcome]) -> list[Outcome | BaseException]:
    async def run() -> list[Outcome | BaseException]:
        return list(await asyncio.gather(*claims, return_exceptions=True))

    return asyncio.run(run())


def test_claim_commits_waiting_claims_in_one_batch_in_order() -> None:
    store = Recorder()
    group = GroupCommit(store)
    claims = [claim(number) for number in range(5)]
    assert gathered(*(group.claim(one) for one in claims)) == [Stored(one.record) for one in claims]
    assert store.batches == [claims]


def test_claim_limits_the_size_of_a_batch() -> None:
    store = Recorder()
    group = GroupCommit(store, largest_batch=4)
    claims = [claim(number) for number in range(10)]
    assert gathered(*(group.claim(one) for one in claims)) == [Stored(one.record) for one in claims]
    assert store.batches == [claims[:4], claims[4:8], claims[8:]]


def test_claim_commits_sequential_claims_separately() -> None:
    store = Recorder()
    group = GroupCommit(store)

    async def run() -> None:
        for number in range(3):
            await group.claim(claim(number))

    asyncio.run(run())
    assert [len(batch) for batch in store.batches] == [1, 1, 1]


def test_claim_fails_every_waiter_when_the_database_is_unreachable() -> None:
    cause = OSError("down")
    rejection = ServiceError("CO1000", "La base de datos no responde.", retry_after=5)
    rejection.__cause__ = cause
    store = Recorder(lambda _: rejection)
    group = GroupCommit(store)
    outcomes = gathered(*(group.claim(claim(number)) for number in range(3)))
    assert len(store.batches) == 1
    for outcome in outcomes:
        assert isinstance(outcome, ServiceError)
        assert (outcome.code, outcome.detail, outcome.retry_after) == ("CO1000", "La base de datos no responde.", 5)
        assert outcome.__cause__ is cause
    assert len({id(outcome) for outcome in outcomes}) == 3


def test_claim_commits_the_others_when_one_claim_fails() -> None:
    poison = claim("poison")
    error = TypeError("poison")
    store = Recorder(lambda claims: error if poison in claims else None)
    group = GroupCommit(store)
    first, last = claim("a"), claim("b")
    outcomes = gathered(group.claim(first), group.claim(poison), group.claim(last))
    assert outcomes == [Stored(first.record), error, Stored(last.record)]


def test_claim_stores_nothing_when_cancelled_before_its_commit() -> None:
    store = Recorder()
    group = GroupCommit(store)
    gone, stays = claim("gone"), claim("stays")

    async def run() -> Outcome:
        leaving = asyncio.create_task(group.claim(gone))
        staying = asyncio.create_task(group.claim(stays))
        await asyncio.sleep(0)
        leaving.cancel()
        return await staying

    assert asyncio.run(run()) == Stored(stays.record)
    assert store.batches == [[stays]]


def test_claim_commits_no_batch_of_cancelled_requests() -> None:
    store = Recorder()
    group = GroupCommit(store)

    async def run() -> None:
        leaving = asyncio.create_task(group.claim(claim("gone")))
        await asyncio.sleep(0)
        leaving.cancel()
        with pytest.raises(asyncio.CancelledError):
            await leaving
        await asyncio.sleep(0)

    asyncio.run(run())
    assert store.batches == []


def test_claim_keeps_the_stamp_when_cancelled_after_its_commit(database: Database) -> None:
    stamps = DatabaseStamps(database, MovableClock())
    group = GroupCommit(stamps)
    gone, stays = claim("gone"), claim("stays")

    async def run() -> Outcome:
        leaving = asyncio.create_task(group.claim(gone))
        staying = asyncio.create_task(group.claim(stays))
        outcome = await staying
        leaving.cancel()
        return outcome

    assert asyncio.run(run()) == Stored(stays.record)
    assert stamps.by_uuid(gone.record.uuid) == gone.record
    stamps.close()


def test_claim_gives_one_stamp_to_equal_concurrent_requests(database: Database) -> None:
    stamps = DatabaseStamps(database, MovableClock())
    group = GroupCommit(stamps)
    claims = [claim("same") for _ in range(100)]
    outcomes = gathered(*(group.claim(one) for one in claims))
    assert outcomes == [Stored(claims[0].record)] + [AlreadyStamped(claims[0].record)] * 99
    stamps.close()
