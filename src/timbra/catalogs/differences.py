"""Differences between a table that the SAT publishes and the catalog in force: rows added, ended and reworded."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal, InvalidOperation
from enum import StrEnum

from timbra.catalogs.book import SnapshotCatalogs
from timbra.catalogs.dated import SINCE, UNTIL
from timbra.catalogs.labels import CatalogLabels
from timbra.catalogs.rates import TaxRate
from timbra.catalogs.workbook import PublishedTable

RATES, PEDIMENTOS = "c_TasaOCuota", "c_NumPedimentoAduana"
TAXES = {"ISR": "001", "IVA": "002", "IEPS": "003"}
_ISO = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}\Z")
_DAY = re.compile(r"(?:([0-9]{4}-[0-9]{2}-[0-9]{2})|([0-9]{2})/([0-9]{2})/([0-9]{4}))(?:[ T]0?0:00(?::00)?)?")


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


def to_day(text: str) -> str:
    """Return a date in ISO form, which conversions write as `21/08/2026` or with a time; another text as it is."""
    found = _DAY.fullmatch(text)
    if found is None:
        return text
    return found[1] or f"{found[4]}-{found[3]}-{found[2]}"


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
    "fecha inicio": (SINCE, to_day),
    "fecha de inicio": (SINCE, to_day),
    "fechainicio": (SINCE, to_day),
    "inicio de vigencia": (SINCE, to_day),
    "vigencia desde": (SINCE, to_day),
}
"""By beginning of a heading of the SAT: column of the snapshot, and the form of its values."""

_ENDS = ("fecha fin", "fecha de fin", "fechafin", "fin de vigencia", "vigencia hasta")
_TEXTS = ("descripcion", "nombre", "texto")
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
        places[UNTIL] = (end, to_day)
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
    return [*CatalogComparison(table, name, catalogs, labels, on, standard).differences()]


class CatalogComparison:
    """A published table beside the catalog in force.

    Attributes:
        name: that of the catalog, as the snapshot spells it.
        catalog: its name with the standard.
        in_force: the keys in force on the day.
        known: the keys of every day.
    """

    def __init__(
        self,
        table: PublishedTable,
        name: str,
        catalogs: SnapshotCatalogs,
        labels: CatalogLabels,
        on: date,
        standard: str,
    ) -> None:
        """Read the keys of the catalog, and find the columns of the table.

        Args:
            name: name of the catalog.
            on: day on which rows are in force.
        """
        self._table, self.name, self._catalogs, self._on, self._standard = table, name, catalogs, on, standard
        self._labels = labels
        self.catalog = f"{standard}:{name}"
        self.in_force = {key for key in catalogs.keys(self.catalog) if catalogs.contains(self.catalog, key, on)}
        self.known = {*catalogs.keys(self.catalog)}
        widths = {len(key) for key in self.known if key.isdigit()}
        self._width = widths.pop() if len(widths) == 1 else 0
        self._parts = _key_parts(table, name)
        self._end = table.column(*_ENDS)
        self._text = table.column(*_TEXTS)
        self._columns = [
            (index, column, form)
            for index, heading in enumerate(table.columns)
            for column, form in self._meanings(heading)
            if index not in self._parts and catalogs.has(self.catalog, column)
        ]
        self._since = table.column(*(prefix for prefix, (column, _) in COLUMNS.items() if column == SINCE))

    def _meanings(self, heading: str) -> Iterator[tuple[str, Callable[[str], str]]]:
        """Yield the columns of the snapshot that a heading names: the SAT's, or the name of the column itself."""
        named = [meaning for prefix, meaning in COLUMNS.items() if heading.startswith(prefix)]
        yield from named
        column = heading.replace(" ", "_")
        if column not in (SINCE, UNTIL, *(name for name, _ in named)):
            yield column, _same

    def rows(self) -> Iterator[tuple[str, tuple[str, ...]]]:
        """Yield key and cells of each row, in the order of the file, without the notes below the table."""
        for row in self._table.rows:
            key = self._key(row)
            if key:
                yield key, row

    def values(self, row: tuple[str, ...]) -> dict[str, str]:
        """Return the values of a row that the catalog has columns for, by column, without dates."""
        return {column: form(_cell(row, index)) for index, column, form in self._columns if column != SINCE}

    def dates(self, row: tuple[str, ...]) -> tuple[str, str | None]:
        """Return first and last day that a row states, as texts; None for the last one of a table without ends."""
        return to_day(_cell(row, self._since)), None if self._end is None else to_day(_cell(row, self._end))

    def text(self, row: tuple[str, ...]) -> str:
        """Return the text of a row."""
        return _cell(row, self._text)

    def differences(self) -> Iterator[Difference]:
        """Yield the differences in the order of the file, then the keys that it does not have."""
        found: set[str] = set()
        for key, row in self.rows():
            found.add(key)
            yield from self._of_row(key, row)
        for key in sorted(self.in_force - found):
            yield self._difference(Change.ENDED, key)

    def _of_row(self, key: str, row: tuple[str, ...]) -> Iterator[Difference]:
        end = to_day(_cell(row, self._end))
        ends = bool(_ISO.match(end))
        if key not in self.in_force:
            if not (ends and end < self._on.isoformat()):
                yield self._difference(Change.ADDED, key, _cell(row, self._text))
            return
        before = self._catalogs.row(self.catalog, key, self._on) or {}
        if ends and before.get(UNTIL, "") != end:
            yield self._difference(Change.ENDED, key, end)
        details = [*self._changed(key, row, before)]
        if details:
            yield self._difference(Change.REWORDED, key, "; ".join(details))

    def _changed(self, key: str, row: tuple[str, ...], before: Mapping[str, str]) -> Iterator[str]:
        label, text = self._labels.get(self.name, key, self._standard), _cell(row, self._text)
        if label and text and _words(label) != _words(text):
            yield f"{label} -> {text}"
        for index, column, form in self._columns:
            after = form(_cell(row, index))
            if before[column] != after:
                yield f"{column}: {before[column] or '-'} -> {after or '-'}"

    def _key(self, row: tuple[str, ...]) -> str:
        key = _join(self.name, row, self._parts)
        if key in self.known or not key.isdigit():
            return key
        padded = (key.zfill(width) for width in range(len(key) + 1, 9))
        return next((each for each in padded if each in self.known), key.zfill(self._width))

    def _difference(self, change: Change, key: str, detail: str = "") -> Difference:
        return Difference(self.name, change, key, detail)


def _words(text: str) -> list[str]:
    """Return the words of a text without its final period, in which copies of the catalogs differ."""
    return text.strip(" .").split()


def _cell(row: tuple[str, ...], index: int | None) -> str:
    return "" if index is None or index >= len(row) else row[index]


def _compare_rates(table: PublishedTable, catalogs: SnapshotCatalogs, on: date, standard: str) -> Iterator[Difference]:
    today = on.isoformat()
    published = dict.fromkeys(key for key, row in published_rates(table) if not (row[UNTIL] and row[UNTIL] < today))
    in_force = dict.fromkeys(map(_rate_key, catalogs.rates("cfdi33" if standard == "cfdi33" else "cfdi40", on)))
    for key in published.keys() - in_force.keys():
        yield Difference(RATES, Change.ADDED, key)
    for key in in_force.keys() - published.keys():
        yield Difference(RATES, Change.ENDED, key)


def _rate_key(rate: TaxRate) -> str:
    uses = [name for name, used in (("traslado", rate.transfer), ("retención", rate.withholding)) if used]
    return _written(rate.tax, rate.factor, f"{rate.minimum:f}", f"{rate.maximum:f}", uses)


def rate_of_row(row: Mapping[str, str]) -> str:
    """Return the text of a row of c_TasaOCuota, by which rows are compared."""
    minimum = row["minimo"] if row["tipo"] == "Rango" else row["valor"]
    uses = [name for name, column in (("traslado", "traslado"), ("retención", "retencion")) if row[column]]
    return _written(row["impuesto"], row["factor"], minimum, row["valor"], uses)


def published_rates(table: PublishedTable) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield each rate of the SAT's table: its text as `rate_of_row`, and its columns as the snapshot has them."""
    kind, low, high, tax, factor, transfer, withholding, since, end = (
        table.column(*names)
        for names in (
            ("rango",),
            ("valor minimo",),
            ("valor maximo",),
            ("impuesto",),
            ("factor",),
            ("traslado",),
            ("retencion",),
            ("fecha inicio", "fecha de inicio"),
            _ENDS,
        )
    )
    for cells in table.rows:
        name = _cell(cells, tax)
        first_word = name.split(" ")[0]
        is_range = _cell(cells, kind) == "Rango"
        maximum = _decimals(_cell(cells, high))
        row = {
            "tipo": "Rango" if is_range else "Fijo",
            "minimo": _decimals(_cell(cells, low)) if is_range else "",
            "valor": maximum,
            "impuesto": TAXES.get(first_word, first_word),
            "factor": _cell(cells, factor),
            "traslado": _flag(_cell(cells, transfer)),
            "retencion": _flag(_cell(cells, withholding)),
            "estimulo_frontera": "1" if "crédito" in name.casefold() else "",
            SINCE: to_day(_cell(cells, since)),
            UNTIL: to_day(_cell(cells, end)),
        }
        yield rate_of_row(row), row


def _decimals(text: str) -> str:
    """Return a number with six decimals; another text as it is."""
    try:
        return f"{Decimal(text):.6f}"
    except InvalidOperation:
        return text


def _written(tax: str, factor: str, minimum: str, maximum: str, uses: Iterable[str]) -> str:
    low, high = (text.rstrip("0").rstrip(".") if "." in text else text for text in (minimum, maximum))
    return f"{tax} {factor} {low if low == high else f'{low}-{high}'} {' '.join(uses)}"
