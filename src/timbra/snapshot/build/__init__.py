"""Building a snapshot from the pinned wheel: the same wheel always results in the same bytes and the same version."""

from __future__ import annotations

import tempfile
import zipfile
from collections.abc import Callable
from datetime import date
from pathlib import Path

from timbra.core.errors import ServiceError
from timbra.snapshot.build.catalogs import write_catalogs
from timbra.snapshot.build.folder import replace_folder, write_files
from timbra.snapshot.build.qr import write_tables
from timbra.snapshot.build.resources import Resources
from timbra.snapshot.build.schemas import schema_files
from timbra.snapshot.build.source import PINNED, check, download
from timbra.snapshot.build.stylesheets import program_files
from timbra.snapshot.build.tables import TABLES, own_edition, own_editions
from timbra.snapshot.editions import CATALOGS, EDITIONS, Edition, editions_json
from timbra.snapshot.folder import Snapshot, open_snapshot
from timbra.snapshot.manifest import MANIFEST, SnapshotManifest, SnapshotSource, content_version, to_entry

Progress = Callable[[str, int, int], None]
STEPS = 6


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


def build(destination: Path, wheel: Path | None, progress: Progress, source: SnapshotSource = PINNED) -> Snapshot:
    """Create or replace the snapshot at `destination`.

    Args:
        destination: folder of the snapshot.
        wheel: local copy of the wheel; None to download it with pip.
        progress: receives the step in Spanish, the number of finished steps and that of all steps.
        source: the pinned package.

    Raises:
        ServiceError: "snapshot-source" if the wheel is unavailable, has another hash or misses a file.
    """
    with tempfile.TemporaryDirectory() as scratch:
        progress("obtener el paquete", 0, STEPS)
        file = wheel if wheel is not None else download(source, Path(scratch))
        progress("comprobar su huella", 1, STEPS)
        check(file, source)
        with _open_wheel(file) as package, replace_folder(destination) as fresh:
            _fill(fresh, package, source, progress)
    progress("listo", STEPS, STEPS)
    return open_snapshot(destination)


def _open_wheel(file: Path) -> zipfile.ZipFile:
    try:
        return zipfile.ZipFile(file)
    except zipfile.BadZipFile as error:
        raise ServiceError("snapshot-source", f"{file.name} no es un paquete wheel: {error}.") from error


def _fill(fresh: Path, wheel: zipfile.ZipFile, source: SnapshotSource, progress: Progress) -> None:
    resources, package = Resources(wheel), package_edition(source)
    progress("esquemas", 2, STEPS)
    write_files(fresh, schema_files(resources))
    progress("hojas de estilo", 3, STEPS)
    write_files(fresh, program_files(resources))
    progress("catálogos", 4, STEPS)
    write_catalogs(wheel, fresh, package)
    write_editions(fresh, package)
    progress("tablas del QR", 5, STEPS)
    write_tables(fresh)
    write_manifest(fresh, source)


def write_manifest(fresh: Path, source: SnapshotSource) -> None:
    """Write the manifest of all files in the folder."""
    names = sorted(path.relative_to(fresh).as_posix() for path in fresh.rglob("*") if path.is_file())
    files = {name: to_entry((fresh / name).read_bytes()) for name in names}
    (fresh / MANIFEST).write_bytes(SnapshotManifest(content_version(source, files), source, files).to_json())
