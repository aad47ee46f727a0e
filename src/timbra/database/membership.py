"""Queries by many keys, by few statements."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any, TypeVar

from sqlalchemy import Column, Connection, Select, select

from timbra.database.batches import parts_of

Key = TypeVar("Key", str, int)
KEYS_PER_STATEMENT = 1_024
"""Far below the limit of parameters of SQLite and PostgreSQL."""


def rows_in(
    connection: Connection, query: Select[*tuple[Any, ...]], column: Column[Key], keys: Collection[Key]
) -> Iterator[Any]:
    """Yield the rows of the query whose column is one of the keys."""
    for part in parts_of(list(keys), KEYS_PER_STATEMENT):
        yield from connection.execute(query.where(column.in_(part)))


def pairs_in(
    connection: Connection, key: Column[str], value: Column[str], keys: Collection[str]
) -> Iterator[tuple[str, str]]:
    """Return the existing keys, each with its value."""
    return ((row[0], row[1]) for row in rows_in(connection, select(key, value), key, keys))
