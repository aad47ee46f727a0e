"""The project's own tables: `snapshot/tables/<standard>/NAME.csv`, or `NAME.csv.xz` for large ones, and their editions.

`snapshot/tables/editions.csv` names the publication of each table that is not of the default edition.
"""

from __future__ import annotations

import csv
import io
import lzma
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from functools import cache
from pathlib import Path
from types import MappingProxyType

from timbra.snapshot.editions import Edition

TABLES = Path(__file__).parent.parent / "tables"
EDITIONS_FILE = "editions.csv"
DEFAULT = Edition("resources-sat-catalogs 10.14.20260806", date(2026, 8, 6))
"""Edition of the tables that `editions.csv` does not name."""


@dataclass(frozen=True, slots=True)
class OwnEdition:
    """The edition of an own table.

    Attributes:
        compared: day on which the table was compared with the pinned package and found newer or equal. The table of a
            package that is published later replaces it.
    """

    edition: Edition
    compared: date

    def replaces(self, package: Edition) -> bool:
        """Whether the own table is newer than that of the package."""
        return self.compared >= package.published


@dataclass(frozen=True, slots=True)
class OwnTable:
    """A table: names of the columns after the key, and their values by key."""

    columns: tuple[str, ...]
    values: Mapping[str, tuple[str, ...]]


@cache
def own_editions() -> Mapping[str, OwnEdition]:
    """Return the editions that `editions.csv` names, by catalog: `cfdi40/c_PatenteAduanal`."""
    with (TABLES / EDITIONS_FILE).open(encoding="utf-8", newline="") as file:
        return MappingProxyType(
            {
                row["catalog"]: OwnEdition(
                    Edition(row["source"], date.fromisoformat(row["published"])), date.fromisoformat(row["compared"])
                )
                for row in csv.DictReader(file)
            }
        )


def own_edition(catalog: str) -> Edition:
    named = own_editions().get(catalog)
    return DEFAULT if named is None else named.edition


def read_large_table(catalog: str) -> OwnTable:
    """Return a table of `NAME.csv.xz`."""
    with lzma.open(TABLES / f"{catalog}.csv.xz") as file:
        header, *rows = csv.reader(io.StringIO(file.read().decode("utf-8"), newline=""))
    return OwnTable(tuple(header[1:]), {key: tuple(values) for key, *values in rows})


def newest_table(own: OwnTable, package: OwnTable) -> OwnTable:
    """Return the keys and columns of a newer package; its absent columns have the values of the own table.

    A key that the own table does not have gets empty values in those columns.

    Raises:
        ValueError: a row of the package has another number of values than it has columns.
    """
    if any(len(row) != len(package.columns) for row in package.values.values()):
        raise ValueError(f"rows without the columns {', '.join(package.columns)}")
    places = {name: package.columns.index(name) for name in package.columns}
    empty = ("",) * len(own.columns)
    values = {
        key: tuple(
            row[places[name]] if name in places else earlier
            for name, earlier in zip(own.columns, own.values.get(key, empty), strict=True)
        )
        for key, row in package.values.items()
    }
    return OwnTable(own.columns, values)
