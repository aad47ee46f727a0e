"""SQLAlchemy engines and connection pools for SQLite and PostgreSQL, with equal semantics of transactions."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

from sqlalchemy import URL, Connection, Dialect, Engine, PoolProxiedConnection, create_engine, event, make_url
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.exc import ArgumentError
from sqlalchemy.pool import ConnectionPoolEntry

from timbra.core.errors import ServiceError
from timbra.database.damaged_values import FOUND, READING
from timbra.database.timeouts import TIMEOUTS, Timeouts

BUSY_SECONDS = 10
# The process for deliveries makes checkpoints; a commit makes one only from this bound (256 MiB) on, which limits the
# log while that process is dead and in commands without it.
AUTOCHECKPOINT_PAGES = 65_536
# Of each connection; the keys of stamps are random, so that a larger cache only fills with pages seen once, and each
# commit of another connection empties it. The system caches the file for all processes.
CACHE_KIBIBYTES = 1_024
# Of all connections of a process: from here on SQLite reuses pages of its caches that nobody reads, so that memory does
# not grow with the number of connections. It is no bound for a transaction or a long value.
REUSE_BYTES = 2 * 1024 * 1024
SQLITE_PRAGMAS = (
    "PRAGMA synchronous=FULL",
    "PRAGMA foreign_keys=ON",
    f"PRAGMA wal_autocheckpoint={AUTOCHECKPOINT_PAGES}",
    f"PRAGMA cache_size=-{CACHE_KIBIBYTES}",
    "PRAGMA temp_store=MEMORY",
    f"PRAGMA soft_heap_limit={REUSE_BYTES}",
)
# Replaces only the setting that may lose commits; stronger settings of the operator stay.
POSTGRES_DURABLE = (
    "SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'"
)
# A node that died in the middle of a message is neither idle nor busy: only TCP detects it, within 25 s.
POSTGRES_KEEPALIVES = (
    "SET tcp_keepalives_idle = 10",
    "SET tcp_keepalives_interval = 5",
    "SET tcp_keepalives_count = 3",
)
POSTGRES_DEFAULTS = {
    "application_name": "timbra",
    "tcp_user_timeout": "10000",
    "keepalives_idle": "10",
    "keepalives_interval": "5",
}
BEGIN = "timbra_begin_immediate"
SHORTEST_LOCK_WAIT, LONGEST_LOCK_WAIT = 0.000_25, 0.002
"""Seconds between two attempts to get SQLite's write lock."""


def parse_url(url: str) -> URL:
    """Parse a database URL.

    Raises:
        ServiceError: "CO1000" for an invalid URL; the detail omits the URL, which may contain a password.
    """
    try:
        parsed = make_url(url)
        parsed.get_dialect()
    except (ArgumentError, ImportError) as error:
        raise ServiceError("CO1000", "La dirección de la base de datos no es válida.") from error
    driver_name = {"sqlite": "sqlite", "postgresql": "postgresql+psycopg"}.get(parsed.get_backend_name())
    if driver_name is None or (driver_name == "sqlite" and parsed.database in {None, "", ":memory:"}):
        raise ServiceError("CO1000", "La base de datos debe ser un archivo SQLite o PostgreSQL.")
    return parsed.set(drivername=driver_name)


def make_engine(url: URL, timeouts: Timeouts = TIMEOUTS) -> Engine:
    """Return an engine that has no connection yet. Raises ImportError: PostgreSQL's driver is not installed."""
    return _sqlite(url) if url.get_backend_name() == "sqlite" else _postgres(url, timeouts)


def _sqlite(url: URL) -> Engine:
    # The driver's own transactions are switched off: it would begin late and never for reads. The connection that was
    # used last comes first, so that the page caches of the others stay empty.
    engine = create_engine(
        url,
        connect_args={"isolation_level": None, "timeout": BUSY_SECONDS, "cached_statements": 256},
        hide_parameters=True,
        pool_use_lifo=True,
        json_deserializer=FOUND.json,
    )
    dialect: Any = engine.dialect
    dialect.colspecs = {**dialect.colspecs, **READING}
    event.listen(engine, "connect", _prepare_sqlite)
    event.listen(engine, "begin", _begin_sqlite)

    @event.listens_for(engine, "connect")
    def read_any_text(connection: Any, _entry: ConnectionPoolEntry) -> None:
        connection.text_factory = FOUND.text

    _create_private(Path(str(url.database)))
    return engine


def _create_private(path: Path) -> None:
    """Create the file with mode 0600; SQLite gives its write-ahead log the same mode."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists():
        os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))


def _prepare_sqlite(connection: DBAPIConnection, _entry: ConnectionPoolEntry) -> None:
    cursor = connection.cursor()
    try:
        if cursor.execute("PRAGMA journal_mode").fetchone()[0] != "wal":
            _switch_to_wal(connection)
        for pragma in SQLITE_PRAGMAS:
            cursor.execute(pragma)
    finally:
        cursor.close()


def _switch_to_wal(connection: DBAPIConnection) -> None:
    """Switch to WAL with retries: SQLite does not wait for the exclusive lock of this switch."""
    deadline = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            connection.cursor().execute("PRAGMA journal_mode=WAL")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                raise
            time.sleep(0.01)
        else:
            return


def _begin_sqlite(connection: Connection) -> None:
    if connection.get_execution_options().get(BEGIN) is None:
        connection.exec_driver_sql("BEGIN")
        return
    begin_immediate(cast("sqlite3.Connection", connection.connection.dbapi_connection))


def begin_immediate(connection: sqlite3.Connection) -> None:
    """Begin a transaction with SQLite's write lock; wait for it for at most `BUSY_SECONDS`.

    SQLite would wait in steps of up to 100 ms, in which the lock is free most of the time: a stamp that meets the
    transaction of another process would wait a hundred times as long as that transaction lasts.

    Raises:
        sqlite3.OperationalError: The lock was not free in time, or the database fails.
    """
    deadline, wait = 0.0, SHORTEST_LOCK_WAIT
    connection.execute("PRAGMA busy_timeout=0")
    try:
        while True:
            try:
                connection.execute("BEGIN IMMEDIATE")
            except sqlite3.OperationalError as error:
                now = time.monotonic()
                deadline = deadline or now + BUSY_SECONDS
                if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or now > deadline:
                    raise
                time.sleep(wait)
                wait = min(2 * wait, LONGEST_LOCK_WAIT)
            else:
                return
    finally:
        connection.execute(f"PRAGMA busy_timeout={BUSY_SECONDS * 1000}")


def writer_of(engine: Engine) -> Engine:
    """Return an engine on the same pool whose transactions begin with SQLite's write lock; a late upgrade fails."""
    return engine.execution_options(**{BEGIN: True})


@contextmanager
def unsynced(connection: Connection) -> Iterator[None]:
    """Let SQLite not wait for the disk at the end of the transaction that begins within the block.

    The next commit that waits makes it durable too: the log has all commits in their order. A connection whose setting
    cannot be restored is not used again.
    """
    driver = cast("sqlite3.Connection", connection.connection.dbapi_connection)
    [level] = driver.execute("PRAGMA synchronous").fetchone()
    try:
        driver.execute("PRAGMA synchronous=NORMAL")
        yield
        driver.execute(f"PRAGMA synchronous={level}")
    except BaseException:
        connection.invalidate()
        raise


def _postgres(url: URL, timeouts: Timeouts) -> Engine:
    from timbra.database.timeout_connection import TimeoutConnection

    defaults = {**POSTGRES_DEFAULTS, "connect_timeout": str(timeouts.connect)}
    missing = {name: value for name, value in defaults.items() if name not in url.query}
    engine = create_engine(
        url,
        connect_args=missing,
        pool_pre_ping=True,
        pool_timeout=5,
        hide_parameters=True,
        json_deserializer=FOUND.json,
    )

    @event.listens_for(engine, "do_connect")
    def connect(_dialect: Dialect, _record: ConnectionPoolEntry, arguments: list[Any], options: dict[str, Any]) -> Any:
        return TimeoutConnection.connect(*arguments, **options)

    @event.listens_for(engine, "connect")
    def prepare(connection: TimeoutConnection, _entry: ConnectionPoolEntry) -> None:
        connection.response_timeout = timeouts.answer
        for statement in _session(timeouts):
            connection.execute(statement)
        connection.commit()

    return engine


def _session(timeouts: Timeouts) -> tuple[str, ...]:
    """Set PostgreSQL's timeouts: a node that hangs releases its locks. A healthy request never reaches them."""
    lock, statement = round(timeouts.lock * 1000), round(timeouts.statement * 1000)
    return (
        f"SET lock_timeout = {lock}",
        f"SET statement_timeout = {statement}",
        f"SET idle_in_transaction_session_timeout = {statement}",
        *POSTGRES_KEEPALIVES,
        POSTGRES_DURABLE,
    )


@contextmanager
def without_statement_timeout(connection: Connection) -> Iterator[None]:
    """Disable the timeouts for the rest of the transaction of this connection."""
    if connection.dialect.name != "postgresql":
        yield
        return
    driver: Any = connection.connection.dbapi_connection
    connection.exec_driver_sql("SET LOCAL lock_timeout = 0")
    connection.exec_driver_sql("SET LOCAL statement_timeout = 0")
    timeout, driver.response_timeout = driver.response_timeout, None
    try:
        yield
    finally:
        driver.response_timeout = timeout


def detached(engine: Engine) -> PoolProxiedConnection:
    """Return a connection that is configured like those of the pool, but detached from it."""
    connection = engine.raw_connection()
    connection.detach()
    return connection
