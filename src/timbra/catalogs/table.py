"""The interface of every kind of catalog."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date
from typing import Protocol


class CatalogTable(Protocol):
    """One catalog.

    Attributes:
        columns: The names of its columns, `clave` first.
    """

    columns: tuple[str, ...]

    def contains(self, key: str, on: date) -> bool:
        """Whether the key is valid on the date."""
        ...

    def row(self, key: str, on: date) -> Mapping[str, str] | None:
        """Return the columns of a key that is valid on the date; None otherwise."""
        ...

    def keys(self) -> Iterator[str]:
        """Yield the keys, of every date."""
        ...

    def keys_with(self, column: str) -> frozenset[str]:
        """Return the keys, of every date, with a value in a column; none when the table does not have the column."""
        ...


class RepublishedTable:
    """A table that was published after its keys became valid: earlier dates count as its first day."""

    __slots__ = ("_first_day", "_table", "columns")

    def __init__(self, table: CatalogTable, first_day: date) -> None:
        self.columns = table.columns
        self._table = table
        self._first_day = first_day

    def contains(self, key: str, on: date) -> bool:
        return self._table.contains(key, max(on, self._first_day))

    def row(self, key: str, on: date) -> Mapping[str, str] | None:
        return self._table.row(key, max(on, self._first_day))

    def keys(self) -> Iterator[str]:
        return self._table.keys()

    def keys_with(self, column: str) -> frozenset[str]:
        return self._table.keys_with(column)
