"""All catalogs of one snapshot."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from typing import Literal
from zoneinfo import ZoneInfo

from timbra.catalogs.dated import DatedTable, read_rows
from timbra.catalogs.keys import KeySet
from timbra.catalogs.names import ABSENT, member
from timbra.catalogs.postal import PostalCodes
from timbra.catalogs.rates import Rate, read_rates
from timbra.catalogs.table import Table
from timbra.snapshot import Snapshot

Standard = Literal["cfdi40", "cfdi33"]


class _Loaded(dict[str, Table]):
    """Catalogs by name, read from the snapshot when first asked."""

    def __init__(self, snapshot: Snapshot) -> None:
        super().__init__()
        self._snapshot = snapshot
        self._by_member: dict[str, Table] = {}

    def __missing__(self, catalog: str) -> Table:
        name = member(catalog)
        if name not in self._by_member:
            self._by_member[name] = self._read(name)
        table = self[catalog] = self._by_member[name]
        return table

    def _read(self, name: str) -> Table:
        base = f"catalogs/{name}"
        files = self._snapshot.manifest.files
        if f"{base}.keys" in files:
            return KeySet(self._snapshot.read(f"{base}.keys"))
        if f"{base}.postal" in files:
            return PostalCodes(self._snapshot.read(f"{base}.postal"))
        if f"{base}.csv" not in files:
            raise KeyError(name)
        columns, rows = read_rows(self._snapshot.read(f"{base}.csv"))
        if columns[0] != "clave":
            raise KeyError(name)
        return DatedTable(columns, rows)


class SnapshotCatalogs:
    """The catalogs as rules see them; satisfies `timbra.rules.world.Catalogs`.

    version: the snapshot's. Unknown catalogs are a KeyError everywhere: a bug, found by tests. ServiceError
    "snapshot-damaged" when a file of the snapshot is not what its manifest says.
    """

    def __init__(self, snapshot: Snapshot) -> None:
        self.version = snapshot.version
        self._snapshot = snapshot
        self._tables = _Loaded(snapshot)
        self._rates: dict[Standard, tuple[Rate, ...]] = {}
        self._postal: PostalCodes | None = None

    def contains(self, catalog: str, key: str, on: date) -> bool:
        """Whether the key is in force on the date; undated catalogs are in force always."""
        return self._tables[catalog].contains(key, on)

    def row(self, catalog: str, key: str, on: date) -> Mapping[str, str] | None:
        """The columns of a key in force on the date, `clave` included; None when it is not."""
        return self._tables[catalog].row(key, on)

    def has(self, catalog: str, column: str) -> bool:
        """Whether the snapshot carries the column; False means that a rule on it cannot be evaluated."""
        if member(catalog) in ABSENT:
            return False
        return column in self._tables[catalog].columns

    def zone(self, postal_code: str) -> ZoneInfo | None:
        """The zone of a postal code of c_CodigoPostal, None when the code is unknown."""
        if self._postal is None:
            table = self._tables["c_CodigoPostal"]
            if not isinstance(table, PostalCodes):
                raise TypeError("c_CodigoPostal is not packed as postal codes")
            self._postal = table
        return self._postal.zone(postal_code)

    def rates(self, standard: Standard, on: date | None) -> Sequence[Rate]:
        """The rows of c_TasaOCuota in force on the date, or all of them, in SAT's order.

        The table knows a row only as last published (the IEPS quota changes every January): before the `since` of such
        a row no older one is known, and a rule that finds none for a tax and factor cannot be evaluated.
        """
        if standard not in self._rates:
            self._rates[standard] = read_rates(*read_rows(self._snapshot.read(f"catalogs/{standard}/c_TasaOCuota.csv")))
        rates = self._rates[standard]
        return rates if on is None else tuple(rate for rate in rates if rate.since <= on <= rate.until)

    def load(self, catalogs: Iterable[str]) -> None:
        """Read these catalogs now, before a server forks or answers."""
        for catalog in catalogs:
            self._tables[catalog]
