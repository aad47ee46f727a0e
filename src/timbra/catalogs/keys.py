"""Large undated sets of all-digit keys: c_ClaveProdServCP, c_Colonia, and c_ClaveProdServ of earlier snapshots."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping
from datetime import date

from timbra.snapshot.packed import key_number, key_text, unpack_keys


class KeySet:
    """A sorted array of four bytes per key: 145,366 neighborhoods take 581 kB, a frozenset of texts 14 MB."""

    __slots__ = ("_count", "_numbers", "_widths", "columns")

    def __init__(self, data: bytes) -> None:
        """Unpack the data of a file of `timbra.snapshot.packed.pack_keys`."""
        self.columns: tuple[str, ...] = ("clave",)
        self._widths, self._numbers = unpack_keys(data)
        self._count = len(self._numbers)

    def contains(self, key: str, on: date) -> bool:  # noqa: ARG002 (undated: the source has no dates)
        """See `CatalogTable.contains`; the date is not used."""
        number = key_number(key, self._widths)
        if number is None:
            return False
        index = bisect_left(self._numbers, number)
        return index < self._count and self._numbers[index] == number

    def row(self, key: str, on: date) -> Mapping[str, str] | None:
        """See `CatalogTable.row`; the date is not used."""
        return {"clave": key} if self.contains(key, on) else None

    def keys(self) -> Iterator[str]:
        return (key_text(number, self._widths) for number in self._numbers)

    def keys_with(self, column: str) -> frozenset[str]:  # noqa: ARG002 (the source has no columns)
        """See `CatalogTable.keys_with`; there are no columns."""
        return frozenset()
