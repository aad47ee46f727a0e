"""Writing `editions.json`: the edition of every catalog of a new snapshot."""

from __future__ import annotations

from datetime import date
from pathlib import Path

from timbra.errors import ServiceError
from timbra.snapshot.build.catalogs import TABLES
from timbra.snapshot.editions import CATALOGS, EDITIONS, Edition, editions_json
from timbra.snapshot.manifest import SnapshotSource

OWN_TABLES = Edition("resources-sat-catalogs 10.14.20260806", date(2026, 8, 6))
"""Edition of `timbra/snapshot/tables`; see its README."""


def write_editions(fresh: Path, source: SnapshotSource) -> None:
    """Write the edition of every catalog below `fresh/catalogs`: the project's own tables, or those of the package.

    Raises:
        ServiceError: "snapshot-source" when the version of the package does not begin with year and month.
    """
    package = Edition(f"{source.package} {source.version}", _month(source))
    editions: dict[str, Edition] = {}
    for file in (fresh / CATALOGS).rglob("*.*"):
        name = file.relative_to(fresh / CATALOGS)
        own = (TABLES / name).is_file()
        editions[name.with_suffix("").as_posix()] = OWN_TABLES if own else package
    (fresh / EDITIONS).write_bytes(editions_json(editions))


def _month(source: SnapshotSource) -> date:
    """Return the first day of the month that the version names: 26.10.1 is of October 2026."""
    try:
        year, month, *_ = map(int, source.version.split("."))
        return date(2000 + year, month, 1)
    except ValueError as error:
        detail = f"La versión {source.version} de {source.package} no empieza con año y mes."
        raise ServiceError("snapshot-source", detail) from error
