"""Sums of the amounts of listed documents by day, kind and currency, changed with the rows that they count."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date, datetime
from typing import Protocol

from sqlalchemy import ColumnElement, Connection, delete

from timbra.core.clock import CENTRAL_MEXICO
from timbra.database.tables.search import LISTED_DOCUMENT

L = LISTED_DOCUMENT.c
BILLION = 1_000_000_000
NO_AMOUNT = -1
"""The units of an amount that cannot be read."""
KEYS = ("account_id", "day", "kind", "currency")
PARTS = ("documents", "damaged", "billions", "units", "millionths")
_COLUMNS = ", ".join((*KEYS, *PARTS))
_CHANGES = ", ".join(f"{name} = document_sum.{name} + excluded.{name}" for name in PARTS)
_ADD = "INSERT INTO document_sum ({}) VALUES ({}) ON CONFLICT ({}) DO UPDATE SET {}"


class Summed(Protocol):
    """What the sums read of a row of `listed_document`."""

    @property
    def account_id(self) -> int: ...
    @property
    def stamped_at(self) -> datetime: ...
    @property
    def kind(self) -> str: ...
    @property
    def currency(self) -> str: ...
    @property
    def units(self) -> int: ...
    @property
    def millionths(self) -> int: ...


@dataclass(slots=True)
class _Sum:
    documents: int = 0
    damaged: int = 0
    billions: int = 0
    units: int = 0
    millionths: int = 0

    def add(self, row: Summed, sign: int) -> None:
        self.documents += sign
        if row.units == NO_AMOUNT:
            self.damaged += sign
            return
        self.billions += sign * (row.units // BILLION)
        self.units += sign * (row.units % BILLION)
        self.millionths += sign * row.millionths


def day_of(instant: datetime) -> date:
    """Return the day in central Mexico."""
    return instant.astimezone(CENTRAL_MEXICO).date()


class DocumentSums:
    """Sums of rows by account, day, kind and currency."""

    def __init__(self) -> None:
        self._sums: dict[tuple[int, str, str, str], _Sum] = defaultdict(_Sum)

    def add(self, row: Summed, sign: int = 1) -> None:
        """Add a row, or subtract it with the sign -1."""
        self._sums[row.account_id, day_of(row.stamped_at).isoformat(), row.kind, row.currency].add(row, sign)

    def rows(self) -> Iterator[tuple[tuple[int, str, str, str], tuple[int, ...]]]:
        """Yield `KEYS` and `PARTS`, in the order of the key."""
        for key, found in sorted(self._sums.items()):
            yield key, tuple(getattr(found, name) for name in PARTS)


def add_to_sums(connection: Connection, rows: Iterable[Summed], sign: int = 1) -> None:
    """Add rows that the same transaction has inserted, or subtract deleted ones.

    Args:
        connection: The connection of a transaction that has changed the rows before.
        sign: 1 to add, -1 to subtract.
    """
    sums = DocumentSums()
    for row in rows:
        sums.add(row, sign)
    # In the order of the key, in which all transactions lock the rows.
    values = [(*key, *parts) for key, parts in sums.rows()]
    if values:
        marks = ", ".join(["?" if connection.dialect.name == "sqlite" else "%s"] * len(values[0]))
        statement = _ADD.format(_COLUMNS, marks, ", ".join(KEYS), _CHANGES)
        connection.exec_driver_sql(statement, values)


def remove_listed(connection: Connection, condition: ColumnElement[bool]) -> None:
    """Remove the rows of deleted stamps from the lists and from the sums, in their transaction."""
    columns = (L.account_id, L.stamped_at, L.kind, L.currency, L.units, L.millionths)
    removed = connection.execute(delete(LISTED_DOCUMENT).where(condition).returning(*columns))
    add_to_sums(connection, removed.all(), -1)
