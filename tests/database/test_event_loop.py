"""Database calls stay off the thread of an event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from timbra.core.clock import FixedClock
from timbra.database.database import Database
from timbra.database.generation import Generation
from timbra.pools.event_loop import (
    Allowed,
    DatabaseOnEventLoopError,
    allowed_on_event_loop,
)
from timbra.stamps.repository import DatabaseStamps

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


def test_cache_is_current_at_the_version_that_was_read(database: Database) -> None:
    version = database.cache_version("area")
    assert database.is_current("area", version)
    with database.write() as connection:
        changed = database.bump(connection, "area")
    assert not database.is_current("area", version)
    assert database.is_current("area", changed)


def test_no_cache_is_current_between_a_commit_of_the_node_and_the_next_poll(database: Database, tmp_path: Path) -> None:
    first, second = (Database(database.engine, Generation(tmp_path / "generation")) for _ in range(2))
    for each in (first, second):
        each.poll()
    assert second.is_current("area", 0)
    with first.write() as connection:
        first.bump(connection, "other")
    assert not second.is_current("area", 0)
    second.poll()
    assert second.is_current("area", 0)


def test_cache_version_on_an_event_loop_is_that_of_the_last_poll(database: Database, tmp_path: Path) -> None:
    first, second = (Database(database.engine, Generation(tmp_path / "generation")) for _ in range(2))
    for each in (first, second):
        each.poll()
    with first.write() as connection:
        changed = first.bump(connection, "area")

    async def on_the_loop() -> int:
        return second.cache_version("area")

    assert asyncio.run(on_the_loop()) == 0
    assert second.cache_version("area") == changed
