"""Concurrent claims are committed together."""

from __future__ import annotations

import asyncio
import threading
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


@pytest.mark.parametrize("step", ["_take", "_results"])
def test_claim_is_answered_and_later_ones_are_committed_when_a_batch_has_no_memory(
    monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    store, steps = Recorder(), [MemoryError(), None]
    group = GroupCommit(store)
    work = getattr(group, step)

    def failing(given: Any) -> Any:
        # A batch is taken before memory is exhausted.
        done = work(given)
        error = steps.pop(0) if steps else None
        if error is not None:
            raise error
        return done

    monkeypatch.setattr(group, step, failing)

    async def run() -> list[Outcome | BaseException]:
        first = (asyncio.wait_for(group.claim(claim(number)), 10) for number in range(2))
        failed = await asyncio.gather(*first, return_exceptions=True)
        return [*failed, await asyncio.wait_for(group.claim(claim(2)), 10)]

    assert [type(each) for each in asyncio.run(run())] == [MemoryError, MemoryError, Stored]


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


class Gated(Recorder):
    """A store whose commits wait until they are let through."""

    def __init__(self, fails: Callable[[Sequence[Claim]], Exception | None] = lambda _: None) -> None:
        super().__init__(fails)
        self.gate = threading.Semaphore(0)

    def claim(self, claims: Sequence[Claim]) -> list[Outcome]:
        outcomes = super().claim(claims)
        assert self.gate.acquire(timeout=30)
        return outcomes


async def begun(store: Recorder, batches: int) -> None:
    """Wait until the store has got so many batches."""
    while len(store.batches) < batches:
        await asyncio.sleep(0.001)


def test_claim_in_a_thread_leaves_the_loop_free_and_answers_after_the_commit() -> None:
    store, one = Gated(), claim("a")
    group = GroupCommit(store, in_thread=True)

    async def run() -> None:
        request = asyncio.create_task(group.claim(one))
        await begun(store, 1)
        assert not request.done()
        store.gate.release()
        assert await request == Stored(one.record)

    asyncio.run(run())


def test_claim_in_a_thread_gathers_a_batch_while_another_one_is_committed() -> None:
    store = Gated()
    group = GroupCommit(store, largest_batch=2, in_thread=True)
    claims = [claim(number) for number in range(4)]

    async def run() -> list[Outcome]:
        requests = [asyncio.create_task(group.claim(claims[0]))]
        await begun(store, 1)
        requests += [asyncio.create_task(group.claim(each)) for each in claims[1:]]
        await asyncio.sleep(0.01)
        assert len(store.batches) == 1
        store.gate.release(3)
        return await asyncio.gather(*requests)

    assert asyncio.run(run()) == [Stored(each.record) for each in claims]
    assert store.batches == [claims[:1], claims[1:3], claims[3:]]


def test_claim_in_a_thread_fails_every_request_of_a_failed_commit_and_no_other() -> None:
    class EndedError(BaseException):
        pass

    fails = [ServiceError("CO1000", retry_after=5), EndedError(), None]
    store = Recorder(lambda _: fails.pop(0))  # type: ignore[arg-type, return-value]
    group = GroupCommit(store, in_thread=True)
    claims = [claim(number) for number in range(3)]

    async def run() -> list[list[Outcome | BaseException]]:
        return [list(await asyncio.gather(*map(group.claim, claims), return_exceptions=True)) for _ in range(3)]

    unreachable, ended, later = asyncio.run(run())
    assert [each.code for each in unreachable if isinstance(each, ServiceError)] == ["CO1000"] * 3
    assert [type(each) for each in ended] == [EndedError] * 3
    assert later == [Stored(each.record) for each in claims]


def test_claim_in_a_thread_fails_when_no_thread_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    def start(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    store = Recorder()
    group = GroupCommit(store, in_thread=True)
    with monkeypatch.context() as patch:
        patch.setattr(threading.Thread, "start", start)
        [failed] = gathered(group.claim(claim("a")))
    assert isinstance(failed, RuntimeError)
    one = claim("b")
    assert gathered(group.claim(one)) == [Stored(one.record)]


def test_claim_in_a_thread_answers_the_others_when_a_request_leaves_during_the_commit() -> None:
    store = Gated()
    group = GroupCommit(store, in_thread=True)
    gone, stays = claim("gone"), claim("stays")

    async def run() -> Outcome:
        leaving, staying = (asyncio.create_task(group.claim(each)) for each in (gone, stays))
        await begun(store, 1)
        leaving.cancel()
        store.gate.release()
        return await staying

    assert asyncio.run(run()) == Stored(stays.record)
    assert store.batches == [[gone, stays]]


def test_claim_in_a_thread_works_in_a_loop_after_one_that_ended_during_a_commit() -> None:
    store = Gated()
    group = GroupCommit(store, in_thread=True)

    async def leave() -> None:
        asyncio.create_task(group.claim(claim("a")))  # noqa: RUF006
        await begun(store, 1)

    asyncio.run(leave())
    store.gate.release(2)
    one = claim("b")
    assert gathered(group.claim(one)) == [Stored(one.record)]


@pytest.mark.parametrize("in_thread", [False, True])
def test_claim_answers_an_error_when_the_commit_fails(database: Database, in_thread: bool) -> None:
    stamps = DatabaseStamps(database, MovableClock())
    group = GroupCommit(stamps, in_thread=in_thread)
    claims = [claim(number) for number in range(3)]
    with database.write() as connection:
        connection.exec_driver_sql("ALTER TABLE event RENAME TO absent")
    failed = gathered(*map(group.claim, claims))
    assert all(isinstance(each, Exception) for each in failed)
    assert stamps.by_uuids([each.record.uuid for each in claims]) == []
    with database.write() as connection:
        connection.exec_driver_sql("ALTER TABLE absent RENAME TO event")
    assert gathered(*map(group.claim, claims)) == [Stored(each.record) for each in claims]
    stamps.close()


@pytest.mark.parametrize("in_thread", [False, True])
def test_claim_gives_one_stamp_to_equal_concurrent_requests(database: Database, in_thread: bool) -> None:
    stamps = DatabaseStamps(database, MovableClock())
    group = GroupCommit(stamps, in_thread=in_thread)
    claims = [claim("same") for _ in range(100)]
    outcomes = gathered(*(group.claim(one) for one in claims))
    assert outcomes == [Stored(claims[0].record)] + [AlreadyStamped(claims[0].record)] * 99
    stamps.close()
