"""c_CodigoPostal: state, municipality, border stimulus, dates and time zone of each postal code."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date
from zoneinfo import ZoneInfo

from timbra.catalogs.packed_table import periods
from timbra.catalogs.zones import time_zone
from timbra.snapshot.packed import key_number, unpack_postal_codes


class PostalCodes:
    """An array indexed by the five digits; 95,748 codes share 3,115 rows."""

    __slots__ = ("_numbers", "_periods", "_rows", "_zones", "columns")

    def __init__(self, data: bytes) -> None:
        """Unpack the data of a file of `timbra.snapshot.packed.pack_postal_codes`."""
        columns, rows, self._numbers = unpack_postal_codes(data)
        self.columns = ("clave", *columns)
        self._rows = ((), *rows)
        self._periods = ((date.max, date.min), *periods(columns, rows))
        state, municipality, label = map(columns.index, ("estado", "municipio", "huso_horario"))
        self._zones = (None, *(time_zone(row[label], row[state], row[municipality]) for row in rows))

    def _number(self, key: str) -> int:
        number = key_number(key, (5,))
        return 0 if number is None else self._numbers[number]

    def contains(self, key: str, on: date) -> bool:
        since, until = self._periods[self._number(key)]
        return since <= on <= until

    def row(self, key: str, on: date) -> Mapping[str, str] | None:
        number = self._number(key)
        since, until = self._periods[number]
        if not since <= on <= until:
            return None
        return dict(zip(self.columns, (key, *self._rows[number]), strict=True))

    def keys(self) -> Iterator[str]:
        return (f"{code:05}" for code, number in enumerate(self._numbers) if number)

    def keys_with(self, column: str) -> frozenset[str]:
        if column not in self.columns[1:]:
            return frozenset()
        place = self.columns.index(column) - 1
        return frozenset(key for key in self.keys() if self._rows[int(self._numbers[int(key)])][place])

    def zone(self, key: str) -> ZoneInfo | None:
        """Return the time zone of a postal code, of any date; None for an unknown code."""
        return self._zones[self._number(key)]
