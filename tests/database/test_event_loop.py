"""Database calls stay off the thread of an event loop."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from datetime import UTC, datetime
from typing import ParamSpec, TypeVar

import pytest

from timbra.core.clock import FixedClock
from timbra.database.database import Database
from timbra.database.event_loop import (
    Allowed,
    DatabaseOnEventLoopError,
    allowed_on_event_loop,
    in_memory_only,
    in_memory_or_thread,
)
from timbra.stamps.repository import DatabaseStamps

P = ParamSpec("P")
T = TypeVar("T")

FOLIO = "6f1ad3a4-1d9c-4c6e-9c35-0a43a8f0f001"


def read(database: Database) -> None:
    with database.read():
        pass


def write(database: Database) -> None:
    with database.write():
        pass


def by_uuid(database: Database) -> None:
    DatabaseStamps(database, FixedClock(datetime(2026, 11, 17, tzinfo=UTC))).by_uuid(FOLIO)


CALLS = [read, write, by_uuid, Database.poll, Database.checkpoint]


@pytest.mark.parametrize("call", CALLS)
def test_database_rejects_a_call_on_an_event_loop(database: Database, call: Callable[[Database], None]) -> None:
    async def on_the_loop() -> None:
        with pytest.raises(DatabaseOnEventLoopError):
            call(database)
        await asyncio.to_thread(call, database)

    asyncio.run(on_the_loop())
    call(database)


def test_database_allows_what_is_listed(database: Database) -> None:
    async def on_the_loop() -> None:
        with allowed_on_event_loop(Allowed.STAMP_COMMIT):
            read(database)
        with pytest.raises(DatabaseOnEventLoopError):
            read(database)

    asyncio.run(on_the_loop())


def test_in_memory_or_thread_stays_on_the_loop_when_memory_suffices() -> None:
    async def on_the_loop() -> int:
        return await in_memory_or_thread(threading.get_ident)

    assert asyncio.run(on_the_loop()) == threading.get_ident()


def test_in_memory_or_thread_repeats_in_a_thread_when_the_database_is_needed(database: Database) -> None:
    called_in: list[int] = []

    def look(word: str) -> str:
        called_in.append(threading.get_ident())
        read(database)
        return word

    assert asyncio.run(in_memory_or_thread(look, "found")) == "found"
    assert called_in[0] == threading.get_ident() != called_in[1]
    assert len(called_in) == 2


def test_in_memory_or_thread_uses_the_given_runner(database: Database) -> None:
    runs: list[Callable[..., object]] = []

    async def run_in_thread(work: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        runs.append(work)
        return await asyncio.to_thread(work, *args, **kwargs)

    asyncio.run(in_memory_or_thread(read, database, run_in_thread=run_in_thread))
    assert runs == [read]


def test_in_memory_only_does_not_reach_beyond_its_block(database: Database) -> None:
    async def on_the_loop() -> None:
        with allowed_on_event_loop(Allowed.STAMP_COMMIT):
            with in_memory_only(), pytest.raises(DatabaseOnEventLoopError):
                read(database)
            read(database)

    asyncio.run(on_the_loop())
