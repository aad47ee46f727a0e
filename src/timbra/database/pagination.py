"""Keyset pagination: pages of rows, newest first, read from an index."""

from __future__ import annotations

from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Column, ColumnElement, Connection, Row, Select, and_, or_, select

from timbra.core.errors import ServiceError
from timbra.database.tables.column_types import from_microseconds, to_microseconds

MAX_PAGE_SIZE = 200
CURSOR_BYTES = 16


@dataclass(frozen=True, slots=True)
class KeysetPage:
    """A paginated query.

    Attributes:
        columns: The columns of a row, which include `at` and `number`.
        at: The first column of the sort key, descending.
        number: The second column of the sort key, descending; unique.
    """

    columns: Sequence[Column[Any]]
    at: Column[datetime]
    number: Column[int]

    def page(
        self, connection: Connection, branches: Iterable[ColumnElement[bool]], cursor: str | None, limit: int
    ) -> tuple[list[Row[Any]], str | None]:
        """Return the rows that match one of the branches, each once, and the cursor of the next page or None.

        Args:
            connection: The connection of a transaction.
            branches: Conditions; each is a query of its own, which an index on its columns, `at` and `number` serves.
            cursor: The cursor of the page; None for the first page.
            limit: Size of the page; values outside of 1 to 200 are clamped.

        Raises:
            ServiceError: "TB4005" for a cursor that this method did not return.
        """
        limit = min(max(limit, 1), MAX_PAGE_SIZE)
        found: dict[int, Row[Any]] = {}
        for branch in branches:
            rows_of_branch = connection.execute(self.query(branch, cursor, limit + 1))
            found.update((row._mapping[self.number], row) for row in rows_of_branch)
        rows = sorted(found.values(), key=self._place, reverse=True)
        return rows[:limit], _write_cursor(*self._place(rows[limit - 1])) if len(rows) > limit else None

    def query(self, condition: ColumnElement[bool], cursor: str | None, limit: int) -> Select[Any]:
        """Return the query of the newest rows after the cursor that match one condition."""
        behind = () if cursor is None else (self._behind(cursor),)
        query = select(*self.columns).where(condition, *behind)
        return query.order_by(self.at.desc(), self.number.desc()).limit(limit)

    def _place(self, row: Row[Any]) -> tuple[datetime, int]:
        return row._mapping[self.at], row._mapping[self.number]

    def _behind(self, cursor: str) -> ColumnElement[bool]:
        at, number = _read_cursor(cursor)
        return and_(self.at <= at, or_(self.at < at, self.number < number))


def between(column: Column[datetime], since: datetime | None, until: datetime | None) -> list[ColumnElement[bool]]:
    """Return the conditions of a time range.

    Args:
        since: The lower bound, inclusive; None for none.
        until: The upper bound, exclusive; None for none.
    """
    first = [] if since is None else [column >= since]
    return first if until is None else [*first, column < until]


def _write_cursor(at: datetime, number: int) -> str:
    raw = to_microseconds(at).to_bytes(8, "big", signed=True) + number.to_bytes(8, "big", signed=True)
    return urlsafe_b64encode(raw).decode().rstrip("=")


def _read_cursor(text: str) -> tuple[datetime, int]:
    try:
        raw = urlsafe_b64decode(text + "==")
        at = from_microseconds(int.from_bytes(raw[:8], "big", signed=True))
    except (ValueError, OverflowError) as error:
        raise _foreign() from error
    if len(raw) != CURSOR_BYTES:
        raise _foreign()
    return at, int.from_bytes(raw[8:], "big", signed=True)


def _foreign() -> ServiceError:
    return ServiceError("TB4005", "El cursor de la página no es válido.")
