"""Large tables of all-digit keys with their columns: c_ClaveProdServ, c_NumPedimentoAduana."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping
from datetime import date

from timbra.catalogs.dated import SINCE, UNTIL, parse_period
from timbra.snapshot.packed import key_number, key_text, unpack_table


class PackedTable:
    """Six bytes per key: the keys share few distinct rows."""

    __slots__ = ("_count", "_numbers", "_periods", "_places", "_values", "_widths", "columns")

    def __init__(self, data: bytes) -> None:
        """Unpack the data of a file of `timbra.snapshot.packed.pack_table`."""
        self._widths, columns, rows, self._numbers, self._places = unpack_table(data)
        self.columns: tuple[str, ...] = ("clave", *columns)
        self._count = len(self._numbers)
        self._values = [dict(zip(columns, row, strict=True)) for row in rows]
        self._periods = periods(columns, rows)

    def contains(self, key: str, on: date) -> bool:
        """See `CatalogTable.contains`."""
        place = self._place(key)
        if place is None:
            return False
        since, until = self._periods[place]
        return since <= on <= until

    def row(self, key: str, on: date) -> Mapping[str, str] | None:
        """See `CatalogTable.row`."""
        place = self._place(key)
        if place is None:
            return None
        since, until = self._periods[place]
        if not since <= on <= until:
            return None
        return {"clave": key, **self._values[place]}

    def keys(self) -> Iterator[str]:
        """See `CatalogTable.keys`."""
        return (key_text(number, self._widths) for number in self._numbers)

    def _place(self, key: str) -> int | None:
        number = key_number(key, self._widths)
        if number is None:
            return None
        index = bisect_left(self._numbers, number)
        return self._places[index] if index < self._count and self._numbers[index] == number else None


def periods(columns: tuple[str, ...], rows: tuple[tuple[str, ...], ...]) -> tuple[tuple[date, date], ...]:
    """Return first and last day of the validity of each row; a side without column is open.

    Args:
        columns: names of the values of a row.
        rows: distinct rows of a packed table.
    """
    since, until = (columns.index(name) if name in columns else None for name in (SINCE, UNTIL))
    return tuple(parse_period("" if since is None else row[since], "" if until is None else row[until]) for row in rows)
