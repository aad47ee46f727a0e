"""Attribute values that satisfied a predicate, or not a condition, which depends on the catalogs and the date only.

The values are cached across documents of one date: most documents repeat the keys of earlier ones.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable
from datetime import date

from timbra.rules.engine.ports import Catalogs

MAX_DATES, MAX_VALUES = 8, 3_000
"""Size of the cache: a full one is emptied. A value takes about 100 bytes."""

SatisfiedValues = defaultdict[Hashable, set[Hashable]]
"""By predicate: the values that satisfy it."""

_caches: dict[tuple[int, str, date], tuple[Catalogs, SatisfiedValues]] = {}


def satisfied_values(catalogs: Catalogs, standard: str, on: date) -> SatisfiedValues:
    """Return the cache of the catalogs for one version of the invoice and one date."""
    key = (id(catalogs), standard, on)
    found = _caches.get(key)
    if found is None:
        if len(_caches) >= MAX_DATES:
            _caches.clear()
        found = _caches[key] = (catalogs, defaultdict(set))
    return found[1]


def add_value(values: set[Hashable], value: Hashable) -> None:
    """Add a value to the cache of a predicate."""
    if len(values) >= MAX_VALUES:
        values.clear()
    values.add(value)
