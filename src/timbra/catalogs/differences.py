"""Differences between a table that the SAT publishes and the catalog in force: rows added, ended and reworded."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from enum import StrEnum

from timbra.catalogs.book import SnapshotCatalogs
from timbra.catalogs.dated import SINCE, UNTIL
from timbra.catalogs.labels import CatalogLabels
from timbra.catalogs.rates import TaxRate
from timbra.catalogs.workbook import PublishedTable

RATES, PEDIMENTOS = "c_TasaOCuota", "c_NumPedimentoAduana"
TAXES = {"ISR": "001", "IVA": "002", "IEPS": "003"}
_ISO = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}\Z")


class Change(StrEnum):
    """Kind of a difference."""

    ADDED = "added"
    ENDED = "ended"
    REWORDED = "reworded"


@dataclass(frozen=True, slots=True)
class Difference:
    """A row that differs. detail: values before and after, or the date of the end; empty when there is none."""

    table: str
    change: Change
    key: str
    detail: str = ""


def _flag(text: str) -> str:
    return "1" if text.casefold() in ("sí", "si") else ""


def _joined(text: str) -> str:
    return ",".join(part.strip() for part in text.split(",") if part.strip())


def _same(text: str) -> str:
    return text


COLUMNS: Mapping[str, tuple[str, Callable[[str], str]]] = {
    "incluir iva trasladado": ("iva_trasladado", _flag),
    "incluir ieps trasladado": ("ieps_trasladado", _flag),
    "complemento que debe incluir": ("complemento", _same),
    "estimulo franja fronteriza": ("estimulo_frontera", _same),
    "c estado": ("estado", _same),
    "c municipio": ("municipio", _same),
    "c localidad": ("localidad", _same),
    "c pais": ("pais", _same),
    "descripcion del huso horario": ("huso_horario", _same),
    "decimales": ("decimales", _same),
    "cantidad": ("cantidad", _same),
    "fisica": ("aplica_fisica", _flag),
    "moral": ("aplica_moral", _flag),
    "regimen fiscal receptor": ("regimenes_fiscales_receptores", _joined),
    "fecha inicio": (SINCE, _same),
    "fecha de inicio": (SINCE, _same),
    "fechainicio": (SINCE, _same),
    "inicio de vigencia": (SINCE, _same),
}
"""By beginning of a heading of the SAT: column of the snapshot, and the form of its values."""

_ENDS = ("fecha fin", "fecha de fin", "fechafin", "fin de vigencia")
_TEXTS = ("descripcion", "nombre")
KEY_PARTS: Mapping[str, tuple[str, ...]] = {
    "c_Colonia": ("c colonia", "c codigopostal"),
    "c_Localidad": ("c localidad", "c estado"),
    "c_Municipio": ("c municipio", "c estado"),
    PEDIMENTOS: ("c aduana", "patente", "ejercicio"),
}
"""Headings of the parts of a key, for tables whose keys have several."""


def to_values(table: PublishedTable, columns: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Return the values of columns of the snapshot by key, in the order of the file; other columns are empty.

    Args:
        table: a table of the SAT whose keys are texts with all their digits.
        columns: names of columns, dates included.
    """
    parts = _key_parts(table, table.name)
    places = {
        column: (index, form)
        for index, heading in enumerate(table.columns)
        for prefix, (column, form) in COLUMNS.items()
        if heading.startswith(prefix) and index not in parts
    }
    end = table.column(*_ENDS)
    if end is not None:
        places[UNTIL] = (end, _same)
    values = {}
    for row in table.rows:
        key = _join(table.name, row, parts)
        if key:
            values[key] = tuple(
                places[column][1](_cell(row, places[column][0])) if column in places else "" for column in columns
            )
    return values


def _key_parts(table: PublishedTable, name: str) -> list[int]:
    """Return the indexes of the columns of the key."""
    return [part for part in map(table.column, KEY_PARTS.get(name, ())) if part is not None] or [0]


def _join(name: str, row: tuple[str, ...], parts: Sequence[int]) -> str:
    """Return the key of a row; empty for a note below the table."""
    texts = [_cell(row, index) for index in parts]
    if name == PEDIMENTOS:
        texts[-1] = texts[-1][-2:]
    key = "|".join(texts)
    return key if all(texts) and key == "".join(key.split()) else ""


class UnknownTableError(Exception):
    """The snapshot has no catalog of this name."""


def compare(
    table: PublishedTable, catalogs: SnapshotCatalogs, labels: CatalogLabels, on: date, standard: str = "cfdi40"
) -> list[Difference]:
    """Compare a published table with the catalog in force.

    Args:
        table: the table of the newer file.
        labels: texts of their keys.
        on: day on which rows are in force.

    Raises:
        UnknownTableError: there is no such catalog.
    """
    if table.name.casefold() == RATES.casefold():
        return [*_compare_rates(table, catalogs, on, standard)]
    name = next((each for each in catalogs.names(standard) if each.casefold() == table.name.casefold()), None)
    if name is None:
        raise UnknownTableError(table.name)
    return [*_Comparison(table, name, catalogs, labels, on, standard).differences()]


class _Comparison:
    def __init__(
        self,
        table: PublishedTable,
        name: str,
        catalogs: SnapshotCatalogs,
        labels: CatalogLabels,
        on: date,
        standard: str,
    ) -> None:
        self._table, self._name, self._catalogs, self._on, self._standard = table, name, catalogs, on, standard
        self._labels = labels
        self._catalog = f"{standard}:{name}"
        self._in_force = {key for key in catalogs.keys(self._catalog) if catalogs.contains(self._catalog, key, on)}
        self._known = {*catalogs.keys(self._catalog)}
        widths = {len(key) for key in self._known if key.isdigit()}
        self._width = widths.pop() if len(widths) == 1 else 0
        self._parts = _key_parts(table, name)
        self._end = table.column(*_ENDS)
        self._text = table.column(*_TEXTS)
        self._columns = [
            (index, column, form)
            for index, heading in enumerate(table.columns)
            for prefix, (column, form) in COLUMNS.items()
            if heading.startswith(prefix) and index not in self._parts and catalogs.has(self._catalog, column)
        ]

    def differences(self) -> Iterator[Difference]:
        """Yield the differences in the order of the file, then the keys that it does not have."""
        found: set[str] = set()
        for row in self._table.rows:
            key = self._key(row)
            if not key:
                continue
            found.add(key)
            yield from self._of_row(key, row)
        for key in sorted(self._in_force - found):
            yield self._difference(Change.ENDED, key)

    def _of_row(self, key: str, row: tuple[str, ...]) -> Iterator[Difference]:
        end = _cell(row, self._end)
        ends = bool(_ISO.match(end))
        if key not in self._in_force:
            if not (ends and end < self._on.isoformat()):
                yield self._difference(Change.ADDED, key, _cell(row, self._text))
            return
        before = self._catalogs.row(self._catalog, key, self._on) or {}
        if ends and before.get(UNTIL, "") != end:
            yield self._difference(Change.ENDED, key, end)
        details = [*self._changed(key, row, before)]
        if details:
            yield self._difference(Change.REWORDED, key, "; ".join(details))

    def _changed(self, key: str, row: tuple[str, ...], before: Mapping[str, str]) -> Iterator[str]:
        label, text = self._labels.get(self._name, key, self._standard), _cell(row, self._text)
        if label and text and _words(label) != _words(text):
            yield f"{label} -> {text}"
        for index, column, form in self._columns:
            after = form(_cell(row, index))
            if before[column] != after:
                yield f"{column}: {before[column] or '-'} -> {after or '-'}"

    def _key(self, row: tuple[str, ...]) -> str:
        key = _join(self._name, row, self._parts)
        if key in self._known or not key.isdigit():
            return key
        padded = (key.zfill(width) for width in range(len(key) + 1, 9))
        return next((each for each in padded if each in self._known), key.zfill(self._width))

    def _difference(self, change: Change, key: str, detail: str = "") -> Difference:
        return Difference(self._name, change, key, detail)


def _words(text: str) -> list[str]:
    """Return the words of a text without its final period, in which copies of the catalogs differ."""
    return text.strip(" .").split()


def _cell(row: tuple[str, ...], index: int | None) -> str:
    return "" if index is None or index >= len(row) else row[index]


def _compare_rates(table: PublishedTable, catalogs: SnapshotCatalogs, on: date, standard: str) -> Iterator[Difference]:
    published = dict.fromkeys(_published_rates(table, on))
    in_force = dict.fromkeys(map(_rate_key, catalogs.rates("cfdi33" if standard == "cfdi33" else "cfdi40", on)))
    for key in published.keys() - in_force.keys():
        yield Difference(RATES, Change.ADDED, key)
    for key in in_force.keys() - published.keys():
        yield Difference(RATES, Change.ENDED, key)


def _rate_key(rate: TaxRate) -> str:
    uses = [name for name, used in (("traslado", rate.transfer), ("retención", rate.withholding)) if used]
    return _written(rate.tax, rate.factor, f"{rate.minimum:f}", f"{rate.maximum:f}", uses)


def _published_rates(table: PublishedTable, on: date) -> Iterator[str]:
    kind, low, high, tax, factor, transfer, withholding, end = (
        table.column(*names)
        for names in (
            ("rango",),
            ("valor minimo",),
            ("valor maximo",),
            ("impuesto",),
            ("factor",),
            ("traslado",),
            ("retencion",),
            _ENDS,
        )
    )
    for row in table.rows:
        last = _cell(row, end)
        if _ISO.match(last) and last < on.isoformat():
            continue
        uses = [name for name, i in (("traslado", transfer), ("retención", withholding)) if _flag(_cell(row, i))]
        maximum = _cell(row, high)
        minimum = _cell(row, low) if _cell(row, kind) == "Rango" else maximum
        first_word = _cell(row, tax).split(" ")[0]
        yield _written(TAXES.get(first_word, first_word), _cell(row, factor), minimum, maximum, uses)


def _written(tax: str, factor: str, minimum: str, maximum: str, uses: Iterable[str]) -> str:
    low, high = (text.rstrip("0").rstrip(".") if "." in text else text for text in (minimum, maximum))
    return f"{tax} {factor} {low if low == high else f'{low}-{high}'} {' '.join(uses)}"
