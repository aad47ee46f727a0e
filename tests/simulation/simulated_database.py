"""SQLite with a step of the scheduler, and possible faults, at every statement; the write lock is simulated.

The connections are real and the rows are committed by SQLite. Only the wait for the write lock is the scheduler's,
because a thread that waits inside SQLite cannot let another actor run.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from enum import Enum
from typing import Any

from sqlalchemy import Dialect, event
from sqlalchemy.pool import ConnectionPoolEntry
from tests.simulation.scheduler import ProcessDied, Scheduler
from tests.simulation.statements import ObservedConnection

from timbra.database.database import Database
from timbra.database.engines import make_engine, parse_url

FAULT = 0.012
DEATH = 0.004


class Fault(Enum):
    """When a statement fails, in relation to its effect."""

    BEFORE = "before"
    AFTER = "after"
    DEATH_BEFORE = "death before"
    DEATH_AFTER = "death after"


FAILURES = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_FULL)


class WriteLock:
    """The holder of SQLite's write lock among all simulated processes."""

    def __init__(self) -> None:
        self.holder: SimulatedConnection | None = None


class SimulatedProcess:
    """One process with its connections; `scheduler` belongs to the schedule that runs.

    Attributes:
        on_death: called when a fault kills the process, before the actor ends.
    """

    def __init__(self, url: str, lock: WriteLock) -> None:
        self.lock = lock
        self.scheduler: Scheduler | None = None
        self.on_death: Callable[[], None] = lambda: None
        self.connections: list[SimulatedConnection] = []
        self.engine = make_engine(parse_url(url))
        event.listen(self.engine, "do_connect", self._connect)
        self.database = Database(self.engine)

    def _connect(
        self, _dialect: Dialect, _record: ConnectionPoolEntry, arguments: list[Any], options: dict[str, Any]
    ) -> SimulatedConnection:
        made = sqlite3.connect(*arguments, factory=SimulatedConnection, **options)
        assert isinstance(made, SimulatedConnection)
        made.process = self
        self.connections.append(made)
        return made

    def die(self) -> None:
        """Close all connections as the death of a process does: SQLite rolls back open transactions."""
        for connection in self.connections:
            sqlite3.Connection.rollback(connection)
            ObservedConnection.close(connection)
            if self.lock.holder is connection:
                self.lock.holder = None
        self.connections.clear()
        self.engine.dispose(close=False)


class SimulatedConnection(ObservedConnection):
    """A connection whose statements are steps of the scheduler."""

    process: SimulatedProcess

    @property
    def is_open(self) -> bool:
        return self in self.process.connections

    def close(self) -> None:
        """Close the connection; one of a process that died is closed, and an error would be a record of the log."""
        if not self.is_open:
            return
        if self.process.lock.holder is self:
            self.process.lock.holder = None
        self.process.connections.remove(self)
        super().close()

    def run(self, sql: str, call: Callable[[], Any]) -> Any:
        """Run a statement as a step: wait for the lock, then fail, die or succeed."""
        scheduler = self.process.scheduler
        if scheduler is None or sql.startswith("PRAGMA"):
            return call()
        lock, verb = self.process.lock, sql.split(None, 1)[0]
        if sql == "BEGIN IMMEDIATE":
            # Another writer may take the lock between the steps.
            while lock.holder is not None:
                scheduler.wait("lock", lambda: lock.holder is None)
            lock.holder = self
        try:
            scheduler.point(sql[:24])
            fault = self._draw(scheduler, verb)
            if fault in {Fault.BEFORE, Fault.DEATH_BEFORE}:
                self._fail(scheduler, fault)
            result = call()
            if fault is not None:
                self._fail(scheduler, fault)
            return result
        finally:
            if lock.holder is self and not (self.is_open and self.in_transaction):
                lock.holder = None

    def _draw(self, scheduler: Scheduler, verb: str) -> Fault | None:
        if scheduler.happens(DEATH):
            return scheduler.random.choice([Fault.DEATH_BEFORE, Fault.DEATH_AFTER])
        if verb != "ROLLBACK" and scheduler.happens(FAULT * (4 if verb == "COMMIT" else 1)):
            # Only the answer to a COMMIT can be lost: other statements that failed had no effect.
            return scheduler.random.choice([Fault.BEFORE, Fault.AFTER]) if verb == "COMMIT" else Fault.BEFORE
        return None

    def _fail(self, scheduler: Scheduler, fault: Fault) -> None:
        if fault in {Fault.DEATH_BEFORE, Fault.DEATH_AFTER}:
            self.process.on_death()
            raise ProcessDied
        error = sqlite3.OperationalError(f"injected {fault.value}")
        error.sqlite_errorcode = scheduler.random.choice(FAILURES)
        raise error
