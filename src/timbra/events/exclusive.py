"""Transactions over all tables: without concurrent writes, or with reads of one instant."""

from __future__ import annotations

import random
import time

from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError

from timbra.core.bounds import Bound, BoundKind
from timbra.core.errors import ServiceError
from timbra.database.errors import BUSY
from timbra.database.tables import METADATA
from timbra.database.tables.audit import APPEND_ONLY

ATTEMPTS = 50
LOCK_MILLISECONDS = 200
"""Shorter than PostgreSQL's `deadlock_timeout` (1 s): in a deadlock this transaction gives way, not the other one."""
MAX_PAUSE = 0.05
LOCK_NOT_AVAILABLE = "55P03"


def lock_all_tables(connection: Connection) -> None:
    """Wait until no transaction has written rows that are not committed, and let no other one write until the end.

    On SQLite the write transaction has that lock. On PostgreSQL the mode EXCLUSIVE stops writers and row locks of all
    nodes; plain reads continue. All locks are given back and requested again when one of them is not free in time.

    Raises:
        ServiceError: "CO1000" with `retry_after` when the tables were in use at each attempt.
    """
    if connection.dialect.name != "postgresql":
        return
    format_table = connection.dialect.identifier_preparer.format_table
    # To lock a table needs the privilege to change its rows.
    tables = [table for table in METADATA.sorted_tables if table not in APPEND_ONLY]
    statement = f"LOCK TABLE {', '.join(format_table(table) for table in tables)} IN EXCLUSIVE MODE"
    connection.exec_driver_sql(f"SET LOCAL lock_timeout = {LOCK_MILLISECONDS}")
    for _ in range(ATTEMPTS):
        try:
            with connection.begin_nested():
                connection.exec_driver_sql(statement)
        except DBAPIError as error:
            if getattr(error.orig, "sqlstate", None) != LOCK_NOT_AVAILABLE:
                raise
            time.sleep(random.uniform(0, MAX_PAUSE))  # noqa: S311
        else:
            connection.exec_driver_sql("SET LOCAL lock_timeout = 0")
            return
    raise ServiceError("CO1000", BUSY[0], retry_after=BUSY[1])


def read_one_instant(connection: Connection) -> None:
    """Make every later query of the transaction read the state of one instant, as SQLite does anyway."""
    if connection.dialect.name == "postgresql":
        connection.exec_driver_sql("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")


BOUNDS = (
    Bound(
        "lock_all_tables",
        BoundKind.RETRY,
        f"{ATTEMPTS} attempts",
        "The request is rejected with CO1000 and `retry_after`.",
    ),
)
