"""A database that is full, read-only, locked or unreachable: a ServiceError, no partial write, later calls succeed."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest
from sqlalchemy import event
from sqlalchemy.exc import TimeoutError as PoolTimeoutError
from tests.support.databases import administer
from tests.support.store_records import MovableClock, claim

from timbra.core.errors import ServiceError
from timbra.database.database import Database, open_database
from timbra.database.engines import make_engine, parse_url
from timbra.database.errors import as_service_error, failure
from timbra.stamps.port import Stored
from timbra.stamps.repository import DatabaseStamps

Store = tuple[Database, DatabaseStamps]


def opened(address: str, *pragmas: str) -> Store:
    """Open a store on SQLite whose connections start with these pragmas."""
    database = open_database(address, "sandbox")
    database.close()
    for pragma in pragmas:
        event.listen(database.engine, "connect", lambda connection, _, pragma=pragma: connection.execute(pragma))
    return database, DatabaseStamps(database, MovableClock())


def rejected(stamps: DatabaseStamps) -> ServiceError:
    with pytest.raises(ServiceError) as rejection:
        stamps.claim([claim(number) for number in range(100)])
    assert rejection.value.code == "CO1000"
    assert rejection.value.retry_after
    assert rejection.value.__cause__ is not None
    return rejection.value


def pages(address: str) -> int:
    [number] = sqlite3.connect(address.removeprefix("sqlite:///")).execute("PRAGMA page_count").fetchone()
    return int(number)


@pytest.fixture
def closing() -> Iterator[Callable[[Store], DatabaseStamps]]:
    kept: list[Store] = []

    def keep(store: Store) -> DatabaseStamps:
        kept.append(store)
        return store[1]

    yield keep
    for database, stamps in kept:
        stamps.close()
        database.close()


Closing = Callable[[Store], DatabaseStamps]


def assert_works(stamps: DatabaseStamps) -> None:
    assert stamps.page(None).records == []
    claimed = claim(1)
    assert stamps.claim([claimed]) == [Stored(claimed.record)]
    assert stamps.by_uuid(claimed.record.uuid) == claimed.record


def test_full_disk_is_a_service_error_and_later_stamps_are_stored(sqlite_address: str, closing: Closing) -> None:
    stamps = closing(opened(sqlite_address, f"PRAGMA max_page_count={pages(sqlite_address) + 3}"))
    assert "espacio" in str(rejected(stamps))
    stamps.by_uuid("any")
    stamps._driver.run(lambda connection: connection.execute("PRAGMA max_page_count=1000000"))
    assert_works(stamps)


def test_full_disk_is_known_to_the_readiness_until_a_client_may_try_again(
    sqlite_address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    seconds = [100.0]
    monkeypatch.setattr("timbra.database.errors.monotonic", lambda: seconds[0])
    database, stamps = opened(sqlite_address, f"PRAGMA max_page_count={pages(sqlite_address) + 3}")
    database.writes.require()
    rejected(stamps)
    seconds[0] += 29
    with pytest.raises(ServiceError) as found:
        database.writes.require()
    assert (found.value.code, found.value.detail) == ("CO1000", "La base de datos no tiene espacio.")
    seconds[0] += 1
    database.writes.require()
    stamps.close()
    database.close()


def test_file_size_limit_is_a_service_error(sqlite_address: str) -> None:
    limited = (
        "import resource, signal, sys; sys.path.insert(0, sys.argv[2])\n"
        "from tests.database.test_errors import opened, rejected\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "database, stamps = opened(sys.argv[1])\n"
        "stamps.by_uuid('any')\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (65536, resource.RLIM_INFINITY))\n"
        "rejected(stamps)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))\n"
        "stamps.close(); database.close()\n"
    )
    root = str(Path(__file__).resolve().parents[2])
    subprocess.run([sys.executable, "-c", limited, sqlite_address, root], check=True, timeout=60)
    database, stamps = opened(sqlite_address)
    assert_works(stamps)
    stamps.close()
    database.close()


def test_read_only_database_is_a_service_error(sqlite_address: str, closing: Closing) -> None:
    stamps = closing(opened(sqlite_address, "PRAGMA query_only=ON"))
    assert "no admite escrituras" in str(rejected(stamps))
    stamps._driver.run(lambda connection: connection.execute("PRAGMA query_only=OFF"))
    assert_works(stamps)


def test_locked_database_is_a_service_error(sqlite_address: str, closing: Closing) -> None:
    stamps = closing(opened(sqlite_address, "PRAGMA busy_timeout=50"))
    holder = sqlite3.connect(sqlite_address.removeprefix("sqlite:///"), isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    assert "ocupada" in str(rejected(stamps))
    holder.execute("ROLLBACK")
    holder.close()
    assert_works(stamps)


def test_failed_write_of_the_database_is_a_service_error(sqlite_address: str) -> None:
    database, _ = opened(sqlite_address, "PRAGMA query_only=ON")
    with pytest.raises(ServiceError, match="no admite escrituras"), database.write() as connection:
        database.bump(connection, "area")
    assert database.cache_version("area") == 0
    database.close()


def test_connection_is_reopened_when_the_server_closed_it(postgresql_address: str, closing: Closing) -> None:
    stamps = closing(opened(postgresql_address))
    assert stamps.by_uuid("any") is None
    cut(postgresql_address)
    assert_works(stamps)
    cut(postgresql_address)
    assert len(stamps.page(None).records) == 1


def test_unreachable_server_is_a_service_error_until_it_returns(postgresql_address: str, closing: Closing) -> None:
    stamps = closing(opened(postgresql_address))
    name = postgresql_address.rpartition("/")[2]
    assert stamps.by_uuid("any") is None
    administer(f"ALTER DATABASE {name} ALLOW_CONNECTIONS false")
    cut(postgresql_address)
    assert "no responde" in str(rejected(stamps))
    administer(f"ALTER DATABASE {name} ALLOW_CONNECTIONS true")
    assert_works(stamps)


def test_read_only_standby_is_a_service_error(postgresql_address: str, closing: Closing) -> None:
    name = postgresql_address.rpartition("/")[2]
    administer(f"ALTER DATABASE {name} SET default_transaction_read_only = on")
    database = Database(make_engine(parse_url(postgresql_address)))
    stamps = closing((database, DatabaseStamps(database, MovableClock())))
    assert "no admite escrituras" in str(rejected(stamps))


@pytest.mark.parametrize(("setting", "used"), [("off", "on"), ("on", "on"), ("remote_apply", "remote_apply")])
def test_commit_is_synchronous_on_postgresql(postgresql_address: str, setting: str, used: str) -> None:
    administer(f"ALTER DATABASE {postgresql_address.rpartition('/')[2]} SET synchronous_commit = {setting}")
    database = open_database(postgresql_address)
    with database.read() as connection:
        assert connection.exec_driver_sql("SHOW synchronous_commit").scalar_one() == used
    database.close()


def cut(address: str) -> None:
    name = address.rpartition("/")[2]
    administer(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'")


@pytest.mark.parametrize(
    ("error", "detail"),
    [
        (psycopg.errors.DiskFull("x"), "espacio"),
        (psycopg.errors.DeadlockDetected("x"), "ocupada"),
        (psycopg.errors.LockNotAvailable("x"), "ocupada"),
        (psycopg.errors.QueryCanceled("x"), "ocupada"),
        (psycopg.errors.AdminShutdown("x"), "no responde"),
        (psycopg.errors.TooManyConnections("x"), "no responde"),
        (psycopg.errors.InvalidPassword("x"), "no responde"),
        (psycopg.OperationalError("x"), "no responde"),
        (psycopg.errors.DataCorrupted("x"), "no se puede leer"),
        (PoolTimeoutError("x"), "ocupada"),
    ],
)
def test_failure_translates_errors_that_a_retry_or_an_operator_resolves(error: Exception, detail: str) -> None:
    rejection = as_service_error(error)
    assert rejection is not None
    assert detail in str(rejection)


@pytest.mark.parametrize(
    "error",
    [
        psycopg.errors.UniqueViolation("x"),
        psycopg.errors.UndefinedTable("x"),
        psycopg.ProgrammingError("x"),
        sqlite3.OperationalError("x"),
        KeyError("x"),
    ],
)
def test_failure_re_raises_bugs(error: Exception) -> None:
    assert as_service_error(error) is None
    assert failure(error) is None


def test_statements_are_prepared_again_when_the_server_dropped_them(postgresql_address: str) -> None:
    """The server dropped the prepared statements with a rolled back batch."""
    database = open_database(postgresql_address, "sandbox")
    stamps = DatabaseStamps(database, MovableClock())
    for number in range(20):
        stamps.claim([claim(number)])
    stamps._driver.run(lambda connection: connection.pgconn.exec_(b"DEALLOCATE ALL"))

    assert [type(outcome) for outcome in stamps.claim([claim(20), claim(21)])] == [Stored, Stored]
    stamps.close()
    database.close()
