"""Writing `editions.json`: the edition of every catalog of a new snapshot."""

from __future__ import annotations

from datetime import date
from pathlib import Path

from timbra.core.errors import ServiceError
from timbra.snapshot.build.tables import TABLES, own_edition, own_editions
from timbra.snapshot.editions import CATALOGS, EDITIONS, Edition, editions_json
from timbra.snapshot.manifest import SnapshotSource


def write_editions(fresh: Path, package: Edition) -> None:
    """Write the edition of every catalog below `fresh/catalogs`: the project's own tables, or those of the package."""
    editions: dict[str, Edition] = {}
    for file in (fresh / CATALOGS).rglob("*.*"):
        path = file.relative_to(fresh / CATALOGS)
        name = path.with_suffix("").as_posix()
        named = own_editions().get(name)
        large = (TABLES / f"{name}.csv.xz").is_file()
        own = (TABLES / path).is_file() or (large and named is not None and named.replaces(package))
        editions[name] = own_edition(name) if own else package
    (fresh / EDITIONS).write_bytes(editions_json(editions))


def package_edition(source: SnapshotSource) -> Edition:
    """Return the edition of the tables of a package: the first day of the month that its version names.

    Version 26.10.1 is of October 2026.

    Raises:
        ServiceError: "snapshot-source" when the version of the package does not begin with year and month.
    """
    try:
        year, month, *_ = map(int, source.version.split("."))
        return Edition(f"{source.package} {source.version}", date(2000 + year, month, 1))
    except ValueError as error:
        detail = f"La versión {source.version} de {source.package} no empieza con año y mes."
        raise ServiceError("snapshot-source", detail) from error
