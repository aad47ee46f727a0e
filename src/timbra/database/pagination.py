"""Keyset pagination: pages of rows in the order of an index, forwards and backwards."""

from __future__ import annotations

import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Column, ColumnElement, Connection, Row, Select, and_, literal, or_, select, tuple_

from timbra.core.errors import ServiceError
from timbra.database.tables.column_types import DAMAGED_INSTANTS, Instant, from_microseconds, to_microseconds

MAX_PAGE_SIZE = 200
NUMBER_BYTES = 8
MOST = 2 ** (8 * NUMBER_BYTES - 1)
LONGEST_CURSOR = 1_000
BACKWARDS = "~"
"""Begins the cursor of the page before."""


@dataclass(frozen=True, slots=True)
class RowPage:
    """One page.

    Attributes:
        before: The cursor of the page before; None at the beginning.
        after: The cursor of the next page; None at the end.
    """

    rows: Sequence[Row[Any]]
    before: str | None
    after: str | None


@dataclass(frozen=True, slots=True)
class KeysetPage:
    """A paginated query.

    Attributes:
        columns: The columns of a row, which include the keys.
        keys: What the rows are sorted by, all in one direction: instants, numbers or texts, compared by bytes; the last
            one is a unique number.
        ascending: Whether the smallest keys come first.
    """

    columns: Sequence[Column[Any]]
    keys: Sequence[Column[Any]]
    ascending: bool = False

    def page(
        self, connection: Connection, branches: Iterable[ColumnElement[bool]], cursor: str | None, limit: int
    ) -> RowPage:
        """Return the rows that match one of the branches, each once.

        Args:
            connection: The connection of a transaction.
            branches: Conditions; each is a query of its own, which an index on its columns and the keys serves.
            cursor: The cursor of the page; None for the first page.
            limit: Size of the page; values outside of 1 to 200 are clamped.

        Raises:
            ServiceError: "TB4005" for a cursor that this method did not return.
        """
        return self.cut(self.rows(connection, branches, cursor, limit), cursor, limit)

    def rows(
        self, connection: Connection, branches: Iterable[ColumnElement[bool]], cursor: str | None, limit: int
    ) -> list[Row[Any]]:
        """Return what `cut` needs of each branch; see `page`."""
        limit = _clamped(limit) + 1
        return [row for branch in branches for row in connection.execute(self.query(branch, cursor, limit))]

    def cut(self, found: Iterable[Row[Any]], cursor: str | None, limit: int) -> RowPage:
        """Return the page of rows that `rows` found, here and in tables with columns of the same names."""
        limit, backwards = _clamped(limit), _is_backwards(cursor)
        each_once = {row._mapping[self.keys[-1].name]: row for row in found}
        rows = sorted(each_once.values(), key=self._place, reverse=self.ascending is backwards)
        has_more, rows = len(rows) > limit, rows[:limit]
        if backwards:
            rows.reverse()
        is_before = has_more if backwards else cursor is not None
        is_after = cursor is not None if backwards else has_more
        return RowPage(
            rows,
            BACKWARDS + _write_cursor(self._place(rows[0])) if rows and is_before else None,
            _write_cursor(self._place(rows[-1])) if rows and is_after else None,
        )

    def query(self, condition: ColumnElement[bool], cursor: str | None, limit: int) -> Select[Any]:
        """Return the query of the rows next to the cursor that match one condition, the nearest first."""
        is_ascending = self.ascending is not _is_backwards(cursor)
        behind = () if cursor is None else (self._behind(cursor.removeprefix(BACKWARDS), is_ascending),)
        query = select(*self.columns).where(condition, *behind)
        return query.order_by(*(key.asc() if is_ascending else key.desc() for key in self.keys)).limit(limit)

    def _place(self, row: Row[Any]) -> tuple[Any, ...]:
        return tuple(_sortable(key, row._mapping[key.name]) for key in self.keys)

    def _behind(self, cursor: str, is_ascending: bool) -> ColumnElement[bool]:
        values = _read_cursor(cursor, self.keys)
        first, value = self.keys[0], values[0]
        if len(self.keys) == 2:
            number, last = self.keys[1], values[1]
            if is_ascending:
                return and_(first >= value, or_(first > value, number > last))
            return and_(first <= value, or_(first < value, number < last))
        keys = tuple_(*self.keys)
        place = tuple_(*(literal(each, key.type) for each, key in zip(values, self.keys, strict=True)))
        # The first condition is a range of the index for SQLite too.
        return and_(first >= value, keys > place) if is_ascending else and_(first <= value, keys < place)


def between(column: Column[datetime], since: datetime | None, until: datetime | None) -> list[ColumnElement[bool]]:
    """Return the conditions of a time range.

    Args:
        since: The lower bound, inclusive; None for none.
        until: The upper bound, exclusive; None for none.
    """
    first = [] if since is None else [column >= since]
    return first if until is None else [*first, column < until]


def _sortable(key: Column[Any], value: Any) -> Any:
    """Return a key; for a damaged one that is NULL the first of its type."""
    if value is not None:
        return value
    return DAMAGED_INSTANTS[0] if isinstance(key.type, Instant) else "" if key.type.python_type is str else 1 - MOST


def _clamped(limit: int) -> int:
    return min(max(limit, 1), MAX_PAGE_SIZE)


def _is_backwards(cursor: str | None) -> bool:
    return cursor is not None and cursor.startswith(BACKWARDS)


def _write_cursor(place: Sequence[Any]) -> str:
    """Return keys as text: numbers and instants alone as bytes, others as JSON."""
    values = [to_microseconds(each) if isinstance(each, datetime) else each for each in place]
    if all(isinstance(each, int) for each in values):
        raw = b"".join(each.to_bytes(NUMBER_BYTES, "big", signed=True) for each in values)
    else:
        raw = json.dumps(values, separators=(",", ":")).encode()
    return urlsafe_b64encode(raw).decode().rstrip("=")


def _read_cursor(text: str, keys: Sequence[Column[Any]]) -> list[Any]:
    kinds = [datetime if isinstance(key.type, Instant) else key.type.python_type for key in keys]
    try:
        raw = urlsafe_b64decode(text[:LONGEST_CURSOR] + "==")
        values = json.loads(raw) if str in kinds else _numbers(raw)
        return [_value(each, kind) for each, kind in zip(values, kinds, strict=True)]
    except (TypeError, ValueError, OverflowError, RecursionError) as error:
        raise ServiceError("TB4005", "El cursor de la página no es válido.") from error


def _numbers(raw: bytes) -> list[int]:
    if len(raw) % NUMBER_BYTES:
        raise ValueError("a number is not whole")
    starts = range(0, len(raw), NUMBER_BYTES)
    return [int.from_bytes(raw[start : start + NUMBER_BYTES], "big", signed=True) for start in starts]


def _value(value: object, kind: type) -> Any:
    if kind is datetime and type(value) is int:
        return from_microseconds(value)
    if kind is int and type(value) is int and abs(value) < MOST:
        return value
    if kind is str and isinstance(value, str) and b"\0" not in value.encode():
        return value
    raise ValueError(f"a key is no {kind.__name__}")
