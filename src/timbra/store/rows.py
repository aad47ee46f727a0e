"""A StampRecord as a row and back, in one fixed order of columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from operator import attrgetter
from typing import Any

from timbra.store.codec import decode
from timbra.store.port import StampRecord
from timbra.store.types import from_microseconds, to_microseconds

COLUMNS = tuple(field.name for field in fields(StampRecord))
COLUMN_LIST = ", ".join(COLUMNS)
_STAMPED_AT = COLUMNS.index("stamped_at")
_before = attrgetter(*COLUMNS[:_STAMPED_AT])
_after = attrgetter(*COLUMNS[_STAMPED_AT + 1 : -1])


def to_row(record: StampRecord, compressed: bytes) -> tuple[Any, ...]:
    """The values of COLUMNS; `compressed` stands for the document."""
    return (*_before(record), to_microseconds(record.stamped_at), *_after(record), compressed)


def from_row(row: Sequence[Any]) -> StampRecord:
    """The record of a row of COLUMNS. ValueError when its document is damaged."""
    values = list(row)
    values[_STAMPED_AT] = from_microseconds(row[_STAMPED_AT])
    values[-1] = decode(row[-1])
    return StampRecord(*values)
