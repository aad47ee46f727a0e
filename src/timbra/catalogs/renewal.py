"""Catalogs renewed by tables that the SAT published: the rows of the file, and the earlier ones as long as they last.

A key that a file omits is not removed: it ends, so that older documents are validated with the keys of their date.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import islice

from timbra.catalogs.book import SnapshotCatalogs, snapshot_name
from timbra.catalogs.dated import SINCE, UNTIL, read_rows
from timbra.catalogs.differences import (
    RATES,
    TAXES,
    CatalogComparison,
    Change,
    Difference,
    UnknownTableError,
    published_rates,
    rate_of_row,
)
from timbra.catalogs.labels import NEWEST, CatalogLabels
from timbra.catalogs.overlay import CatalogOverlay
from timbra.catalogs.workbook import PublishedTable
from timbra.core.errors import ServiceError
from timbra.snapshot import Edition, Snapshot
from timbra.snapshot.packed import (
    TIME_ZONES,
    key_text,
    pack_postal_codes,
    pack_table,
    unpack_keys,
    unpack_postal_codes,
    unpack_table,
)

REJECTED = "catalog-refused"
MIN_SHARE = 0.9
"""Share of the keys in force that an edition has at least."""
MAX_NAMED = 5
"""Faults that an error names."""
FIRST_DAY, LAST_DAY = date(1990, 1, 1), date(2200, 1, 1)
"""Dates of a catalog are between them."""
_KEY = re.compile(r"[0-9A-Za-zÑñ&._|-]{1,40}")
_RATE = re.compile(r"[0-9]{1,6}[.][0-9]{6}")
FACTORS = ("Tasa", "Cuota")
_TIME_ZONE = "huso_horario"
_OF_RANGE = ("tipo", "impuesto", "factor", "traslado", "retencion")
"""What two ranges of rates have in common of which one replaces the other."""


@dataclass(frozen=True, slots=True)
class EditionDays:
    """The days of an edition.

    Attributes:
        on: today, in whose keys the edition is compared.
        published: first day of keys and values for which the file states none.
        ended: last day of the keys that the file does not have.
    """

    on: date
    published: date
    ended: date


@dataclass(frozen=True, slots=True)
class RenewedTable:
    """The differences of one catalog.

    Attributes:
        name: such as `cfdi40/c_FormaPago`.
        edition: as the file states it.
        keys: number of keys of the file.
        warnings: the reasons, in Spanish, for which only `force` accepts it.
    """

    name: str
    edition: str
    keys: int
    differences: Sequence[Difference]
    warnings: Sequence[str]


@dataclass(frozen=True, slots=True)
class Renewal:
    """What a file makes of the catalogs in force.

    Attributes:
        overlay: the renewed catalogs.
        unknown: tables of the file that the data in force do not have.
    """

    overlay: CatalogOverlay
    tables: Sequence[RenewedTable]
    unknown: Sequence[str]

    @property
    def warnings(self) -> list[str]:
        """The reasons, in Spanish, for which only `force` accepts it."""
        return [text for table in self.tables for text in table.warnings]


def renew(
    tables: Iterable[PublishedTable], snapshot: Snapshot, days: EditionDays, source: str, standard: str = "cfdi40"
) -> Renewal:
    """Renew the catalogs of a snapshot.

    Args:
        tables: those of the file.
        snapshot: the data in force.
        source: name of the file.

    Raises:
        ServiceError: "catalog-refused" for a key, a date or a time zone of another form, and for a file without a known
            catalog.
    """
    catalogs, labels = SnapshotCatalogs(snapshot), CatalogLabels(snapshot)
    renewed, unknown, overlay = [], [], CatalogOverlay()
    for table in tables:
        try:
            name = _name_of(table, catalogs, standard)
        except UnknownTableError:
            unknown.append(table.name)
            continue
        if name.endswith(f"/{RATES}"):
            part = _renew_rates(table, name, snapshot, days)
        else:
            part = _Renewal(table, name, snapshot, catalogs, labels, days, standard).result()
        found, files, texts = part
        edition = Edition(" ".join(f"SAT, {source}, {table.name} {table.edition}".split()), days.published)
        overlay = overlay.merged(CatalogOverlay(files, {name: edition}, texts))
        renewed.append(found)
    if not renewed:
        raise ServiceError(REJECTED, f"{source} no tiene catálogos de {standard}.")
    return Renewal(overlay, renewed, unknown)


def _name_of(table: PublishedTable, catalogs: SnapshotCatalogs, standard: str) -> str:
    """Return the snapshot's name of a table. Raises UnknownTableError."""
    for local in catalogs.names(standard):
        if local.casefold() == table.name.casefold():
            return snapshot_name(f"{standard}:{local}")
    raise UnknownTableError(table.name)


Part = tuple[RenewedTable, Mapping[str, bytes], Mapping[tuple[str, str, str], str]]


class _Renewal:
    def __init__(
        self,
        table: PublishedTable,
        name: str,
        snapshot: Snapshot,
        catalogs: SnapshotCatalogs,
        labels: CatalogLabels,
        days: EditionDays,
        standard: str,
    ) -> None:
        self._table, self._name, self._snapshot, self._days = table, name, snapshot, days
        self._catalogs, self._labels, self._standard = catalogs, labels, standard
        self._local = name.partition("/")[2]
        self._comparison = CatalogComparison(table, self._local, catalogs, labels, days.on, standard)
        self._rows = dict(self._read())

    def result(self) -> Part:
        differences = [*self._comparison.differences()]
        found = RenewedTable(self._name, self._table.edition, len(self._rows), differences, [*self._warnings()])
        return found, dict([self._file()]) if differences else {}, self._texts()

    def _read(self) -> Iterator[tuple[str, tuple[str, ...]]]:
        """Yield the rows of the file by key, after the check of their keys and dates."""
        faults: list[str] = []
        seen: dict[str, tuple[str, ...]] = {}
        form = _form_of(self._comparison.known)
        for key, row in self._comparison.rows():
            if key not in self._comparison.known and not form(key):
                faults.append(f"la clave {key[:40]!r} no tiene la forma de las demás")
            faults += [f"{key[:40]}: {text}" for text in _date_faults(*self._comparison.dates(row))]
            faults += [f"{key[:40]}: {text}" for text in _pattern_faults(self._comparison.values(row))]
            if seen.setdefault(key, row) != row:
                faults.append(f"la clave {key[:40]!r} está repetida con otros valores")
            yield key, row
        _reject(self._table.name, faults)

    def _warnings(self) -> Iterator[str]:
        in_force = self._comparison.in_force
        kept = sum(1 for key in in_force if key in self._rows)
        if kept < MIN_SHARE * len(in_force):
            yield f"{self._table.name} tiene {kept} de las {len(in_force)} claves vigentes."

    def _texts(self) -> dict[tuple[str, str, str], str]:
        standard = NEWEST.get(self._standard, self._standard)
        found = {}
        for key, row in self._rows.items():
            text = self._comparison.text(row)
            if text and text.split() != self._labels.get(self._local, key, self._standard).split():
                found[standard, self._local, key] = text
        return found

    def _file(self) -> tuple[str, bytes]:
        """Return the file of the renewed catalog, in the form that it has."""
        base, files = f"catalogs/{self._name}", self._snapshot.manifest.files
        if f"{base}.postal" in files:
            columns, rows, numbers = unpack_postal_codes(self._snapshot.read(f"{base}.postal"))
            codes = {f"{code:05}": rows[number - 1] for code, number in enumerate(numbers) if number}
            names, values = self._values(columns, codes)
            zones = {row[names.index(_TIME_ZONE)] for row in values.values()} - set(TIME_ZONES)
            _reject(self._table.name, [f"huso horario desconocido: {zone!r}" for zone in sorted(zones)])
            return f"{base}.postal", pack_postal_codes(names, values)
        if f"{base}.table" in files:
            packed = unpack_table(self._snapshot.read(f"{base}.table"))
            keys = (key_text(number, packed.widths) for number in packed.numbers)
            of_keys = {key: packed.rows[place] for key, place in zip(keys, packed.places, strict=True)}
            names, values = self._values(packed.columns, of_keys)
            return f"{base}.table", pack_table(names, values, packed.widths)
        if f"{base}.keys" in files:
            widths, numbers = unpack_keys(self._snapshot.read(f"{base}.keys"))
            names, values = self._values((SINCE, UNTIL), {key_text(number, widths): ("", "") for number in numbers})
            return f"{base}.table", pack_table(names, values, widths)
        return f"{base}.csv", self._dated(*read_rows(self._snapshot.read(f"{base}.csv")))

    def _values(
        self, columns: tuple[str, ...], earlier: Mapping[str, tuple[str, ...]]
    ) -> tuple[tuple[str, ...], dict[str, tuple[str, ...]]]:
        """Renew a table that has one row for each key."""
        names = (*columns, *(name for name in (SINCE, UNTIL) if name not in columns))
        empty = ("",) * (len(names) - len(columns))
        values = {key: dict(zip(names, (*row, *empty), strict=True)) for key, row in earlier.items()}
        for key, row in self._rows.items():
            since, until = self._comparison.dates(row)
            found = values.get(key)
            if found is None:
                if until and until < self._days.on.isoformat():
                    continue
                found = values[key] = dict.fromkeys(names, "")
                found[SINCE] = self._days.published.isoformat()
            found.update(self._comparison.values(row))
            self._set_days(found, since, until, is_in_force=key in self._comparison.in_force)
        self._end(values[key] for key in self._comparison.in_force - self._rows.keys())
        return names, {key: tuple(row.values()) for key, row in values.items()}

    def _dated(self, columns: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> bytes:
        """Renew a table whose keys have a row for each period."""
        names = (*columns, *(name for name in (SINCE, UNTIL) if name not in columns))
        periods: dict[str, list[dict[str, str]]] = {}
        for row in rows:
            values = dict(zip(names, (*row, *("",) * (len(names) - len(columns))), strict=True))
            periods.setdefault(row[0], []).append(values)
        for key, cells in self._rows.items():
            self._renew_periods(periods, key, cells, names)
        self._end(self._in_force(periods[key]) for key in self._comparison.in_force - self._rows.keys())
        renewed = [row for found in periods.values() for row in found]
        kept = [name for name in names if name in columns or any(row[name] for row in renewed)]
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerows([kept, *([row[name] for name in kept] for row in renewed)])
        return text.getvalue().encode()

    def _renew_periods(
        self, periods: dict[str, list[dict[str, str]]], key: str, cells: tuple[str, ...], names: Sequence[str]
    ) -> None:
        since, until = self._comparison.dates(cells)
        values, published = self._comparison.values(cells), self._days.published.isoformat()
        found = self._in_force(periods[key]) if key in periods else None
        ended = bool(until) and (until or "") < self._days.on.isoformat()
        if found is None or (key not in self._comparison.in_force and since > (found[UNTIL] or since)):
            if not ended:
                new = {**dict.fromkeys(names, ""), names[0]: key, **values, SINCE: since or published}
                periods.setdefault(key, []).append({**new, UNTIL: until or ""})
            return
        if any(found[name] != value for name, value in values.items()) and found[SINCE] < published:
            # Documents of before keep the values of before.
            later = {**found, **values, SINCE: published}
            self._set_days(later, "", until, is_in_force=True)
            found[UNTIL] = (self._days.published - timedelta(days=1)).isoformat()
            periods[key].append(later)
            return
        found.update(values)
        self._set_days(found, since, until, is_in_force=key in self._comparison.in_force)

    def _in_force(self, periods: Sequence[dict[str, str]]) -> dict[str, str]:
        """Return the row in force; the last one when none is."""
        on = self._days.on.isoformat()
        return next((row for row in periods if row[SINCE] <= on <= (row[UNTIL] or on)), periods[-1])

    @staticmethod
    def _set_days(row: dict[str, str], since: str, until: str | None, *, is_in_force: bool) -> None:
        """Set the days that the file states; a key that had ended and is in a table without ends is in force again."""
        if since and (is_in_force or not row[SINCE] or since > row[SINCE] or not row[UNTIL]):
            row[SINCE] = since
        if until is not None or not is_in_force:
            row[UNTIL] = until or ""

    def _end(self, rows: Iterable[dict[str, str]]) -> None:
        for row in rows:
            row[UNTIL] = min(row[UNTIL] or self._days.ended.isoformat(), self._days.ended.isoformat())


def _renew_rates(table: PublishedTable, name: str, snapshot: Snapshot, days: EditionDays) -> Part:
    """Renew c_TasaOCuota: new rows begin, and rows end whose last day is stated or that a new range replaces.

    Other rows that the file omits remain: laws have rates that the SAT's table does not have (decision 0121).
    """
    file = f"catalogs/{name}.csv"
    columns, rows = read_rows(snapshot.read(file))
    kept = [dict(zip(columns, row, strict=True)) for row in rows]
    on, published = days.on.isoformat(), days.published.isoformat()
    in_force = {rate_of_row(row): row for row in kept if row[SINCE] <= on <= (row[UNTIL] or on)}
    rates = [*published_rates(table)]
    faults = (_rate_faults(row) for _, row in rates)
    _reject(table.name, [f"{key}: {text}" for (key, _), found in zip(rates, faults, strict=True) for text in found])
    differences = []
    for key, row in rates:
        found = in_force.get(key)
        if found is None and not (row[UNTIL] and row[UNTIL] < on):
            new = {**dict.fromkeys(columns, ""), **row, SINCE: row[SINCE] or published}
            for other, earlier in in_force.items():
                same = all(earlier[column] == new[column] for column in _OF_RANGE)
                if new["tipo"] == "Rango" and same and not earlier[UNTIL]:
                    earlier[UNTIL] = (date.fromisoformat(new[SINCE]) - timedelta(days=1)).isoformat()
                    differences.append(Difference(RATES, Change.ENDED, other, earlier[UNTIL]))
            kept.append(new)
            differences.append(Difference(RATES, Change.ADDED, key))
        elif found is not None and row[UNTIL] and found[UNTIL] != row[UNTIL]:
            found[UNTIL] = row[UNTIL]
            differences.append(Difference(RATES, Change.ENDED, key, row[UNTIL]))
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([columns, *(row.values() for row in kept)])
    files = {file: text.getvalue().encode()} if differences else {}
    return RenewedTable(name, table.edition, len(table.rows), differences, ()), files, {}


def _form_of(known: Iterable[str]) -> Callable[[str], bool]:
    """Return whether a key has the form of the known ones: their digits, their length, or the characters of keys."""
    keys = [*islice(known, 50_000)]
    widths, parts = {len(key) for key in keys}, {key.count("|") for key in keys}
    are_digits = len(widths) == 1 and all(_is_number(key) for key in keys)

    def has_form(key: str) -> bool:
        if not _KEY.fullmatch(key) or (len(widths) == 1 and len(key) not in widths):
            return False
        return (not parts or key.count("|") in parts) and (not are_digits or _is_number(key))

    return has_form


def _is_number(key: str) -> bool:
    digits = key.replace("|", "")
    return digits.isdigit() and digits.isascii()


def _date_faults(since: str, until: str | None) -> Iterator[str]:
    days = []
    for text in (since, until or ""):
        try:
            days.append(date.fromisoformat(text) if text else None)
        except ValueError:
            yield f"la fecha {text[:40]!r} no es válida"
            return
        if text and not FIRST_DAY <= date.fromisoformat(text) <= LAST_DAY:
            yield f"la fecha {text} no es de un catálogo"
    first, last = days
    if first and last and first > last:
        yield f"empieza el {first} y termina el {last}"


def _pattern_faults(values: Mapping[str, str]) -> Iterator[str]:
    """Yield the regular expressions of a row that rules could not evaluate."""
    for column, value in values.items():
        if column.startswith("patron"):
            try:
                re.compile(value)
            except re.error:
                yield f"el patrón {value[:40]!r} no es válido"


def _rate_faults(row: Mapping[str, str]) -> Iterator[str]:
    yield from _date_faults(row[SINCE], row[UNTIL])
    if row["impuesto"] not in TAXES.values():
        yield f"el impuesto {row['impuesto'][:40]!r} no es conocido"
    if row["factor"] not in FACTORS:
        yield f"el factor {row['factor'][:40]!r} no es conocido"
    for value in (row["valor"], row["minimo"]) if row["tipo"] == "Rango" else (row["valor"],):
        if not _RATE.fullmatch(value):
            yield f"el valor {value[:40]!r} no es un número"


def _reject(table: str, faults: Sequence[str]) -> None:
    if faults:
        more = f" y {len(faults) - MAX_NAMED} más" if len(faults) > MAX_NAMED else ""
        raise ServiceError(REJECTED, f"{table}: {'; '.join(faults[:MAX_NAMED])}{more}.")
