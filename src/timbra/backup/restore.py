"""Restore: verify a whole archive, replace the data folder, migrate the database to the schema of this version."""

from __future__ import annotations

import tempfile
from datetime import datetime
from pathlib import Path

from timbra.backup.backup import DATABASE, storage
from timbra.backup.protection import OpeningKeys
from timbra.backup.reading import ReadArchive, read_archive, require_sound_database
from timbra.core.errors import ServiceError
from timbra.database.database import open_database
from timbra.database.sqlite_backup import require_unused

WORK_FOLDER_PREFIX = ".restore-"
REPLACED = "replaced-"


def restore(
    archive: Path,
    data: Path,
    environment: str,
    now: datetime,
    *,
    force: bool = False,
    keys: OpeningKeys | None = None,
) -> ReadArchive:
    """Restore the data folder from an archive. A damaged archive changes nothing.

    Args:
        data: the data folder.
        environment: environment that the backup must be of.
        now: wall time.
        force: whether to restore into a folder that is not empty; its content moves to a folder `replaced-...`.
        keys: what decrypts the archive and verifies its signature; None for neither.

    Raises:
        ServiceError: as `read_archive`; "backup-storage", "restore-not-empty", "restore-in-use"; "database-damaged";
            "CO1000" for a backup of another environment.
    """
    with storage():
        return _restore(archive, data, environment, now, force, keys or OpeningKeys())


def _restore(archive: Path, data: Path, environment: str, now: datetime, force: bool, keys: OpeningKeys) -> ReadArchive:
    data.mkdir(mode=0o700, parents=True, exist_ok=True)
    present = [path for path in data.iterdir() if path.name != "lost+found"]
    if present and not force:
        raise ServiceError("restore-not-empty", str(data))
    if (data / DATABASE).exists():
        require_unused(data / DATABASE)
    with tempfile.TemporaryDirectory(prefix=WORK_FOLDER_PREFIX, dir=data) as made:
        work_folder = Path(made)
        read = read_archive(archive, keys, work_folder)
        manifest = read.manifest
        if manifest.environment != environment:
            raise ServiceError("CO1000", f"El respaldo es del ambiente {manifest.environment}, no de {environment}.")
        require_sound_database(manifest, work_folder)
        _move_aside(present, data, now)
        for path in work_folder.iterdir():
            path.rename(data / path.name)
    if manifest.database == "sqlite":
        open_database(f"sqlite:///{(data / DATABASE).resolve()}", environment).close()
    return read


def _move_aside(present: list[Path], data: Path, now: datetime) -> None:
    if not present:
        return
    aside = data / f"{REPLACED}{now:%Y%m%dT%H%M%S}"
    aside.mkdir(mode=0o700)
    for path in present:
        if not path.name.startswith(REPLACED):
            path.rename(aside / path.name)
