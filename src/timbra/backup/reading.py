"""Reading of a backup: every file is compared with the manifest, whether it is unpacked or only verified."""

from __future__ import annotations

import os
import shutil
import tarfile
import tempfile
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO

import zstandard

from timbra.backup.backup import DATABASE, MANIFEST, BackupEntry, BackupManifest, Hashing, storage
from timbra.backup.protection import PIECE, OpeningKeys, Provenance, open_archive
from timbra.core.errors import ServiceError
from timbra.database.sqlite_check import require_sound

WORK_FOLDER_PREFIX = "timbra-verify-"
MOST_MANIFEST_BYTES = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class ReadArchive:
    """A whole archive that agrees with its manifest."""

    manifest: BackupManifest
    provenance: Provenance


def verify_archive(archive: Path, keys: OpeningKeys, folder: Path | None = None) -> ReadArchive:
    """Read a whole archive, compare it with its manifest, and check the database that it contains.

    Args:
        keys: what decrypts it and verifies its signature.
        folder: where the database is unpacked to be checked, and removed; None for the system's temporary folder.

    Raises:
        ServiceError: as `read_archive`; "backup-storage" when the folder cannot be written; "database-damaged".
    """
    with storage(), tempfile.TemporaryDirectory(prefix=WORK_FOLDER_PREFIX, dir=folder) as made:
        read = read_archive(archive, keys, Path(made), {DATABASE})
        require_sound_database(read.manifest, Path(made))
    return read


def require_sound_database(manifest: BackupManifest, folder: Path) -> None:
    """Check the database of an archive that was unpacked into a folder; PostgreSQL's is not in the archive.

    Raises:
        ServiceError: "database-damaged"; "backup-damaged" when the archive does not contain it.
    """
    if manifest.database != "sqlite":
        return
    if DATABASE not in manifest.files:
        raise _damaged("falta la base de datos")
    require_sound(folder / DATABASE)


def read_archive(
    archive: Path, keys: OpeningKeys, folder: Path | None = None, names: Collection[str] | None = None
) -> ReadArchive:
    """Read a whole archive and compare it with its manifest.

    Args:
        keys: what decrypts it and verifies its signature.
        folder: an empty folder to unpack it into; None to verify it only.
        names: files to unpack; None for all.

    Raises:
        ServiceError: "backup-damaged", "backup-encrypted", "backup-key", "backup-signature".
    """
    found: dict[str, BackupEntry] = {}
    manifest = None
    with _members(archive, keys) as (tar, provenance):
        for member in tar:
            content = tar.extractfile(member) if member.isreg() else None
            if content is None or manifest is not None:
                raise _damaged(f"{member.name!r} no se esperaba")
            if member.name == MANIFEST:
                manifest = BackupManifest.from_json(content.read(MOST_MANIFEST_BYTES))
                continue
            if member.name in found:
                raise _damaged(f"{member.name!r} está dos veces")
            reader = Hashing(content)
            wanted = folder if names is None or member.name in names else None
            with _target(wanted, member.name) as file:
                shutil.copyfileobj(reader, file)
            found[member.name] = BackupEntry(member.size, reader.digest())
    if manifest is None:
        raise _damaged("falta el manifiesto")
    differing = {name for name in found.keys() | manifest.files.keys() if found.get(name) != manifest.files.get(name)}
    if differing:
        raise _damaged(f"{sorted(differing)[0]!r} no es lo que dice el manifiesto")
    return ReadArchive(manifest, provenance)


@contextmanager
def _members(archive: Path, keys: OpeningKeys) -> Iterator[tuple[tarfile.TarFile, Provenance]]:
    try:
        with (
            open_archive(archive, keys) as (file, provenance),
            zstandard.ZstdDecompressor().stream_reader(file, closefd=False) as stream,
            tarfile.open(fileobj=stream, mode="r|") as tar,
        ):
            yield tar, provenance
            while file.read(PIECE):
                continue  # an encrypted stream is verified to its end
    except (tarfile.TarError, zstandard.ZstdError, EOFError, FileExistsError) as error:
        raise _damaged("el archivo está cortado o alterado") from error


@contextmanager
def _target(folder: Path | None, name: str) -> Iterator[IO[bytes]]:
    """Open the file of a member, which is never outside of the folder (path traversal)."""
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts or not path.parts:
        raise _damaged(f"el nombre {name!r} no es admisible")
    if folder is None:
        with open(os.devnull, "wb") as file:
            yield file
        return
    target = folder / path
    target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    target.touch(mode=0o600, exist_ok=False)
    with target.open("wb") as file:
        yield file
        file.flush()
        os.fsync(file.fileno())


def _damaged(reason: str) -> ServiceError:
    return ServiceError("backup-damaged", f"Motivo: {reason}.")
