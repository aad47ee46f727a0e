"""Reading of whole tables in slices, each in a short transaction, so that writers and checkpoints go on.

A row that the database or its driver cannot read is told by its key, and the rows around it are read one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any

from sqlalchemy import JSON, Column, ColumnElement, Connection, Row, Select, Text, cast, select, tuple_, type_coerce
from sqlalchemy.exc import DBAPIError
from sqlalchemy.types import NULLTYPE

from timbra.core.errors import ServiceError
from timbra.database.damaged_values import only_utf8
from timbra.database.database import Database
from timbra.database.errors import DAMAGED
from timbra.fsck.findings import Cure, FsckFinding, shown

SLICE = 500
"""Rows of one transaction."""
BUFFER = 16
"""Rows that are in memory at once: a document has up to some megabytes."""


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A row that cannot be read. key: the values of its key; empty when not even the key can be read."""

    key: tuple[object, ...]
    reason: str


def raw(column: Column[Any], dialect: str) -> ColumnElement[Any]:
    """Return a column whose values come as the driver has them, damaged ones too."""
    if isinstance(column.type, JSON):
        text = cast(column, Text) if dialect == "postgresql" else type_coerce(column, NULLTYPE)
        return text.label(column.key)
    return type_coerce(column, NULLTYPE).label(column.key)


class TableReader:
    """Reads tables of one database.

    Args:
        database: The database.
        count: Called with the number of rows after each slice.
    """

    def __init__(self, database: Database, count: Callable[[int], None] = lambda _: None) -> None:
        self._database = database
        self._count = count

    def rows(
        self,
        columns: Sequence[Column[Any]],
        key: Sequence[Column[Any]],
        *conditions: ColumnElement[bool],
        within: Connection | None = None,
    ) -> Iterator[Row[Any] | Unreadable]:
        """Yield the rows of a table in the order of a unique key, with the values as the driver has them.

        Args:
            columns: The columns, those of the key included.
            key: The key.
            conditions: Which rows.
            within: A transaction for all slices; each has its own when None.
        """
        dialect = self._database.dialect
        query = select(*(raw(column, dialect) for column in columns)).where(*conditions).order_by(*key).limit(SLICE)
        places = [columns.index(column) for column in key]
        last: tuple[object, ...] | None = None
        while True:
            number = 0
            try:
                for row in self._slice(query, key, last, within):
                    number += 1
                    last = tuple(row[place] for place in places)
                    yield row
            except (ServiceError, DBAPIError, ValueError, OverflowError) as error:
                if not is_damage(error):
                    raise
                for one in self._one_by_one(query, key, conditions, last, within):
                    number += 1
                    last = one.key if isinstance(one, Unreadable) else tuple(one[place] for place in places)
                    yield one
                    if not last:
                        return
            self._count(number)
            if number < SLICE:
                return

    def _slice(
        self, query: Select[Any], key: Sequence[Column[Any]], last: tuple[object, ...] | None, within: Connection | None
    ) -> Iterator[Row[Any]]:
        with self._transaction(within) as connection, only_utf8(connection):
            rows = connection.execute(
                _after(query, key, last), execution_options={"stream_results": True, "max_row_buffer": BUFFER}
            )
            yield from rows

    def _one_by_one(
        self,
        query: Select[Any],
        key: Sequence[Column[Any]],
        conditions: Sequence[ColumnElement[bool]],
        last: tuple[object, ...] | None,
        within: Connection | None,
    ) -> Iterator[Row[Any] | Unreadable]:
        """Yield the next rows by their keys; one unreadable row for the rest when the keys cannot be read."""
        dialect = self._database.dialect
        keys = select(*(raw(column, dialect) for column in key)).where(*conditions).order_by(*key).limit(SLICE)
        try:
            found = [tuple(row) for row in self._slice(keys, key, last, within)]
        except (ServiceError, DBAPIError, ValueError, OverflowError) as error:
            if not is_damage(error):
                raise
            yield Unreadable((), _reason(error))
            return
        for each in found:
            one = query.where(*(column == value for column, value in zip(key, each, strict=True)))
            try:
                yield from self._slice(one, key, None, within)
            except (ServiceError, DBAPIError, ValueError, OverflowError) as error:
                if not is_damage(error):
                    raise
                yield Unreadable(each, _reason(error))

    def _transaction(self, within: Connection | None) -> AbstractContextManager[Connection]:
        return self._database.read() if within is None else nullcontext(within)


def is_damage(error: Exception) -> bool:
    """Whether what is stored cannot be read, not the database as a whole."""
    return not isinstance(error, ServiceError) or error.detail == DAMAGED[0]


def _after(query: Select[Any], key: Sequence[Column[Any]], last: tuple[object, ...] | None) -> Select[Any]:
    if last is None:
        return query
    if len(key) == 1:
        return query.where(type_coerce(key[0], NULLTYPE) > last[0])
    return query.where(tuple_(*(type_coerce(column, NULLTYPE) for column in key)) > tuple_(*last))


def _reason(error: Exception) -> str:
    cause = error.__cause__ if isinstance(error, ServiceError) else error
    return " ".join(str(getattr(cause, "orig", cause)).split())


def unreadable(row: Unreadable, place: str) -> Iterator[FsckFinding]:
    """Yield the finding of a row that cannot be read."""
    yield FsckFinding(
        "row-unreadable", place, " ".join(map(shown, row.key)), stored=shown(row.reason), cure=Cure.RESTORE
    )
