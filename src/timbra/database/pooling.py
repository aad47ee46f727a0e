"""Detection of a connection pooler that gives each transaction, or each statement, another session of PostgreSQL."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Engine, PoolProxiedConnection
from sqlalchemy.exc import DBAPIError

from timbra.core.errors import ServiceError
from timbra.database.engines import detached

ROUNDS = 3
STATEMENT_POOLING = "statement pooling mode"
"""What PgBouncer says of the first transaction in that mode."""
WITHOUT_SESSIONS = (
    "La base de datos está detrás de un distribuidor de conexiones (PgBouncer) en modo {mode}. "
    "Timbra necesita sesiones: use pool_mode = session o conéctese directamente."
)


def require_session_connections(engine: Engine) -> None:
    """Reject a pooler in the mode transaction or statement; one query for a direct connection.

    Timeouts, the setting of durable commits, prepared statements and LISTEN belong to a session. Behind such a pooler
    they would apply to sessions of others, and not to all transactions of this node.

    Args:
        engine: An engine of PostgreSQL; nothing is checked on SQLite.

    Raises:
        ServiceError: "CO1000" for such a pooler.
    """
    if engine.dialect.name != "postgresql":
        return
    first = _connected(engine)
    try:
        driver: Any = first.driver_connection
        # A pooler answers the start of a connection itself, with a process number of its own.
        if _process_number(first) == driver.info.backend_pid:
            return
        second = detached(engine)
        try:
            if not _has_session(first, second):
                raise ServiceError("CO1000", WITHOUT_SESSIONS.format(mode="transaction"))
        finally:
            second.close()
    finally:
        first.close()


def _connected(engine: Engine) -> PoolProxiedConnection:
    try:
        return engine.raw_connection()
    except DBAPIError as error:
        if STATEMENT_POOLING in str(error.orig):
            raise ServiceError("CO1000", WITHOUT_SESSIONS.format(mode="statement")) from error
        raise


def is_pooled(engine: Engine) -> bool:
    """Whether a pooler is between this process and PostgreSQL."""
    connection = engine.raw_connection()
    try:
        driver: Any = connection.driver_connection
        return _process_number(connection) != int(driver.info.backend_pid)
    finally:
        connection.close()


def _has_session(first: PoolProxiedConnection, second: PoolProxiedConnection) -> bool:
    """Whether an idle connection keeps its server process while another one has a transaction."""
    own = {_process_number(first)}
    for _ in range(ROUNDS):
        other = _process_number(second, ends=False)
        own.add(_process_number(first))
        second.rollback()
        if other in own or len(own) > 1:
            return False
    return True


def _process_number(connection: PoolProxiedConnection, *, ends: bool = True) -> int:
    """Return the number of the server process; `ends`: end the transaction, so that a pooler may reuse the process."""
    cursor = connection.cursor()
    cursor.execute("SELECT pg_backend_pid()")
    row = cursor.fetchone()
    cursor.close()
    if ends:
        connection.rollback()
    return int(row[0]) if row else 0
