"""A backup: everything that the data folder holds, in one compressed archive, made while the server runs.

The archive is a tar in Zstandard. Its last member, `manifest.json`, has the size and the SHA-256 of every other one.
"""

from __future__ import annotations

import hashlib
import io
import os
import shutil
import tarfile
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import datetime
from importlib.metadata import version
from pathlib import Path, PurePosixPath
from typing import IO

import orjson
import zstandard

from timbra.authority.lists.shelf import Shelf
from timbra.errors import ServiceError
from timbra.store.copy import copy_database
from timbra.store.database import Database
from timbra.store.migrate import newest_version

FORMAT = "timbra-backup-1"
MANIFEST = "manifest.json"
DATABASE = "timbra.db"
MASTER_KEY = "master.key"
WORKSHOP = ".backup-"
LEFT_OUT = ("large", "lists/incoming", "lists/lock", f"{DATABASE}-shm", f"{DATABASE}-wal", DATABASE, MASTER_KEY)
PASSING = (".", "making-")
"""Beginnings of names of what is only being made."""
ATTEMPTS = 5
LEVEL = 3


@dataclass(frozen=True, slots=True)
class Entry:
    """A file of the archive. sha256: hexadecimal."""

    size: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Manifest:
    """What an archive holds. database: `sqlite` when it is inside, `postgresql` when it is not. schema: its version."""

    environment: str
    database: str
    schema: str
    program: str
    made_at: str
    files: Mapping[str, Entry]

    def to_json(self) -> bytes:
        return orjson.dumps({"format": FORMAT, **asdict(self)}, option=orjson.OPT_INDENT_2)

    @classmethod
    def from_json(cls, content: bytes) -> Manifest:
        """ServiceError("backup-damaged") for what is no manifest of this format."""
        try:
            told = orjson.loads(content)
            if told.pop("format") != FORMAT:
                raise ServiceError("backup-damaged", "El formato del respaldo no se conoce.")
            files = {name: Entry(**entry) for name, entry in told.pop("files").items()}
            return cls(**told, files=files)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise ServiceError("backup-damaged", "El manifiesto del respaldo no se entiende.") from error


def make_backup(data: Path, database: Database, archive: Path, master_key: Path | None, now: datetime) -> Manifest:
    """Writes the archive, for its owner's eyes alone, and gives its manifest.

    data: the data folder. master_key: the file to include, None to leave it out. now: wall time.
    Every stamp that was answered before this began is inside.
    ServiceError "backup-exists", "backup-changing", "backup-storage", "CO1000".
    """
    if archive.exists():
        raise ServiceError("backup-exists", str(archive))
    draft = archive.with_name(f"{archive.name}.part")
    with storage(), _workshop(data) as workshop:
        staged = _staged(data, workshop)
        if database.dialect == "sqlite":
            staged[DATABASE] = workshop / DATABASE
            copy_database(database, staged[DATABASE])
        if master_key is not None:
            staged[MASTER_KEY] = master_key
        try:
            with _private(draft) as file:
                manifest = _write(file, staged, database, now)
            draft.rename(archive)
        finally:
            draft.unlink(missing_ok=True)
    return manifest


@contextmanager
def storage() -> Iterator[None]:
    """ServiceError("backup-storage") when files cannot be read or written: no room, no permission, no such folder."""
    try:
        yield
    except OSError as error:
        raise ServiceError("backup-storage", f"{error.strerror}: {error.filename or ''}".rstrip(": ")) from error


@contextmanager
def _workshop(data: Path) -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix=WORKSHOP, dir=data) as folder:
        yield Path(folder)


def _staged(data: Path, workshop: Path) -> dict[str, Path]:
    """Links to all files of one moment: files are replaced and never written in place."""
    shelf = Shelf(data / "lists")
    for attempt in range(ATTEMPTS):
        before = shelf.stamp()
        try:
            staged = _linked(data, workshop / str(attempt))
        except FileNotFoundError:
            continue  # removed between two looks
        if shelf.stamp() == before:
            return staged
    raise ServiceError("backup-changing")


def _linked(data: Path, folder: Path) -> dict[str, Path]:
    folder.mkdir()
    staged: dict[str, Path] = {}
    for file in _files(data):
        name = file.relative_to(data).as_posix()
        link = folder / str(len(staged))
        try:
            os.link(file, link)
        except PermissionError:
            shutil.copyfile(file, link)  # a file system without links
        staged[name] = link
    return staged


def _files(data: Path, folder: Path | None = None) -> Iterator[Path]:
    for path in sorted((folder or data).iterdir()):
        name = path.relative_to(data).as_posix()
        if name in LEFT_OUT or path.name.startswith(PASSING) or path.suffix == ".new" or path.is_symlink():
            continue
        if path.is_dir():
            yield from _files(data, path)
        elif path.is_file():
            yield path


@contextmanager
def _private(path: Path) -> Iterator[IO[bytes]]:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        yield file
        file.flush()
        os.fsync(file.fileno())


def _write(file: IO[bytes], staged: Mapping[str, Path], database: Database, now: datetime) -> Manifest:
    compressor = zstandard.ZstdCompressor(level=LEVEL, write_checksum=True)
    with (
        compressor.stream_writer(file, closefd=False) as stream,
        tarfile.open(fileobj=stream, mode="w|", format=tarfile.PAX_FORMAT) as tar,
    ):
        entries = {name: _add(tar, name, path, now) for name, path in staged.items()}
        manifest = Manifest(
            environment=database.environment or "",
            database=database.dialect,
            schema=newest_version(),
            program=version("timbra"),
            made_at=now.isoformat(),
            files=entries,
        )
        content = manifest.to_json()
        tar.addfile(_header(MANIFEST, len(content), now), io.BytesIO(content))
    return manifest


def _add(tar: tarfile.TarFile, name: str, path: Path, now: datetime) -> Entry:
    with path.open("rb") as file:
        size = os.fstat(file.fileno()).st_size
        reader = Hashing(file)
        tar.addfile(_header(name, size, now), reader)
    return Entry(size, reader.digest())


def _header(name: str, size: int, now: datetime) -> tarfile.TarInfo:
    header = tarfile.TarInfo(str(PurePosixPath(name)))
    header.size, header.mode, header.mtime = size, 0o600, int(now.timestamp())
    return header


class Hashing:
    """A file whose content is hashed as it is read."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._hash = hashlib.sha256()

    def read(self, size: int = -1) -> bytes:
        piece = self._file.read(size)
        self._hash.update(piece)
        return piece

    def digest(self) -> str:
        return self._hash.hexdigest()
