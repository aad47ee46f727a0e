"""A database that is out of reach, locked, full or read-only becomes one ServiceError; bugs stay what they are."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError

from timbra.errors import ServiceError

BUSY = ("La base de datos está ocupada.", 1)
UNREACHABLE = ("La base de datos no responde.", 5)
READ_ONLY = ("La base de datos no admite escrituras.", 30)
FULL = ("La base de datos no tiene espacio.", 30)
DAMAGED = ("La base de datos no se puede leer.", 60)

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
    """Spanish detail and seconds to wait for a driver's error that time or an operator cures; None for a bug."""
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
    """Whether a driver's error means that its connection is of no further use.

    A statement that PostgreSQL does not know was prepared in a batch that failed: the driver believes that it is there.
    """
    state = getattr(error, "sqlstate", "")
    if state is None:
        return _is_operational(error)
    return state == UNKNOWN_STATEMENT or (state[:2] in {"08", "57"} and state != "57014")


def is_contention(error: BaseException) -> bool:
    """Whether PostgreSQL undid a transaction for another's sake (deadlock, serialisation): to be tried again."""
    return str(getattr(error, "sqlstate", None)).startswith("40")


def _is_operational(error: BaseException) -> bool:
    """By name, so that PostgreSQL's driver is not needed to tell."""
    return any(kind.__name__ == "OperationalError" for kind in type(error).__mro__)


def as_service_error(error: BaseException) -> ServiceError | None:
    """The refusal to raise in place of a driver's or SQLAlchemy's error; None when it must go on as it is."""
    if isinstance(error, PoolTimeoutError):
        return ServiceError("CO1000", BUSY[0], retry_after=BUSY[1])
    cause = error.orig if isinstance(error, DBAPIError) else error
    known = failure(cause) if cause is not None else None
    return ServiceError("CO1000", known[0], retry_after=known[1]) if known else None


@contextmanager
def failures_translated() -> Iterator[None]:
    """Raises ServiceError("CO1000") for failures of the database, with the driver's error as its cause."""
    try:
        yield
    except Exception as error:
        refusal = as_service_error(error)
        if refusal is None:
            raise
        raise refusal from error
