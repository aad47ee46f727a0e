"""The tables of stamps on PostgreSQL, one for each month of Fecha.

The seal signs Fecha, so that equal seals are of one month: the primary key of each table, the hash of the seal, is
unique in all of them. Stamps of a month without a table are in `stamp_other`, and stay there: a statement that was
planned before its rows move to a new table would not find them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import date
from typing import Final

import structlog
from sqlalchemy import (
    BigInteger,
    Column,
    ColumnElement,
    Connection,
    MetaData,
    Table,
    delete,
    exists,
    select,
    text,
    update,
)

from timbra.core.clock import CENTRAL_MEXICO, Clock
from timbra.core.periods import month_at, month_of
from timbra.database.batches import parts_of
from timbra.database.database import Database
from timbra.database.engines import without_statement_timeout
from timbra.database.tables.digests import DIGESTS_PER_ROW, ROW_DIGEST
from timbra.database.tables.search import LISTED_DOCUMENT
from timbra.database.tables.stamps import CUSTOM_ID, STAMP
from timbra.stamps.document_sums import remove_listed

LOG = structlog.get_logger("timbra.stamps")
OTHER: Final = "stamp_other"
MONTH: Final = re.compile(r"stamp_\d{4}_\d\d")
AHEAD: Final = 3
"""Months that have tables: the present one and those after it."""
AT_ONCE: Final = 8_192
"""Stamps whose rows of lists are removed by one statement."""
_TABLES = text(
    "SELECT relname, pg_get_expr(relpartbound, pg_class.oid) AS bounds "
    "FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid WHERE inhparent = 'stamp'::regclass"
)
_CHOSEN = text("INSERT INTO removed_stamp SELECT unnest(CAST(:cursors AS bigint[]))")
_REMOVED = Table(
    "removed_stamp",
    MetaData(),
    Column("cursor", BigInteger, primary_key=True, autoincrement=False),
    prefixes=["TEMPORARY"],
    postgresql_on_commit="DROP",
)
_EMPTIED = (
    update(ROW_DIGEST)
    .where(ROW_DIGEST.c.place == STAMP.name, ROW_DIGEST.c.key == "")
    .where(ROW_DIGEST.c.number.in_(select(_REMOVED.c.cursor // DIGESTS_PER_ROW)))
    .values(digests=b"")
)


class StampMonths:
    """The tables of the months. Nothing has an effect on SQLite, which has one table."""

    def __init__(self, database: Database, fiscal: Clock) -> None:
        self._database = database
        self._fiscal = fiscal

    def create(self, also: Iterable[date] = ()) -> list[str]:
        """Create the tables of the next months, but of those of which `stamp_other` has stamps; stamps go on.

        Args:
            also: First days of more months.

        Returns:
            The new tables.
        """
        if self._database.dialect == "sqlite":
            return []
        with self._database.read() as connection:
            bounds = _tables(connection)
        today = self._fiscal.now().astimezone(CENTRAL_MEXICO).date()
        wanted = {*also, *(month_at(today, later).first for later in range(AHEAD))}
        # Without tables of months: the bound of the stamps that are in partitions by their seal.
        lowest = "".join(re.findall(r"\(MINVALUE\) TO \('([\d-]+)'\)", " ".join(bounds.values())))
        names = [_name(month) for month in sorted(wanted) if f"{month:%Y-%m}" >= lowest]
        return [name for name in names if name not in bounds and self._create(name)]

    def table_of(self, month: date) -> str | None:
        """Return the table of a month; None while its stamps are not in a table of their own."""
        if self._database.dialect == "sqlite":
            return None
        with self._database.read() as connection:
            return _name(month) if _name(month) in _tables(connection) else None

    def remove(self, table: str, cursors: Sequence[int], stays: ColumnElement[bool]) -> int:
        """Remove most stamps of a month at once: its table is emptied, and the stamps that stay are written again.

        Args:
            table: The table of the month.
            cursors: The stamps to remove.
            stays: The condition of `stamp` under which one of them stays nevertheless.

        Returns:
            The number of removed stamps.
        """
        of_month = _of_table(table)
        with self._database.write() as connection, without_statement_timeout(connection):
            _REMOVED.create(connection)
            connection.execute(_CHOSEN, {"cursors": list(cursors)})
            staying = select(STAMP.c.cursor).where(*of_month, stays)
            connection.execute(delete(_REMOVED).where(_REMOVED.c.cursor.in_(staying)))
            removed = connection.execute(select(_REMOVED.c.cursor)).scalars().all()
            seals = select(STAMP.c.seal_hash).where(*of_month, STAMP.c.cursor.in_(select(_REMOVED.c.cursor)))
            connection.execute(delete(CUSTOM_ID).where(CUSTOM_ID.c.seal_hash.in_(seals)))
            for part in parts_of(removed, AT_ONCE):
                remove_listed(connection, LISTED_DOCUMENT.c.cursor.in_(part))
            connection.execute(_EMPTIED)
            _replace_rows(connection, table)
        return len(removed)

    def drop_empty(self, before: date) -> list[str]:
        """Drop the tables without stamps of the months before this one; return them."""
        if self._database.dialect == "sqlite":
            return []
        with self._database.read() as connection:
            names = connection.execute(_TABLES).scalars().all()
        return [name for name in sorted(names) if MONTH.fullmatch(name) and name < _name(before) and self._drop(name)]

    def _create(self, name: str) -> bool:
        since, until = _bounds(name)
        with self._database.write() as connection:
            connection.exec_driver_sql(f"LOCK TABLE {OTHER} IN ACCESS EXCLUSIVE MODE")
            if connection.execute(select(exists().where(*_of_table(name)))).scalar():
                return False
            connection.exec_driver_sql(
                f"CREATE TABLE {name} (LIKE stamp INCLUDING DEFAULTS INCLUDING STORAGE, "
                f"CONSTRAINT pk_{name} PRIMARY KEY (seal_hash)) WITH (toast_tuple_target = 8160)"
            )
            connection.exec_driver_sql(
                f"ALTER TABLE stamp ATTACH PARTITION {name} FOR VALUES FROM ('{since}') TO ('{until}')"
            )
        LOG.info("table of a month created", table=name)
        return True

    def _drop(self, name: str) -> bool:
        with self._database.write() as connection:
            connection.exec_driver_sql(f"LOCK TABLE {name} IN ACCESS EXCLUSIVE MODE")
            if connection.exec_driver_sql(f"SELECT EXISTS (SELECT FROM {name})").scalar():  # noqa: S608
                return False
            connection.exec_driver_sql(f"DROP TABLE {name}")
        LOG.info("table of a month dropped", table=name)
        return True


def _tables(connection: Connection) -> dict[str, str]:
    """Return the bounds of the partitions by their names."""
    return {row.relname: row.bounds for row in connection.execute(_TABLES)}


def _replace_rows(connection: Connection, table: str) -> None:
    for statement in (
        f"LOCK TABLE {table} IN ACCESS EXCLUSIVE MODE",
        f"CREATE TEMPORARY TABLE kept_stamp ON COMMIT DROP AS SELECT * FROM {table} "  # noqa: S608
        "WHERE cursor NOT IN (SELECT cursor FROM removed_stamp)",
        f"TRUNCATE {table}",
        f"INSERT INTO {table} SELECT * FROM kept_stamp",  # noqa: S608
    ):
        connection.exec_driver_sql(statement)


def _of_table(table: str) -> tuple[ColumnElement[bool], ColumnElement[bool]]:
    since, until = _bounds(table)
    fecha = STAMP.c.fecha.collate("C")
    return fecha >= since, fecha < until


def _name(month: date) -> str:
    return f"stamp_{month:%Y_%m}"


def _bounds(table: str) -> tuple[str, str]:
    """Return the first Fecha of a table of a month, and that of the next one."""
    month = table.removeprefix("stamp_").replace("_", "-")
    return month, f"{month_at(month_of(month).first, 1).first:%Y-%m}"
