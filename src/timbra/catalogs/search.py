"""Search of the keys of a catalog by key, by words of their texts and by columns."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from threading import Lock

from timbra.catalogs import rates
from timbra.catalogs.book import CatalogTable, SnapshotCatalogs
from timbra.catalogs.labels import CatalogLabels
from timbra.core.spanish import STOP_WORDS, fold, stem

DEFAULT_STANDARD = "cfdi40"
KEY_PARTS = {
    "c_Colonia": ("colonia", "codigo_postal"),
    "c_Localidad": ("localidad", "estado"),
    "c_Municipio": ("municipio", "estado"),
    "c_NumPedimentoAduana": ("aduana", "patente", "ejercicio"),
    "c_TasaOCuota": rates.KEY,
}
"""Names of the parts of keys that are composed of several, separated by `|`."""
INDEXED_CATALOGS = 4
"""Catalogs whose folded texts are kept in memory; the largest, c_Colonia, takes 30 MB."""
_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True)
class CatalogEntry:
    """A key of a catalog.

    Attributes:
        text: the SAT's text; empty where it has none.
        columns: the other columns, without those that have no value.
    """

    key: str
    text: str
    columns: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class CatalogSummary:
    """A catalog.

    Attributes:
        name: the SAT's name, with the prefix of its standard unless it is CFDI 4.0.
        columns: names of the columns besides key and text.
        published: day of its edition; None when the data do not say it.
    """

    name: str
    standard: str
    columns: tuple[str, ...]
    published: date | None


class CatalogSearch:
    """Searches the catalogs of a snapshot. Threads may share it.

    Raises:
        KeyError: from every method with the name of a catalog, for an unknown one.
    """

    def __init__(self, catalogs: SnapshotCatalogs, labels: CatalogLabels) -> None:
        self._catalogs = catalogs
        self._labels = labels
        self._lock = Lock()
        self._keys_of = lru_cache(maxsize=INDEXED_CATALOGS)(lambda catalog: tuple(self._table(catalog).keys()))
        self._words_of = lru_cache(maxsize=INDEXED_CATALOGS)(self._words)

    @property
    def version(self) -> str:
        """The version of the catalogs."""
        return self._catalogs.version

    def catalogs(self) -> Iterator[CatalogSummary]:
        """Yield the catalogs, those of CFDI 4.0 first."""
        for standard in sorted(self._catalogs.standards(), key=lambda name: (name != DEFAULT_STANDARD, name)):
            for local in self._catalogs.names(standard):
                name = local if standard == DEFAULT_STANDARD else f"{standard}:{local}"
                yield CatalogSummary(name, standard, self.columns(name), self._catalogs.published(name))

    def columns(self, catalog: str) -> tuple[str, ...]:
        """Return the names of the columns that `search` compares, besides key and text."""
        return tuple(dict.fromkeys((*KEY_PARTS.get(_local(catalog), ()), *self._table(catalog).columns[1:])))

    def entry(self, catalog: str, key: str, on: date) -> CatalogEntry | None:
        """Return a key that is valid on a day; None for another one."""
        row = self._table(catalog).row(key, on)
        if row is None:
            return None
        columns = _parts(catalog, key) | {name: value for name, value in row.items() if name != "clave" and value}
        return CatalogEntry(key, self._text(catalog, key), columns)

    def search(self, catalog: str, query: str, on: date, columns: Mapping[str, str] | None = None) -> list[str]:
        """Return the keys that a query finds and that are valid on a day.

        Args:
            catalog: the SAT's name.
            query: a key or its beginning, or Spanish words in any form, with or without accents, all of which the text
                must have; empty for all keys.
            on: the day.
            columns: values that columns must have. A column with several values has each of them; `0` is an empty flag.

        Returns:
            The key itself first, then keys that begin with the query, then texts by the number of other words in them;
            without query in the order of the catalog.

        Raises:
            KeyError: besides an unknown catalog, a column that the catalog does not have.
        """
        wanted = dict(columns or {})
        if unknown := wanted.keys() - set(self.columns(catalog)):
            raise KeyError(*sorted(unknown))
        parts = {name: wanted.pop(name) for name in KEY_PARTS.get(_local(catalog), ()) if name in wanted}
        table, query = self._table(catalog), query.strip()
        with self._lock:
            keys = self._keys_of(catalog)
            words = self._words_of(catalog) if query else ()
        if query:
            keys = _matching(zip(keys, words, strict=True), query)
        for value in parts.values():
            keys = tuple(key for key in keys if value in key)  # most keys have none of the parts
        return [
            key
            for key in keys
            if parts.items() <= _parts(catalog, key).items()
            and (_has(table, key, on, wanted) if wanted else table.contains(key, on))
        ]

    def _words(self, catalog: str) -> tuple[str, ...]:
        """Return for each key of a catalog, of every date, the folded words of its text, each after a blank."""
        return tuple(_spaced(self._text(catalog, key)) for key in self._keys_of(catalog))

    def _text(self, catalog: str, key: str) -> str:
        standard, _, local = catalog.rpartition(":")
        return self._labels.get(local, key, standard or DEFAULT_STANDARD)

    def _table(self, catalog: str) -> CatalogTable:
        return self._catalogs.table(catalog)


def _local(catalog: str) -> str:
    return catalog.rpartition(":")[2]


def _parts(catalog: str, key: str) -> dict[str, str]:
    names = KEY_PARTS.get(_local(catalog))
    return {} if names is None else dict(zip(names, key.split("|"), strict=False))


def _matching(keys: Iterable[tuple[str, str]], query: str) -> tuple[str, ...]:
    """Return the keys that begin with a query, and those whose texts have its words."""
    folded, text = fold(query), _spaced(query)
    words = text.split()
    stems = [f" {stem(word)}" for word in words if word not in STOP_WORDS] or [f" {word}" for word in words]
    found: list[tuple[bool, bool, int, str]] = []
    for key, words_of_key in keys:
        if fold(key).startswith(folded):
            found.append((False, len(key) > len(query), 0, key))
        elif stems and all(each in words_of_key for each in stems):
            found.append((True, text not in words_of_key, words_of_key.count(" "), key))
    return tuple(key for *_, key in sorted(found))


def _spaced(text: str) -> str:
    return "".join(f" {word}" for word in _WORD.findall(fold(text)))


def _has(table: CatalogTable, key: str, on: date, wanted: Mapping[str, str]) -> bool:
    row = table.row(key, on)
    return row is not None and all(
        (have := row[name]) == value or value in have.split(",") or (value == "0" and not have)
        for name, value in wanted.items()
    )
