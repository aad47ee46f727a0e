"""Sums of the amounts of listed documents by day, kind and currency, changed with the rows that they count.

Those whose cancellation is pending or known are counted by their state besides.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from types import SimpleNamespace
from typing import Protocol

from sqlalchemy import ColumnElement, Connection, Table, delete, select, update

from timbra.core.clock import CENTRAL_MEXICO
from timbra.database.membership import rows_in
from timbra.database.tables.search import CANCELLATION_SUM, DOCUMENT_SUM, LISTED_DOCUMENT
from timbra.events.cancellation_states import DocumentState

L = LISTED_DOCUMENT.c
BILLION = 1_000_000_000
NO_AMOUNT = -1
"""The units of an amount that cannot be read."""
PARTS = ("documents", "damaged", "billions", "units", "millionths")
SUMMED = (L.account_id, L.stamped_at, L.kind, L.currency, L.units, L.millionths, L.state)
"""What the sums read of a row."""
_ADD = "INSERT INTO {} ({}) VALUES ({}) ON CONFLICT ({}) DO UPDATE SET {}"


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


class SummedByState(Summed, Protocol):
    """The same of the sums by state."""

    @property
    def state(self) -> str: ...


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
    """Sums of rows by the key of a table of sums; one by state has the rows with a state."""

    def __init__(self, table: Table = DOCUMENT_SUM) -> None:
        self.table = table
        self.keys = tuple(column.name for column in table.primary_key)
        self._sums: dict[tuple[object, ...], _Sum] = defaultdict(_Sum)

    def add(self, row: Summed, sign: int = 1) -> None:
        """Add a row, or subtract it with the sign -1."""
        key = (_day(row) if name == "day" else getattr(row, name) for name in self.keys)
        self._sums[tuple(key)].add(row, sign)

    def rows(self) -> Iterator[tuple[tuple[object, ...], tuple[int, ...]]]:
        """Yield keys and `PARTS`, in the order of the key."""
        for key, found in sorted(self._sums.items(), key=lambda item: tuple(map(str, item[0]))):
            yield key, tuple(getattr(found, name) for name in PARTS)

    def store(self, connection: Connection) -> None:
        """Add the sums to those of the table."""
        # In the order of the key, in which all transactions lock the rows.
        values = [(*key, *parts) for key, parts in self.rows()]
        if values:
            marks = ", ".join(["?" if connection.dialect.name == "sqlite" else "%s"] * len(values[0]))
            changes = ", ".join(f"{name} = {self.table.name}.{name} + excluded.{name}" for name in PARTS)
            columns, keys = ", ".join((*self.keys, *PARTS)), ", ".join(self.keys)
            connection.exec_driver_sql(_ADD.format(self.table.name, columns, marks, keys, changes), values)


def _day(row: Summed) -> str:
    return day_of(row.stamped_at).isoformat()


def add_to_sums(connection: Connection, rows: Iterable[Summed], sign: int = 1) -> None:
    """Add rows that the same transaction has inserted, which have no state yet, or subtract deleted ones.

    Args:
        connection: The connection of a transaction that has changed the rows before.
        rows: The rows.
        sign: 1 to add, -1 to subtract.
    """
    sums = DocumentSums()
    for row in rows:
        sums.add(row, sign)
    sums.store(connection)


def remove_listed(connection: Connection, condition: ColumnElement[bool]) -> None:
    """Remove the rows of deleted stamps from the lists and from the sums, in their transaction."""
    removed = connection.execute(delete(LISTED_DOCUMENT).where(condition).returning(*SUMMED)).all()
    add_to_sums(connection, removed, -1)
    by_state = DocumentSums(CANCELLATION_SUM)
    for row in removed:
        if row.state is not None:
            by_state.add(row, -1)
    by_state.store(connection)


def change_states(connection: Connection, states: Mapping[str, DocumentState]) -> int:
    """Set the states of documents, by their folios, in their rows and in the sums; return how many changed."""
    sums = DocumentSums(CANCELLATION_SUM)
    changed: dict[str | None, list[int]] = defaultdict(list)
    query = select(L.uuid, L.cursor, *SUMMED).order_by(L.cursor).with_for_update()
    for row in rows_in(connection, query, L.uuid, states):
        state = stored_state(states[row.uuid])
        if state == row.state:
            continue
        changed[state].append(row.cursor)
        if row.state is not None:
            sums.add(row, -1)
        if state is not None:
            sums.add(SimpleNamespace(**{**row._mapping, "state": state}))
    for state, cursors in changed.items():
        connection.execute(update(LISTED_DOCUMENT).where(L.cursor.in_(cursors)).values(state=state))
    sums.store(connection)
    return sum(map(len, changed.values()))


def stored_state(state: DocumentState) -> str | None:
    """Return a state as a row has it."""
    return None if state is DocumentState.VALID else state.value
