"""Large tables of all-digit keys with their columns: c_ClaveProdServ, c_NumPedimentoAduana."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping
from datetime import date
from types import MappingProxyType

from timbra.catalogs.dated import SINCE, UNTIL, parse_period
from timbra.snapshot.packed import key_number, key_text, unpack_table

_LAST = 2
"""Digits of a key within its block."""
_ENDINGS = tuple(f"{number:0{_LAST}}" for number in range(10**_LAST))
_EMPTY: Mapping[str, int] = MappingProxyType({})


class PackedTable:
    """Six bytes per key: the keys share few distinct rows. A block of 100 keys is unpacked when one of them is read."""

    __slots__ = ("_blocks", "_numbers", "_periods", "_places", "_values", "_widths", "columns")

    def __init__(self, data: bytes) -> None:
        """Unpack the data of a file of `timbra.snapshot.packed.pack_table`.

        Raises:
            ValueError: the last part of the keys has a single digit.
        """
        self._widths, columns, rows, self._numbers, self._places = unpack_table(data)
        if self._widths[-1] < _LAST:
            raise ValueError(f"keys of widths {self._widths}")
        self.columns: tuple[str, ...] = ("clave", *columns)
        self._values = [dict(zip(columns, row, strict=True)) for row in rows]
        self._periods = periods(columns, rows)
        self._blocks: dict[str, dict[str, int]] = {}

    def contains(self, key: str, on: date) -> bool:
        block = self._blocks.get(key[:-_LAST]) or self._block(key[:-_LAST])
        place = block.get(key[-_LAST:])
        if place is None:
            return False
        since, until = self._periods[place]
        return since <= on <= until

    def row(self, key: str, on: date) -> Mapping[str, str] | None:
        if not self.contains(key, on):
            return None
        return {"clave": key, **self._values[self._block(key[:-_LAST])[key[-_LAST:]]]}

    def _block(self, prefix: str) -> Mapping[str, int]:
        """Return the place of the row of each key that begins with a prefix, by the last digits of the key."""
        found = self._blocks.get(prefix)
        if found is not None:
            return found
        first = key_number(prefix + "0" * _LAST, self._widths)
        if first is None:
            return _EMPTY
        low, high = bisect_left(self._numbers, first), bisect_left(self._numbers, first + 10**_LAST)
        if low == high:
            return _EMPTY
        rows = zip(self._numbers[low:high], self._places[low:high], strict=True)
        block = {_ENDINGS[number - first]: place for number, place in rows}
        self._blocks[prefix] = block
        return block

    def keys(self) -> Iterator[str]:
        return (key_text(number, self._widths) for number in self._numbers)

    def keys_with(self, column: str) -> frozenset[str]:
        rows = frozenset(place for place, values in enumerate(self._values) if values.get(column))
        if not rows:
            return frozenset()
        found = (number for number, place in zip(self._numbers, self._places, strict=True) if place in rows)
        return frozenset(key_text(number, self._widths) for number in found)


def periods(columns: tuple[str, ...], rows: tuple[tuple[str, ...], ...]) -> tuple[tuple[date, date], ...]:
    """Return first and last day of the validity of each row; a side without column is open.

    Args:
        columns: names of the values of a row.
        rows: distinct rows of a packed table.
    """
    since, until = (columns.index(name) if name in columns else None for name in (SINCE, UNTIL))
    return tuple(parse_period("" if since is None else row[since], "" if until is None else row[until]) for row in rows)
