"""Nodes on a shared PostgreSQL database are notified of each other's commits."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from sqlalchemy import text
from tests.resilience.database_proxy import database_proxy
from tests.support.databases import administer, server

from timbra.database.database import Database, open_database

DEADLINE = 30.0


def eventually(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + DEADLINE
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def change(database: Database) -> int:
    with database.write() as connection:
        database.bump(connection, "area")
    return database.cache_version("area")


def listeners(database: Database) -> int:
    """Return the number of connections to this database that listen."""
    query = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'LISTEN%'"
    with database.read() as connection:
        return int(connection.execute(text(query)).scalar_one())


def threads() -> int:
    return sum(thread.name == "timbra-listener" for thread in threading.enumerate())


@pytest.fixture
def nodes(postgresql_address: str, tmp_path: Path) -> Iterator[tuple[Database, Database]]:
    """Two nodes with separate data folders; the second one listens."""
    with ExitStack() as life:
        opened = []
        for name in ("one", "other"):
            database = open_database(postgresql_address, "sandbox", generation=tmp_path / name)
            life.callback(database.close)
            opened.append(database)
        opened[1].listen()
        eventually(lambda: listeners(opened[0]) == 1)
        yield opened[0], opened[1]


def test_listener_learns_of_another_nodes_commit(nodes: tuple[Database, Database]) -> None:
    one, other = nodes
    for _ in range(3):
        wanted = change(one)
        eventually(lambda wanted=wanted: other.cache_version("area") == wanted)  # type: ignore[misc]


def test_listener_ignores_a_change_that_was_rolled_back(nodes: tuple[Database, Database]) -> None:
    one, other = nodes

    def fail() -> None:
        with one.write() as connection:
            one.bump(connection, "area")
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert change(one) == 1
    eventually(lambda: other.cache_version("area") == 1)


def test_listener_listens_again_when_its_connection_was_lost(nodes: tuple[Database, Database]) -> None:
    one, other = nodes
    administer(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
        f"WHERE datname = '{one.engine.url.database}' AND query LIKE 'LISTEN%'"
    )
    wanted = change(one)
    eventually(lambda: other.cache_version("area") == wanted)
    eventually(lambda: listeners(one) == 1)
    wanted = change(one)
    eventually(lambda: other.cache_version("area") == wanted)
    assert threads() == 1


def test_listener_ends_with_its_database(nodes: tuple[Database, Database]) -> None:
    one, other = nodes
    assert threads() == 1
    other.listen()
    assert threads() == 1
    other.close()
    assert threads() == 0
    eventually(lambda: listeners(one) == 0)


def test_listener_ends_while_the_database_is_out_of_reach(postgresql_address: str) -> None:
    host, _, port = server().rpartition("@")[2].partition(":")
    with database_proxy(int(port or 5432)) as proxy:
        address = postgresql_address.replace(f"{host}:{port}" if port else host, f"127.0.0.1:{proxy.port}")
        database = open_database(f"{address}?sslmode=disable&gssencmode=disable", "sandbox")
        database.listen()
        eventually(lambda: listeners(database) == 1)
        proxy.close()
        database.close()
        assert threads() == 0


def test_sqlite_needs_no_listener(sqlite_address: str) -> None:
    database = open_database(sqlite_address)
    database.listen()
    assert threads() == 0
    database.close()
