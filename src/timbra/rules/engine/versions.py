"""The catalogs of CFDI 3.3: names without prefix are those of that version."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Literal
from zoneinfo import ZoneInfo

from timbra.rules.engine.ports import Catalogs, RatePort

REPUBLISHED = date(2017, 8, 14)
"""Start of validity in the tables that the SAT republished; the keys were already valid for six weeks."""


class Catalogs33:
    """`Catalogs` in which `c_FormaPago` is that of CFDI 3.3; names with a prefix are not changed.

    Dates before `REPUBLISHED` are replaced by it for the catalogs of CFDI 3.3.
    """

    def __init__(self, catalogs: Catalogs) -> None:
        self._all = catalogs
        self.version = catalogs.version

    def contains(self, catalog: str, key: str, on: date) -> bool:
        """Whether the key is in force, as `Catalogs.contains`."""
        return self._all.contains(_qualified(catalog), key, _effective_date(catalog, on))

    def row(self, catalog: str, key: str, on: date) -> Mapping[str, str] | None:
        return self._all.row(_qualified(catalog), key, _effective_date(catalog, on))

    def has(self, catalog: str, column: str) -> bool:
        return self._all.has(_qualified(catalog), column)

    def keys_with(self, catalog: str, columns: tuple[str, ...]) -> frozenset[str]:
        return self._all.keys_with(_qualified(catalog), columns)

    def published(self, catalog: str) -> date | None:
        """Return the day of publication, as `Catalogs.published`."""
        return self._all.published(_qualified(catalog))

    def rates(self, standard: Literal["cfdi40", "cfdi33"], on: date | None) -> Sequence[RatePort]:
        return self._all.rates(standard, on)

    def zone(self, postal_code: str) -> ZoneInfo | None:
        return self._all.zone(postal_code)


def _qualified(catalog: str) -> str:
    return catalog if ":" in catalog else f"cfdi33:{catalog}"


def _effective_date(catalog: str, on: date) -> date:
    return on if ":" in catalog else max(on, REPUBLISHED)
