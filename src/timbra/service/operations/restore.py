"""Restore: verify a whole archive, replace the data folder, migrate the database to the schema of this version."""

from __future__ import annotations

import os
import shutil
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path, PurePosixPath

import zstandard

from timbra.errors import ServiceError
from timbra.service.operations.backup import DATABASE, MANIFEST, BackupEntry, BackupManifest, Hashing, storage
from timbra.store.database.database import open_database
from timbra.store.database.sqlite_backup import require_unused

WORK_FOLDER_PREFIX = ".restore-"
REPLACED = "replaced-"
MOST_MANIFEST_BYTES = 64 * 1024 * 1024


def restore(archive: Path, data: Path, environment: str, now: datetime, *, force: bool = False) -> BackupManifest:
    """Restore the data folder from an archive. A damaged archive changes nothing.

    Args:
        archive: the backup.
        data: the data folder.
        environment: environment that the backup must be of.
        now: wall time.
        force: whether to restore into a folder that is not empty; its content moves to a folder `replaced-...`.

    Raises:
        ServiceError: "backup-damaged", "backup-storage", "restore-not-empty", "restore-in-use"; "CO1000" for a backup
            of another environment.
    """
    with storage():
        return _restore(archive, data, environment, now, force=force)


def _restore(archive: Path, data: Path, environment: str, now: datetime, *, force: bool) -> BackupManifest:
    data.mkdir(mode=0o700, parents=True, exist_ok=True)
    present = [path for path in data.iterdir() if path.name != "lost+found"]
    if present and not force:
        raise ServiceError("restore-not-empty", str(data))
    if (data / DATABASE).exists():
        require_unused(data / DATABASE)
    with tempfile.TemporaryDirectory(prefix=WORK_FOLDER_PREFIX, dir=data) as made:
        work_folder = Path(made)
        manifest = _unpacked(archive, work_folder)
        if manifest.environment != environment:
            raise ServiceError("CO1000", f"El respaldo es del ambiente {manifest.environment}, no de {environment}.")
        _move_aside(present, data, now)
        for path in work_folder.iterdir():
            path.rename(data / path.name)
    if manifest.database == "sqlite":
        open_database(f"sqlite:///{(data / DATABASE).resolve()}", environment).close()
    return manifest


def _move_aside(present: list[Path], data: Path, now: datetime) -> None:
    if not present:
        return
    aside = data / f"{REPLACED}{now:%Y%m%dT%H%M%S}"
    aside.mkdir(mode=0o700)
    for path in present:
        if not path.name.startswith(REPLACED):
            path.rename(aside / path.name)


def _unpacked(archive: Path, folder: Path) -> BackupManifest:
    """Unpack the archive into the folder and compare it with the manifest."""
    found: dict[str, BackupEntry] = {}
    manifest = None
    with _members(archive) as tar:
        for member in tar:
            content = tar.extractfile(member) if member.isreg() else None
            if content is None or manifest is not None:
                raise _damaged(f"{member.name!r} no se esperaba")
            if member.name == MANIFEST:
                manifest = BackupManifest.from_json(content.read(MOST_MANIFEST_BYTES))
            else:
                reader = Hashing(content)
                with _place(folder, member.name).open("wb") as file:
                    shutil.copyfileobj(reader, file)
                    file.flush()
                    os.fsync(file.fileno())
                found[member.name] = BackupEntry(member.size, reader.digest())
    if manifest is None:
        raise _damaged("falta el manifiesto")
    differing = {name for name in found.keys() | manifest.files.keys() if found.get(name) != manifest.files.get(name)}
    if differing:
        raise _damaged(f"{sorted(differing)[0]!r} no es lo que dice el manifiesto")
    return manifest


@contextmanager
def _members(archive: Path) -> Iterator[tarfile.TarFile]:
    try:
        with (
            archive.open("rb") as file,
            zstandard.ZstdDecompressor().stream_reader(file, closefd=False) as stream,
            tarfile.open(fileobj=stream, mode="r|") as tar,
        ):
            yield tar
    except FileNotFoundError as error:
        raise ServiceError("backup-damaged", f"{archive} no existe.") from error
    except (tarfile.TarError, zstandard.ZstdError, EOFError, FileExistsError) as error:
        raise _damaged("el archivo está cortado o alterado") from error


def _place(folder: Path, name: str) -> Path:
    """Return the path of a member, which is never outside of the folder (path traversal)."""
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts or not path.parts:
        raise _damaged(f"el nombre {name!r} no es admisible")
    target = folder / path
    target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    target.touch(mode=0o600, exist_ok=False)
    return target


def _damaged(reason: str) -> ServiceError:
    return ServiceError("backup-damaged", f"Motivo: {reason}.")
