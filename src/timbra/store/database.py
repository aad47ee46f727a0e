"""The database of one environment: transactions, and revisions by which caches learn of changes."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from sqlalchemy import Connection, Engine, PoolProxiedConnection, Table, select

from timbra.errors import ServiceError
from timbra.store.engines import detached, make_engine, parse_url, unhurried, writer_of
from timbra.store.failures import failures_translated
from timbra.store.migrate import migrate, needs_migration
from timbra.store.tables.core import IDENTITY, REVISION
from timbra.store.timeouts import TIMEOUTS, Timeouts

if TYPE_CHECKING:
    from sqlalchemy.dialects import postgresql, sqlite

# 16 MiB of SQLite's log.
LONG_LOG_PAGES = 4_096
# A long reader, such as a backup, keeps the log from starting over; writers must not wait with it.
RESTART_MILLISECONDS = 100


class Database:
    """Opened by `open_database`; belongs to one process and is never carried through a fork.

    `read` and `write` yield a Connection inside a transaction: committed at the end of the block, rolled back by any
    exception. Both raise ServiceError("CO1000", retry_after) when the database is out of reach, locked, full or
    read-only; an IntegrityError goes on as it is.
    """

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.dialect = engine.dialect.name
        self.environment: str | None = None
        self._writer = writer_of(engine)
        self._revisions: dict[str, int] = {}
        self._bumped: dict[Connection, dict[str, int]] = {}
        self._watch: PoolProxiedConnection | None = None
        self._cleaner: PoolProxiedConnection | None = None
        self._data_version: int | None = None
        self._polling = threading.Lock()
        self._remembering = threading.Lock()
        self._checkpointing = threading.Lock()

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """A transaction that sees one state and changes nothing."""
        with failures_translated(), self.engine.begin() as connection:
            yield connection

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """A durable transaction; on SQLite it holds the write lock from its start."""
        bumped: dict[str, int] = {}
        with failures_translated(), self._writer.connect() as connection:
            self._bumped[connection] = bumped
            try:
                with connection.begin():
                    yield connection
            finally:
                del self._bumped[connection]
        self._remember(bumped)

    def bump(self, connection: Connection, area: str) -> None:
        """Counts a change of `area` within the caller's write transaction; every process sees it after the commit."""
        statement = self.insert(REVISION).values(area=area, number=1)
        statement = statement.on_conflict_do_update(
            index_elements=[REVISION.c.area], set_={"number": REVISION.c.number + 1}
        )
        self._bumped[connection][area] = connection.execute(statement.returning(REVISION.c.number)).scalar_one()

    def insert(self, table: Table) -> postgresql.Insert | sqlite.Insert:
        """An INSERT that knows `on_conflict_do_update` and `on_conflict_do_nothing`, for this database."""
        # Each dialect is imported where it serves: the other one would slow every start.
        if self.dialect == "postgresql":
            from sqlalchemy.dialects import postgresql

            return postgresql.insert(table)
        from sqlalchemy.dialects import sqlite

        return sqlite.insert(table)

    def revision(self, area: str) -> int:
        """How often `area` has changed, as of the last poll or own change; no I/O."""
        return self._revisions.get(area, 0)

    def poll(self) -> None:
        """Learns what other processes changed: one cheap query, none on SQLite while nothing was written."""
        with self._polling, failures_translated():
            version = self._sqlite_version() if self.dialect == "sqlite" else None
            if version is not None and version == self._data_version:
                return
            with self.engine.begin() as connection:
                self._remember({row.area: row.number for row in connection.execute(select(REVISION))})
            self._data_version = version

    def checkpoint(self) -> None:
        """Moves SQLite's log into its file, off the request path; nothing on PostgreSQL. For a periodic job.

        The bulk is moved while others write; only when the log stays long are writers held for the remainder, so
        that it starts over in place instead of growing.
        """
        if self.dialect != "sqlite":
            return
        with failures_translated(), self._checkpointing:
            if self._cleaner is None:
                self._cleaner = detached(self.engine)
                self._cleaner.cursor().execute(f"PRAGMA busy_timeout={RESTART_MILLISECONDS}")
            cursor = self._cleaner.cursor()
            cursor.execute("PRAGMA wal_checkpoint(PASSIVE)")
            [_, logged, _] = cursor.fetchone() or (0, 0, 0)
            if logged > LONG_LOG_PAGES:
                cursor.execute("PRAGMA wal_checkpoint(RESTART)")
                cursor.fetchone()
            cursor.close()

    def close(self) -> None:
        """Gives every connection back; the object is of no use afterwards."""
        for own in (self._watch, self._cleaner):
            if own is not None:
                own.close()
        self._watch = self._cleaner = None
        self.engine.dispose()

    def _sqlite_version(self) -> int:
        # data_version counts the commits of every other connection, so this one never writes.
        if self._watch is None:
            self._watch = detached(self.engine)
        cursor = self._watch.cursor()
        cursor.execute("PRAGMA data_version")
        [version] = cursor.fetchone() or [-1]
        cursor.close()
        return int(version)

    def _remember(self, numbers: dict[str, int]) -> None:
        with self._remembering:
            known = self._revisions
            self._revisions = known | {area: max(number, known.get(area, 0)) for area, number in numbers.items()}


def open_database(url: str, environment: str | None = None, timeouts: Timeouts = TIMEOUTS) -> Database:
    """Opens, creates and migrates; safe when several processes do it at once.

    url: `sqlite:////dir/timbra.db` or `postgresql+psycopg://user@host/name`.
    environment: "sandbox" or "production"; the first one a database is opened with is its own for ever.
    timeouts: of PostgreSQL.
    ServiceError("CO1000") when the address is wrong, the database out of reach, newer than this program, or of the
    other environment.
    """
    with failures_translated():
        database = Database(make_engine(parse_url(url), timeouts))
        try:
            _bring_up(database, environment)
        except BaseException:
            database.close()
            raise
    return database


def _bring_up(database: Database, environment: str | None) -> None:
    with database.read() as connection:
        behind = needs_migration(connection)
    if behind:
        with database.write() as connection, unhurried(connection):
            migrate(connection)
    if environment is not None:
        _require_environment(database, environment)
    database.poll()


def _require_environment(database: Database, environment: str) -> None:
    wanted = select(IDENTITY.c.value).where(IDENTITY.c.name == "environment")
    with database.read() as connection:
        stored = connection.execute(wanted).scalar_one_or_none()
    if stored is None:
        insert = database.insert(IDENTITY).values(name="environment", value=environment)
        with database.write() as connection:
            connection.execute(insert.on_conflict_do_nothing())
            stored = connection.execute(wanted).scalar_one()
    if stored != environment:
        raise ServiceError("CO1000", f"La base de datos pertenece al ambiente {stored}, no a {environment}.")
    database.environment = environment
