"""Translation of driver errors: a database that is unreachable, locked, full or read-only is ServiceError("CO1000")."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic

from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError

from timbra.core.errors import ServiceError

BUSY = ("La base de datos está ocupada.", 1)
UNREACHABLE = ("La base de datos no responde.", 5)
READ_ONLY = ("La base de datos no admite escrituras.", 30)
FULL = ("La base de datos no tiene espacio.", 30)
DAMAGED = ("La base de datos no se puede leer.", 60)
# After a failure that took more than MIN_WAIT seconds, calls are rejected for the same time, at most MAX_PAUSE.
MIN_WAIT, MAX_PAUSE = 0.5, 5.0

_SQLITE = {
    sqlite3.SQLITE_BUSY: BUSY,
    sqlite3.SQLITE_LOCKED: BUSY,
    sqlite3.SQLITE_PROTOCOL: BUSY,
    sqlite3.SQLITE_FULL: FULL,
    sqlite3.SQLITE_READONLY: READ_ONLY,
    sqlite3.SQLITE_PERM: READ_ONLY,
    sqlite3.SQLITE_CANTOPEN: UNREACHABLE,
    sqlite3.SQLITE_IOERR: UNREACHABLE,
    sqlite3.SQLITE_CORRUPT: DAMAGED,
    sqlite3.SQLITE_NOTADB: DAMAGED,
}

UNKNOWN_STATEMENT = "26000"
# SQLSTATE classes and codes of PostgreSQL, appendix A of its manual; the longest match wins.
_POSTGRES = {
    "08": UNREACHABLE,
    "28": UNREACHABLE,
    "3D": UNREACHABLE,
    "57": UNREACHABLE,
    "58": UNREACHABLE,
    "53": UNREACHABLE,
    "53100": FULL,
    "25006": READ_ONLY,
    "25P03": UNREACHABLE,
    "40": BUSY,
    "55": BUSY,
    "57014": BUSY,
    "XX": DAMAGED,
}


def failure(error: BaseException) -> tuple[str, int] | None:
    """Return the Spanish detail and `retry_after` in seconds of a driver's error; None for a bug of the server.

    Args:
        error: An exception of sqlite3 or psycopg.
    """
    code = getattr(error, "sqlite_errorcode", None)
    if code is not None:
        return _SQLITE.get(code & 0xFF)
    if not hasattr(error, "sqlstate"):
        return None
    state = error.sqlstate
    if state is None:
        return UNREACHABLE if _is_operational(error) else None
    return _POSTGRES.get(state) or _POSTGRES.get(state[:2])


def is_lost(error: BaseException) -> bool:
    """Whether the connection of a driver's error cannot be used any more.

    This includes a prepared statement that PostgreSQL does not have: the driver prepared it in a pipeline that failed.
    """
    state = getattr(error, "sqlstate", "")
    if state is None:
        return _is_operational(error)
    return state == UNKNOWN_STATEMENT or (state[:2] in {"08", "57"} and state != "57014")


def is_contention(error: BaseException) -> bool:
    """Whether PostgreSQL rolled back a transaction because of another one: retry it.

    That is a deadlock, a failed serialization, or a row whose month got a table meanwhile.
    """
    return str(getattr(error, "sqlstate", None)).startswith(("40", "23514"))


def _is_operational(error: BaseException) -> bool:
    """Compare by class name, so that PostgreSQL's driver need not be installed."""
    return any(kind.__name__ == "OperationalError" for kind in type(error).__mro__)


def as_service_error(error: BaseException) -> ServiceError | None:
    """Return the ServiceError to raise in place of a driver's or SQLAlchemy's error; None to re-raise the original."""
    if isinstance(error, PoolTimeoutError):
        return ServiceError("CO1000", BUSY[0], retry_after=BUSY[1])
    cause = error.orig if isinstance(error, DBAPIError) else error
    found = failure(cause) if cause is not None else None
    return ServiceError("CO1000", found[0], retry_after=found[1]) if found else None


@contextmanager
def failures_translated() -> Iterator[None]:
    """Raise ServiceError("CO1000") for failures of the database, with the driver's error as its cause."""
    try:
        yield
    except Exception as error:
        rejection = as_service_error(error)
        if rejection is None:
            raise
        raise rejection from error


class WriteState:
    """Remembers that a transaction found the database full or read-only."""

    def __init__(self) -> None:
        self._failed: tuple[float, ServiceError] | None = None

    @contextmanager
    def noted(self) -> Iterator[None]:
        """Translate failures as `failures_translated`, and remember one that concerns every write."""
        try:
            with failures_translated():
                yield
        except ServiceError as error:
            if error.detail in (FULL[0], READ_ONLY[0]):
                self._failed = monotonic(), error
            raise

    def require(self) -> None:
        """Raise the error of a transaction that failed so in the last 30 seconds, after which a client tries again."""
        failed = self._failed
        if failed is not None and monotonic() - failed[0] < FULL[1]:
            raise failed[1]


class TimeoutPause:
    """Rejects calls for a pause after one that ended in a timeout."""

    def __init__(self) -> None:
        self._closed_until = 0.0

    def begin(self) -> float:
        """Return the time for `fail`. Raises ServiceError: "CO1000" during a pause."""
        begun = monotonic()
        if begun < self._closed_until:
            raise ServiceError("CO1000", UNREACHABLE[0], retry_after=UNREACHABLE[1])
        return begun

    def fail(self, begun: float) -> None:
        """Begin a pause if the call that failed has taken long."""
        now = monotonic()
        if now - begun > MIN_WAIT:
            self._closed_until = now + min(now - begun, MAX_PAUSE)
