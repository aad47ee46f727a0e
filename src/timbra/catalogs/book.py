"""All catalogs of one snapshot."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from pathlib import PurePosixPath
from typing import Literal, Protocol
from zoneinfo import ZoneInfo

from timbra.catalogs.dated import DatedTable, read_rows
from timbra.catalogs.packed_table import PackedTable, periods
from timbra.catalogs.rates import TaxRate, read_rates, with_rate_keys
from timbra.catalogs.zones import time_zone
from timbra.snapshot import Edition, Snapshot, read_editions
from timbra.snapshot.packed import key_number, key_text, unpack_keys, unpack_postal_codes

Standard = Literal["cfdi40", "cfdi33"]
PEDIMENTOS = "cfdi40/c_NumPedimentoAduana"
"""A catalog that snapshots of earlier releases do not have."""
_NAME = re.compile(r"(?:([a-z0-9]+):)?(c_\w+)\Z")

SUBSTITUTES = {
    "cfdi33/c_ClaveProdServ": "cfdi40/c_ClaveProdServ",
    "cfdi33/c_CodigoPostal": "cfdi40/c_CodigoPostal",
    "cfdi33/c_NumPedimentoAduana": "cfdi40/c_NumPedimentoAduana",
    "pagos10/c_TipoCadenaPago": "pagos20/c_TipoCadenaPago",
    "cartaporte30/c_ClaveProdServCP": "cartaporte31/c_ClaveProdServCP",
    "cartaporte20/c_ClaveProdServCP": "cartaporte31/c_ClaveProdServCP",
    "cartaporte30/c_ClaveProdSTCC": "cartaporte31/c_ClaveProdSTCC",
    "cartaporte20/c_ClaveProdSTCC": "cartaporte31/c_ClaveProdSTCC",
}
"""Catalogs that no source has for their own standard, and the catalogs that are used instead."""

REPUBLISHED = {name: date(2022, 1, 1) for name in ("cfdi33:c_ClaveProdServ", "cfdi33:c_CodigoPostal")}
"""Substitutes whose keys were valid before the first day of their table: that day replaces earlier dates.

Source: c_ClaveProdServ of CFDI 4.0 begins on 2022-01-01, the postal codes of the southern border on 2021-01-01.
"""


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


def snapshot_name(catalog: str) -> str:
    """Return the snapshot's name of a catalog without suffix, such as "cfdi40/c_FormaPago".

    Raises:
        KeyError: The text is not the name of a catalog.
    """
    match = _NAME.match(catalog)
    if match is None:
        raise KeyError(catalog)
    name = f"{match[1] or 'cfdi40'}/{match[2]}"
    return SUBSTITUTES.get(name, name)


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


class _LazyTables(dict[str, CatalogTable]):
    """Catalogs by name, read from the snapshot at first use."""

    def __init__(self, snapshot: Snapshot) -> None:
        super().__init__()
        self._snapshot = snapshot
        self._by_member: dict[str, CatalogTable] = {}

    def __missing__(self, catalog: str) -> CatalogTable:
        name = snapshot_name(catalog)
        if name not in self._by_member:
            self._by_member[name] = self._read(name)
        table = self._by_member[name]
        if catalog in REPUBLISHED:
            table = RepublishedTable(table, REPUBLISHED[catalog])
        self[catalog] = table
        return table

    def _read(self, name: str) -> CatalogTable:
        base = f"catalogs/{name}"
        files = self._snapshot.manifest.files
        if f"{base}.keys" in files:
            return KeySet(self._snapshot.read(f"{base}.keys"))
        if f"{base}.table" in files:
            return PackedTable(self._snapshot.read(f"{base}.table"))
        if f"{base}.postal" in files:
            return PostalCodes(self._snapshot.read(f"{base}.postal"))
        if f"{base}.csv" not in files:
            raise KeyError(name)
        columns, rows = read_rows(self._snapshot.read(f"{base}.csv"))
        if columns[0] != "clave":
            columns, rows = with_rate_keys(columns, rows)
        return DatedTable(columns, rows)


class SnapshotCatalogs:
    """The catalogs that rules read; implements `timbra.rules.engine.ports.Catalogs`.

    Attributes:
        version: the version of the snapshot.

    Raises:
        KeyError: from every method, for an unknown catalog.
        ServiceError: "snapshot-damaged" if a file of the snapshot differs from its manifest.
    """

    def __init__(self, snapshot: Snapshot) -> None:
        self.version = snapshot.version
        self._snapshot = snapshot
        self._tables = _LazyTables(snapshot)
        self._rates: dict[Standard, tuple[TaxRate, ...]] = {}
        self._keys_with: dict[tuple[str, tuple[str, ...]], frozenset[str]] = {}
        self._postal: PostalCodes | None = None
        self._editions: Mapping[str, Edition] | None = None

    def contains(self, catalog: str, key: str, on: date) -> bool:
        """Whether the key is valid on the date; keys of undated catalogs are always valid."""
        return self._tables[catalog].contains(key, on)

    def row(self, catalog: str, key: str, on: date) -> Mapping[str, str] | None:
        """Return the columns of a key that is valid on the date, `clave` included; None otherwise."""
        return self._tables[catalog].row(key, on)

    def has(self, catalog: str, column: str) -> bool:
        """Whether the snapshot has the column; if not, rules that need it cannot be evaluated."""
        if snapshot_name(catalog) == PEDIMENTOS and f"catalogs/{PEDIMENTOS}.table" not in self._snapshot.manifest.files:
            return False
        return column in self._tables[catalog].columns

    def keys_with(self, catalog: str, columns: tuple[str, ...]) -> frozenset[str]:
        """Return the keys, of every date, that have a value in one of the columns, in which most keys have none."""
        found = self._keys_with.get((catalog, columns))
        if found is None:
            table = self._tables[catalog]
            found = self._keys_with[catalog, columns] = frozenset().union(*map(table.keys_with, columns))
        return found

    def standards(self) -> list[str]:
        """Return the names of the standards that have catalogs, sorted."""
        files = [PurePosixPath(file).parts for file in self._snapshot.manifest.files]
        return sorted({parts[1] for parts in files if len(parts) == 3 and parts[0] == "catalogs"})

    def names(self, standard: str) -> list[str]:
        """Return the names of the catalogs of a standard, without prefix, sorted."""
        files = map(PurePosixPath, self._snapshot.manifest.files)
        return sorted(file.stem for file in files if file.parent == PurePosixPath("catalogs", standard))

    def keys(self, catalog: str) -> Iterator[str]:
        """Yield the keys of a catalog, of every date."""
        return self._tables[catalog].keys()

    def published(self, catalog: str) -> date | None:
        """Return the day on which the edition of a catalog was published; None when the snapshot does not name it."""
        if self._editions is None:
            self._editions = read_editions(self._snapshot)
        edition = self._editions.get(snapshot_name(catalog))
        return None if edition is None else edition.published

    def zone(self, postal_code: str) -> ZoneInfo | None:
        """Return the time zone of a postal code of c_CodigoPostal; None if the code is unknown."""
        if self._postal is None:
            table = self._tables["c_CodigoPostal"]
            if not isinstance(table, PostalCodes):
                raise TypeError("c_CodigoPostal is not packed as postal codes")
            self._postal = table
        return self._postal.zone(postal_code)

    def rates(self, standard: Standard, on: date | None) -> Sequence[TaxRate]:
        """Return the rows of c_TasaOCuota that are valid on a date, in SAT's order.

        The IEPS quota changes every January; the table of CFDI 4.0 has its rows since 2024. For a date before the
        first row, a rule that finds no row for a tax and factor cannot be evaluated.

        Args:
            on: The date; None for all rows.
        """
        if standard not in self._rates:
            self._rates[standard] = read_rates(*read_rows(self._snapshot.read(f"catalogs/{standard}/c_TasaOCuota.csv")))
        rates = self._rates[standard]
        return rates if on is None else tuple(rate for rate in rates if rate.since <= on <= rate.until)

    def table(self, catalog: str) -> CatalogTable:
        """Return a catalog."""
        return self._tables[catalog]

    def load(self, catalogs: Iterable[str]) -> None:
        """Read these catalogs now, before a server forks or serves requests."""
        for catalog in catalogs:
            self._tables[catalog]
