"""Mapping of `StampRecord` to a row and back, in one order of columns."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from decimal import Decimal, InvalidOperation
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from timbra.core.errors import ServiceError
from timbra.database.codec import decode, is_reference
from timbra.database.damaged_values import REPLACED, read_bytes, read_number, read_text
from timbra.database.tables.column_types import DAMAGED_INSTANTS, read_instant, to_microseconds
from timbra.stamps.port import DamagedStamp, StampRecord

if TYPE_CHECKING:
    from timbra.stamps.search import StampSummary

COLUMNS = tuple(field.name for field in fields(StampRecord))
if COLUMNS[-1] != "cfdi":
    raise TypeError("the document is not the last field of StampRecord")
COLUMN_LIST = ", ".join(COLUMNS)
_READ: Mapping[str, tuple[type, Callable[[object], Any]]] = {
    "bytes": (bytes, read_bytes),
    "datetime": (int, lambda stored: stored),
    "int": (int, read_number),
    "str": (str, read_text),
}
_READERS = [_READ[str(field.type)] for field in fields(StampRecord)]
_STAMPED_AT = COLUMNS.index("stamped_at")
UUID = COLUMNS.index("uuid")
_before = attrgetter(*COLUMNS[:_STAMPED_AT])
_after = attrgetter(*COLUMNS[_STAMPED_AT + 1 : -1])


def to_row(record: StampRecord, compressed: bytes) -> tuple[Any, ...]:
    """Return the values of COLUMNS, with `compressed` as the document."""
    return (*_before(record), to_microseconds(record.stamped_at), *_after(record), compressed)


def from_row(row: Sequence[Any]) -> StampRecord:
    """Return the record of a row of COLUMNS. ServiceError: "document-damaged" when decompression fails."""
    found = read_row(row)
    if isinstance(found, DamagedStamp):
        raise found.error
    return found


def read_row(row: Sequence[Any]) -> StampRecord | DamagedStamp:
    """Return the record of a row of COLUMNS, or what is readable of it when its document is damaged.

    A reference to an archive stays as it is: the caller reads it when it does not hold the connection.
    """
    values: list[Any] = [
        value if type(value) is right else read(value) for value, (right, read) in zip(row, _READERS, strict=True)
    ]
    values[_STAMPED_AT] = read_instant(row[_STAMPED_AT])
    if is_reference(values[-1]):
        return StampRecord(*values)
    try:
        values[-1] = decode(values[-1])
    except ValueError as error:
        values[-1] = b""
        return DamagedStamp(StampRecord(*values), damage_of(values[UUID], error))
    return StampRecord(*values)


def damage_of(uuid: str, error: ValueError) -> ServiceError:
    """Return the error of a damaged document."""
    return ServiceError("document-damaged", f"Timbre {uuid}: {error}")


def has_damaged_columns(stamp: StampRecord | StampSummary) -> bool:
    """Whether a column has a value that none was stored with, as far as the row alone says."""
    texts = (stamp.uuid, stamp.kind, stamp.serie, stamp.folio, stamp.fecha, stamp.issuer_rfc, stamp.receiver_rfc)
    if stamp.stamped_at in DAMAGED_INSTANTS or any(REPLACED in text for text in texts):
        return True
    try:
        return not Decimal(stamp.total).is_finite()
    except InvalidOperation:
        return True
