"""The connection of the hot path: a long-lived driver connection with prepared statements, without SQLAlchemy."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from typing import Any, TypeVar

from sqlalchemy import PoolProxiedConnection

from timbra.database.database import Database
from timbra.database.engines import begin_immediate, detached
from timbra.database.errors import TimeoutPause, is_lost
from timbra.pools.event_loop import require_thread

Answer = TypeVar("Answer")
# sqlite3 and `TimeoutConnection`, both in autocommit: transactions are begun and ended by their own statements.
DriverConnection = Any


def _begin(connection: DriverConnection) -> None:
    connection.execute("BEGIN")


class RawConnection:
    """One connection of this process, used by one thread at a time; opened at first use, reopened after a loss."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._pipelined = database.dialect == "postgresql"
        self._begin = _begin if self._pipelined else begin_immediate
        self._turn = threading.Lock()
        self._held: PoolProxiedConnection | None = None
        self._pause = TimeoutPause()

    def run(self, work: Callable[[DriverConnection], Answer]) -> Answer:
        """Call `work` with the connection, and once more with a new one when it was lost.

        After a timeout it rejects calls without a try for the same duration (circuit breaker), so that the thread of
        the worker spends at least half of its time on requests that need no database.

        Args:
            work: An idempotent function.

        Raises:
            ServiceError: "CO1000" when the database is out of reach, locked, full or read-only.
        """
        require_thread()
        with self._turn, self._database.writes.noted():
            begun = self._pause.begin()
            try:
                return self._persistently(work)
            except Exception as error:
                if is_lost(error):
                    self._pause.fail(begun)
                raise

    def _persistently(self, work: Callable[[DriverConnection], Answer]) -> Answer:
        """Attempt the work twice when the connection is lost; the second attempt finds out whether it was committed."""
        connection = self._connection()
        try:
            return self._attempt(connection, work)
        except Exception as error:
            if not is_lost(error):
                raise
        return self._attempt(self._connection(), work)

    @contextmanager
    def transaction(self, connection: DriverConnection) -> Iterator[None]:
        """Begin a transaction; commit at the end of the block, roll back on any exception."""
        try:
            with connection.in_pipeline() if self._pipelined else nullcontext():
                self._begin(connection)
                yield
                connection.execute("COMMIT")
        except BaseException:
            # Without a connection, or after SQLite rolled back by itself, there is nothing to undo.
            with suppress(Exception):
                connection.execute("ROLLBACK")
            raise

    def close(self) -> None:
        with self._turn:
            self._drop()

    def _connection(self) -> DriverConnection:
        if self._held is None:
            self._held = detached(self._database.engine)
            if self._pipelined:
                self._held.dbapi_connection.autocommit = True  # type: ignore[union-attr]
        return self._held.dbapi_connection

    def _attempt(self, connection: DriverConnection, work: Callable[[DriverConnection], Answer]) -> Answer:
        try:
            return work(connection)
        except BaseException as error:
            if getattr(connection, "closed", False) or is_lost(error) or not isinstance(error, Exception):
                self._drop()
            raise

    def _drop(self) -> None:
        held, self._held = self._held, None
        if held is not None and held.dbapi_connection is not None:
            # Not by way of the pool, which would roll back on a connection that is lost.
            with suppress(Exception):
                held.dbapi_connection.close()
