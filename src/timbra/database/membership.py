"""Queries by many keys, by few statements."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any, TypeVar

from sqlalchemy import Column, Connection, Select, select, text

from timbra.database.batches import parts_of
from timbra.database.tables.stamps import STAMP

Key = TypeVar("Key", str, int)
RECENT = "stamp.fecha COLLATE \"C\" >= to_char(now() - interval '40 days', 'YYYY-MM')"
"""Condition of the stamps of this month and the last one, in the SQL of PostgreSQL, which reads only their tables."""
KEYS_PER_STATEMENT = 1_024
"""Far below the limit of parameters of SQLite and PostgreSQL."""


def rows_in(
    connection: Connection, query: Select[*tuple[Any, ...]], column: Column[Key], keys: Collection[Key]
) -> Iterator[Any]:
    """Yield the rows of the query whose column is one of the keys."""
    for part in parts_of(list(keys), KEYS_PER_STATEMENT):
        yield from connection.execute(query.where(column.in_(part)))


def stamp_rows(connection: Connection, query: Select[*tuple[Any, ...]], uuids: Collection[str]) -> Iterator[Any]:
    """Yield the rows of a query of `stamp`, which has its folio as `uuid`, for folios.

    PostgreSQL has a table for each month: those of the last ones are read first, all of them for the folios that these
    do not have.
    """
    if connection.dialect.name == "sqlite":
        yield from rows_in(connection, query, STAMP.c.uuid, uuids)
        return
    older = {*uuids}
    for row in rows_in(connection, query.where(text(RECENT)), STAMP.c.uuid, uuids):
        older.discard(row.uuid)
        yield row
    yield from rows_in(connection, query, STAMP.c.uuid, sorted(older))


def pairs_in(
    connection: Connection, key: Column[str], value: Column[str], keys: Collection[str]
) -> Iterator[tuple[str, str]]:
    """Return the existing keys, each with its value."""
    return ((row[0], row[1]) for row in rows_in(connection, select(key, value), key, keys))
