"""Tables that stand in for reference data which no source has, so that a rule can be shown to fail."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from types import MappingProxyType
from typing import Any, Literal
from zoneinfo import ZoneInfo

from timbra.rules.engine.ports import Catalogs, RatePort, ReferenceData

Columns = Mapping[str, Mapping[str, Mapping[str, str]]]
"""By catalog and key: columns with their values."""


def _nothing() -> Mapping[str, Any]:
    return MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Tables:
    """Reference data that replace those in force.

    Attributes:
        columns: columns that replace or extend those of a catalog; other keys of the catalog have empty values.
        lists: by field of `ReferenceData`, the value that replaces it.
    """

    columns: Columns = field(default_factory=_nothing)
    lists: Mapping[str, Any] = field(default_factory=_nothing)

    def __bool__(self) -> bool:
        return bool(self.columns or self.lists)

    def apply(self, reference_data: ReferenceData) -> ReferenceData:
        """Return the reference data with these tables in place of their own."""
        catalogs = reference_data.catalogs
        if self.columns:
            catalogs = _ExtendedCatalogs(catalogs, self.columns)
        return replace(reference_data, catalogs=catalogs, **self.lists)


def tables(columns: Columns | None = None, **lists: object) -> Tables:
    """Return tables for the argument `fails_with` of a rule.

    Args:
        columns: columns that replace or extend those of a catalog.
        lists: fields of `ReferenceData`.
    """
    return Tables(columns or _nothing(), lists)


NO_TABLES = Tables()
"""The reference data in force show the violation."""


class _ExtendedCatalogs:
    """`Catalogs` with further columns."""

    def __init__(self, catalogs: Catalogs, columns: Columns) -> None:
        self._catalogs = catalogs
        self._columns = columns
        self.version = f"{catalogs.version}+{id(columns)}"

    def contains(self, catalog: str, key: str, on: date) -> bool:
        """Whether the key is in force, as `Catalogs.contains`."""
        return self._catalogs.contains(catalog, key, on)

    def row(self, catalog: str, key: str, on: date) -> Mapping[str, str] | None:
        row = self._catalogs.row(catalog, key, on)
        rows = self._columns.get(catalog)
        if row is None or rows is None:
            return row
        empty = dict.fromkeys((name for columns in rows.values() for name in columns), "")
        return {**row, **empty, **rows.get(key, {})}

    def has(self, catalog: str, column: str) -> bool:
        own = any(column in columns for columns in self._columns.get(catalog, {}).values())
        return own or self._catalogs.has(catalog, column)

    def keys_with(self, catalog: str, columns: tuple[str, ...]) -> frozenset[str]:
        rows = self._columns.get(catalog, {})
        replaced = {name for row in rows.values() for name in row}
        others = self._catalogs.keys_with(catalog, tuple([name for name in columns if name not in replaced]))
        return others.union(key for key, row in rows.items() if any(row.get(name) for name in columns))

    def published(self, catalog: str) -> date | None:
        """Return the day of publication, as `Catalogs.published`."""
        return self._catalogs.published(catalog)

    def rates(self, standard: Literal["cfdi40", "cfdi33"], on: date | None) -> Sequence[RatePort]:
        return self._catalogs.rates(standard, on)

    def zone(self, postal_code: str) -> ZoneInfo | None:
        return self._catalogs.zone(postal_code)
