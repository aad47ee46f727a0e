"""The database of one environment: transactions, and cache versions by which caches detect changes."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import Connection, Engine, PoolProxiedConnection, Table, case, func, select

from timbra.core.bounds import Bound, BoundKind
from timbra.core.errors import ServiceError
from timbra.database.codec import ArchivedDocument, decode, decode_reference, is_reference
from timbra.database.engines import (
    detached,
    make_engine,
    parse_url,
    unsynced,
    without_statement_timeout,
    writer_of,
)
from timbra.database.errors import TimeoutPause, WriteState, failures_translated
from timbra.database.generation import Generation
from timbra.database.migrate import migrate, needs_migration
from timbra.database.notifications import CHANNEL, Listener
from timbra.database.pooling import require_session_connections
from timbra.database.tables.core import CACHE_VERSION, IDENTITY
from timbra.database.timeouts import TIMEOUTS, Timeouts
from timbra.pools.event_loop import is_on_event_loop, require_thread

if TYPE_CHECKING:
    from sqlalchemy.dialects import postgresql, sqlite

# 16 MiB of SQLite's write-ahead log: from this size on, it should restart.
LONG_LOG_PAGES = 4_096
# 128 MiB: from this size on, writers wait for the restart.
LONGEST_LOG_PAGES = 32_768
# Each moves what was written during the one before; one that meets no commit lets the next writer restart the log.
PASSIVE_ATTEMPTS = 8
# A long reader, such as a backup, prevents a restart of the log; writers must not wait for it.
RESTART_MILLISECONDS = 100


class Database:
    """A database that `open_database` opened; belongs to one process and must not be used after a fork.

    `read` and `write` yield a Connection inside a transaction: committed at the end of the block, rolled back by any
    exception. Both raise ServiceError("CO1000", retry_after) when the database is out of reach, locked, full or
    read-only; an IntegrityError is not translated. Neither may run in the thread of an event loop
    (`timbra.pools.event_loop`).

    Attributes:
        engine: The engine, with its pool of connections.
        dialect: `sqlite` or `postgresql`.
        environment: a name of `timbra.core.environments`; None when the database was opened without one.
        writes: Whether the last transactions found the database full or read-only.
        read_archived: Reads a document from its archive, see `document`.
    """

    def __init__(self, engine: Engine, generation: Generation | None = None) -> None:
        """Use an engine.

        Args:
            engine: The engine of a migrated database.
            generation: The file that signals commits to the processes of this node.
        """
        self.engine = engine
        self.dialect = engine.dialect.name
        self.environment: str | None = None
        self._writer = writer_of(engine)
        self._cache_versions: dict[str, int] = {}
        self._has_read = False
        self._bumped: dict[Connection, dict[str, int]] = {}
        self._watch: PoolProxiedConnection | None = None
        self._cleaner: PoolProxiedConnection | None = None
        self._data_version: int | None = None
        self._generation = generation or Generation(None)
        self._cell = self._generation.cell
        self._seen_generation: int | None = None
        self._pause = TimeoutPause()
        self.writes = WriteState()
        self.read_archived: Callable[[ArchivedDocument], bytes] = _no_archives
        self._listener: Listener | None = None
        self._polling = threading.Lock()
        self._merging = threading.Lock()
        self._checkpointing = threading.Lock()

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """Open a transaction that reads one consistent state and changes nothing."""
        require_thread()
        with failures_translated(), self.engine.begin() as connection:
            yield connection

    @contextmanager
    def write(self, *, durable: bool = True) -> Iterator[Connection]:
        """Open a transaction; on SQLite it has the write lock from its start.

        Args:
            durable: False for work that follows from durable rows and is done again when a power failure undoes it:
                SQLite then does not wait for the disk while it has the lock (decision 0267).
        """
        require_thread()
        bumped: dict[str, int] = {}
        with self.writes.noted(), self._writer.connect() as connection:
            self._bumped[connection] = bumped
            is_synced = durable or self.dialect != "sqlite"
            try:
                with nullcontext() if is_synced else unsynced(connection), connection.begin():
                    yield connection
            finally:
                del self._bumped[connection]
        self._merge_versions(bumped)
        if bumped:
            self._generation.advance()

    def bump(self, connection: Connection, area: str, above: int = 0) -> int:
        """Increment the cache version of `area` within the caller's write transaction.

        When `write` ends, all processes of this node read the new version; other nodes do within a second. Writers of
        one area wait for each other from here to their commit.

        Args:
            connection: The connection of a `write` block.
            area: The name of a set of cached rows.
            above: A version that the new one must exceed, besides the stored one.

        Returns:
            The new version.
        """
        stored = CACHE_VERSION.c.number
        following = case((stored < above, above + 1), else_=stored + 1) if above else stored + 1
        statement = self.insert(CACHE_VERSION).values(area=area, number=above + 1)
        statement = statement.on_conflict_do_update(index_elements=[CACHE_VERSION.c.area], set_={"number": following})
        version: int = connection.execute(statement.returning(CACHE_VERSION.c.number)).scalar_one()
        self._bumped[connection][area] = version
        if self.dialect == "postgresql":
            connection.execute(select(func.pg_notify(CHANNEL, "")))
        return version

    def ping(self) -> None:
        """Read one row. Raises ServiceError: "CO1000" when the database does not respond."""
        with self.read() as connection:
            connection.execute(select(IDENTITY.c.value)).first()

    def insert(self, table: Table) -> postgresql.Insert | sqlite.Insert:
        """Return an INSERT of this dialect, which has `on_conflict_do_update` and `on_conflict_do_nothing`."""
        # Only the dialect in use is imported, because the other one would slow every start.
        if self.dialect == "postgresql":
            from sqlalchemy.dialects import postgresql

            return postgresql.insert(table)
        from sqlalchemy.dialects import sqlite

        return sqlite.insert(table)

    def document(self, stored: bytes) -> bytes:
        """Return the document of a stamp by its stored bytes: decompressed, or read from the archive that they name.

        Raises:
            ValueError: The document is damaged, here or in its archive.
            ServiceError: "archive-storage" with retry_after when the archive cannot be read now.
        """
        return self.read_archived(decode_reference(stored)) if is_reference(stored) else decode(stored)

    def cache_version(self, area: str) -> int:
        """Return the cache version of `area`: the number of its changes that this node has read.

        While no process of the node has written, this is a comparison in memory; otherwise it polls. On an event loop
        it returns the version of the last poll without I/O: authentication polls before a request is handled, so that
        the request sees every change whose response was sent before.

        Args:
            area: The name that writers pass to `bump`.

        Raises:
            ServiceError: "CO1000" when the poll fails.
        """
        if self.is_stale and not is_on_event_loop():
            self.catch_up()
        return self._cache_versions.get(area, 0)

    def is_current(self, area: str, version: int) -> bool:
        """Whether a cache that was read at this cache version has nothing to read, as far as memory tells; no I/O.

        It is False after any commit on this node until the next poll. Code on an event loop uses a cache that is
        current, and reads the others in a thread.

        Args:
            area: The name that writers pass to `bump`.
            version: The cache version at which the cache was read.
        """
        return self._cell[0] == self._seen_generation and self._cache_versions.get(area, 0) == version

    def known_cache_version(self, area: str) -> int | None:
        """Return the cache version of `area` without I/O, as this process last read it; None before its first read.

        Args:
            area: The name that writers pass to `bump`.
        """
        return self._cache_versions.get(area, 0) if self._has_read else None

    @property
    def is_stale(self) -> bool:
        """Whether a process of this node has committed since the last `catch_up` or `poll`."""
        return self._cell[0] != self._seen_generation

    def poll(self) -> None:
        """Read the cache versions: one cheap query, none on SQLite while nothing was written."""
        require_thread()
        with self._polling, failures_translated():
            self._generation.refresh()
            self._cell = self._generation.cell
            self._refresh_versions()

    def commit_counter(self) -> object:
        """Return a value that changes with every commit to the database; on PostgreSQL it always differs.

        On SQLite this reads a counter in shared memory; a process that only delivers may call it on its event loop.
        """
        if self.dialect != "sqlite":
            return object()
        with self._polling, failures_translated():
            return self._sqlite_version()

    def listen(self) -> None:
        """Poll after each commit of another node, from now on until `close`; for a server. PostgreSQL only."""
        if self.dialect == "postgresql" and self._listener is None:
            self._listener = Listener(self.engine, self.poll)

    def checkpoint(self) -> None:
        """Move SQLite's write-ahead log into its file, for a periodic job; no effect on PostgreSQL.

        Writers continue meanwhile. A long log is moved until nothing of it remains; the next writer then restarts it.
        Only when that fails for so long that the log reaches `LONGEST_LOG_PAGES` do writers wait for the remainder.
        """
        require_thread()
        if self.dialect != "sqlite":
            return
        with failures_translated(), self._checkpointing:
            if self._cleaner is None:
                self._cleaner = detached(self.engine)
                self._cleaner.cursor().execute(f"PRAGMA busy_timeout={RESTART_MILLISECONDS}")
            self._move_log(self._cleaner)

    @staticmethod
    def _move_log(connection: PoolProxiedConnection) -> None:
        """Move the log of SQLite's database; a connection that commits nothing else."""
        cursor = connection.cursor()
        before = 0
        for _ in range(PASSIVE_ATTEMPTS):
            cursor.execute("PRAGMA wal_checkpoint(PASSIVE)")
            [_, logged, moved] = cursor.fetchone() or (0, 0, 0)
            if moved in (logged, before) or logged <= LONG_LOG_PAGES:
                break
            before = moved
        # A remainder that stays long is held by a reader: no wait of the writers would shorten it.
        if logged > LONGEST_LOG_PAGES and 0 < logged - moved <= LONG_LOG_PAGES:
            cursor.execute("PRAGMA wal_checkpoint(RESTART)")
            cursor.fetchone()
        cursor.close()

    def close(self) -> None:
        """Close every connection; the object cannot be used afterwards."""
        if self._listener is not None:
            self._listener.close()
        for own in (self._watch, self._cleaner):
            if own is not None:
                own.close()
        self._watch = self._cleaner = None
        self.engine.dispose()

    def catch_up(self) -> None:
        """Poll, unless nothing changed or another thread has polled meanwhile."""
        require_thread()
        with self._polling, failures_translated():
            if self.is_stale:
                self._refresh_versions()

    def _refresh_versions(self) -> None:
        """Read the cache versions; after a timeout, reject calls without a try for a pause."""
        begun = self._pause.begin()
        # The next query reads what is committed while this one runs.
        generation = self._cell[0]
        try:
            self._read_cache_versions()
            self._has_read = True
        except Exception:
            self._pause.fail(begun)
            raise
        self._seen_generation = generation

    def _read_cache_versions(self) -> None:
        version = self._sqlite_version() if self.dialect == "sqlite" else None
        if version is not None and version == self._data_version:
            return
        with self.engine.begin() as connection:
            self._merge_versions({row.area: row.number for row in connection.execute(select(CACHE_VERSION))})
        self._data_version = version

    def _sqlite_version(self) -> int:
        # data_version counts the commits of other connections, so this connection never writes.
        if self._watch is None:
            self._watch = detached(self.engine)
        cursor = self._watch.cursor()
        cursor.execute("PRAGMA data_version")
        [version] = cursor.fetchone() or [-1]
        cursor.close()
        return int(version)

    def _merge_versions(self, numbers: dict[str, int]) -> None:
        with self._merging:
            current = self._cache_versions
            self._cache_versions = current | {
                area: max(number, current.get(area, 0)) for area, number in numbers.items()
            }


def _no_archives(place: ArchivedDocument) -> bytes:
    raise ServiceError("archive-storage", f"Este programa no lee el archivo histórico {place.archive}.")


def open_database(
    url: str, environment: str | None = None, timeouts: Timeouts = TIMEOUTS, generation: Path | None = None
) -> Database:
    """Open a database; create and migrate it if necessary. Several processes may do so at once.

    Args:
        url: `sqlite:////dir/timbra.db` or `postgresql+psycopg://user@host/name`.
        environment: a name of `timbra.core.environments`; the first one with which a database is opened is permanent.
            None omits the check.
        generation: The file that signals commits to the processes of this node.

    Raises:
        ServiceError: "CO1000" when the address is invalid, or the database is out of reach, newer than this program, of
            the other environment, or behind a pooler without sessions.
    """
    with failures_translated():
        database = Database(make_engine(parse_url(url), timeouts), Generation(generation))
        try:
            _bring_up(database, environment)
        except BaseException:
            database.close()
            raise
    return database


def _bring_up(database: Database, environment: str | None) -> None:
    require_session_connections(database.engine)
    with database.read() as connection:
        behind = needs_migration(connection)
    while behind:
        with database.write() as connection, without_statement_timeout(connection):
            behind = migrate(connection)
    if environment is not None:
        _require_environment(database, environment)
    database.poll()


def _require_environment(database: Database, environment: str) -> None:
    query = select(IDENTITY.c.value).where(IDENTITY.c.name == "environment")
    with database.read() as connection:
        stored = connection.execute(query).scalar_one_or_none()
    if stored is None:
        insert = database.insert(IDENTITY).values(name="environment", value=environment)
        with database.write() as connection:
            connection.execute(insert.on_conflict_do_nothing())
            stored = connection.execute(query).scalar_one()
    if stored != environment:
        raise ServiceError("CO1000", f"La base de datos pertenece al ambiente {stored}, no a {environment}.")
    database.environment = environment


BOUNDS = (
    Bound(
        "Database",
        BoundKind.LOOP,
        f"{PASSIVE_ATTEMPTS} passive checkpoints",
        "The rest of the log stays for the next run of the job; from `LONGEST_LOG_PAGES` on writers wait.",
    ),
)
