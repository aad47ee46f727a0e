"""Text search over columns, bounded in length."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, Table, and_, false, func, or_, select, true


def contains_words(text: str, *columns: ColumnElement[str]) -> ColumnElement[bool]:
    """Return the condition that each word of `text` occurs in one of the columns, case-insensitively.

    A text with unprintable characters matches nothing: no stored value has one.
    """
    if not text.isprintable():
        return false()
    words = text.split()
    return and_(true(), *(or_(*(column.icontains(word, autoescape=True) for column in columns)) for word in words))


def first_rows(
    connection: Connection,
    table: Table,
    condition: ColumnElement[bool],
    order: Sequence[ColumnElement[Any]],
    limit: int,
) -> tuple[Sequence[Row[Any]], int]:
    """Return the first `limit` rows that meet the condition, and how many meet it in total."""
    total = connection.execute(select(func.count()).select_from(table).where(condition)).scalar_one()
    return connection.execute(select(table).where(condition).order_by(*order).limit(limit)).all(), total
