"""Mapping of `StampRecord` to a row and back, in one order of columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from operator import attrgetter
from typing import Any

from timbra.core.errors import ServiceError
from timbra.database.codec import decode
from timbra.database.tables.column_types import read_instant, to_microseconds
from timbra.stamps.port import DamagedStamp, StampRecord

COLUMNS = tuple(field.name for field in fields(StampRecord))
if COLUMNS[-1] != "cfdi":
    raise TypeError("the document is not the last field of StampRecord")
COLUMN_LIST = ", ".join(COLUMNS)
_STAMPED_AT = COLUMNS.index("stamped_at")
_UUID = COLUMNS.index("uuid")
_before = attrgetter(*COLUMNS[:_STAMPED_AT])
_after = attrgetter(*COLUMNS[_STAMPED_AT + 1 : -1])


def to_row(record: StampRecord, compressed: bytes) -> tuple[Any, ...]:
    """Return the values of COLUMNS, with `compressed` as the document."""
    return (*_before(record), to_microseconds(record.stamped_at), *_after(record), compressed)


def from_row(row: Sequence[Any]) -> StampRecord:
    """Return the record of a row of COLUMNS. Raises ServiceError: "document-damaged" when decompression fails."""
    found = read_row(row)
    if isinstance(found, DamagedStamp):
        raise found.error
    return found


def read_row(row: Sequence[Any]) -> StampRecord | DamagedStamp:
    """Return the record of a row of COLUMNS, or what is readable of it when its document is damaged."""
    values = list(row)
    values[_STAMPED_AT] = read_instant(row[_STAMPED_AT])
    try:
        values[-1] = decode(row[-1])
    except (ValueError, TypeError) as error:
        values[-1] = b""
        damage = ServiceError("document-damaged", f"Timbre {row[_UUID]}: {error}")
        return DamagedStamp(StampRecord(*values), damage)
    return StampRecord(*values)
