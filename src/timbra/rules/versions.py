"""The catalogs as a document of an older version sees them: a name without prefix is of its own standard."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Literal
from zoneinfo import ZoneInfo

from timbra.rules.world import Catalogs, Rate

REPUBLISHED = date(2017, 8, 14)
"""SAT published the tables of 3.3 anew with this date in them; documents of the six weeks before had the same keys."""


class Catalogs33:
    """`c_FormaPago` is that of CFDI 3.3; names with a prefix are what they are. Satisfies `Catalogs`."""

    def __init__(self, catalogs: Catalogs) -> None:
        self._all = catalogs
        self.version = catalogs.version

    def contains(self, catalog: str, key: str, on: date) -> bool:
        return self._all.contains(_own(catalog), key, _known(catalog, on))

    def row(self, catalog: str, key: str, on: date) -> Mapping[str, str] | None:
        return self._all.row(_own(catalog), key, _known(catalog, on))

    def has(self, catalog: str, column: str) -> bool:
        return self._all.has(_own(catalog), column)

    def rates(self, standard: Literal["cfdi40", "cfdi33"], on: date | None) -> Sequence[Rate]:
        return self._all.rates(standard, on)

    def zone(self, postal_code: str) -> ZoneInfo | None:
        return self._all.zone(postal_code)


def _own(catalog: str) -> str:
    return catalog if ":" in catalog else f"cfdi33:{catalog}"


def _known(catalog: str, on: date) -> date:
    return on if ":" in catalog else max(on, REPUBLISHED)
