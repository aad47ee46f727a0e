"""What depends on the catalogs and on the date of a document only, cached across the documents of that date."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping
from datetime import date

from timbra.rules.engine.ports import Catalogs

MAX_DATES, MAX_VALUES, MAX_ROWS = 8, 32_768, 2_000
"""Sizes of the caches: a full one is emptied, and of the dates the first one goes.

A value takes about 100 bytes, a row 500.
"""


class DatedCache:
    """The cache of the catalogs for one version of a document and one date.

    Attributes:
        satisfied: by group of rules: attribute values with which a node satisfies every rule of the group. Change it
            with `add` only.
        rows: by catalog and key: the columns of the key, None when it is not in force. Change it with `add_row` only.
        in_force: by catalog and key: whether the key is in force. Change it with `add_key` only.
    """

    __slots__ = ("_catalogs", "_values", "in_force", "rows", "satisfied")

    def __init__(self, catalogs: Catalogs) -> None:
        self._catalogs = catalogs
        self._values = 0
        self.satisfied: dict[object, set[Hashable]] = {}
        self.rows: dict[tuple[str, str], Mapping[str, str] | None] = {}
        self.in_force: dict[tuple[str, str], bool] = {}

    def add(self, group: object, values: Collection[Hashable]) -> None:
        """Add values to those that satisfy a group of rules."""
        if self._values + len(values) > MAX_VALUES:
            self.satisfied.clear()
            self._values = 0
            if len(values) > MAX_VALUES:
                return
        self.satisfied.setdefault(group, set()).update(values)
        self._values += len(values)

    def add_row(self, catalog: str, key: str, row: Mapping[str, str] | None) -> None:
        if len(self.rows) >= MAX_ROWS:
            self.rows.clear()
        self.rows[catalog, key] = row

    def add_key(self, catalog: str, key: str, *, in_force: bool) -> None:
        if len(self.in_force) >= MAX_ROWS:
            self.in_force.clear()
        self.in_force[catalog, key] = in_force


_caches: dict[tuple[int, str, date], DatedCache] = {}


def dated_cache(catalogs: Catalogs, standard: str, on: date) -> DatedCache:
    """Return the cache of the catalogs for one version of a document and one date."""
    key = (id(catalogs), standard, on)
    found = _caches.get(key)
    if found is None:
        while len(_caches) >= MAX_DATES:
            _caches.pop(next(iter(_caches)), None)
        found = _caches[key] = DatedCache(catalogs)
    return found
