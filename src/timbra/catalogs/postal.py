"""c_CodigoPostal: state, municipality, border stimulus and time zone of each postal code."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from zoneinfo import ZoneInfo

from timbra.catalogs.zones import time_zone
from timbra.snapshot.packed import key_number, unpack_postal_codes


class PostalCodes:
    """An array indexed by the five digits; 95,749 codes share 3,115 rows."""

    __slots__ = ("_numbers", "_rows", "_zones", "columns")

    def __init__(self, data: bytes) -> None:
        """Unpack the data of a file of `timbra.snapshot.packed.pack_postal_codes`."""
        columns, rows, self._numbers = unpack_postal_codes(data)
        self.columns = ("clave", *columns)
        self._rows = (None, *rows)
        state, label = columns.index("estado"), columns.index("huso_horario")
        self._zones = (None, *(time_zone(row[label], row[state]) for row in rows))

    def _number(self, key: str) -> int:
        number = key_number(key, (5,))
        return 0 if number is None else self._numbers[number]

    def contains(self, key: str, on: date) -> bool:  # noqa: ARG002 (undated: the source has no dates)
        """See `CatalogTable.contains`; the date is not used."""
        return self._number(key) != 0

    def row(self, key: str, on: date) -> Mapping[str, str] | None:  # noqa: ARG002
        """See `CatalogTable.row`; the date is not used."""
        values = self._rows[self._number(key)]
        return None if values is None else dict(zip(self.columns, (key, *values), strict=True))

    def zone(self, key: str) -> ZoneInfo | None:
        """Return the time zone of a postal code; None for an unknown code."""
        return self._zones[self._number(key)]
