"""Backup: the whole data folder in one compressed archive, made while the server runs.

The archive is a tar in Zstandard, encrypted and signed when there are keys (`backup_protection`). Its last member,
`manifest.json`, has the size and the SHA-256 of every other one.
"""

from __future__ import annotations

import hashlib
import io
import os
import shutil
import tarfile
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import datetime
from importlib.metadata import version
from pathlib import Path, PurePosixPath
from typing import IO

import orjson
import zstandard

from timbra.backup.protection import ArchiveWriter, CreationKeys, signature_file
from timbra.core.bounds import Bound, BoundKind
from timbra.core.errors import ServiceError
from timbra.core.posix import sync_folder
from timbra.database import generation
from timbra.database.database import Database
from timbra.database.migrate import newest_version
from timbra.database.sqlite_backup import copy_database
from timbra.database.sqlite_check import require_sound
from timbra.lists.list_store import ListStore
from timbra.operations import integrity

FORMAT = "timbra-backup-1"
MANIFEST = "manifest.json"
DATABASE = "timbra.db"
MASTER_KEY = "master.key"
LISTS = "lists"
WORK_FOLDER_PREFIX = ".backup-"
EXCLUDED = (
    "large",
    "lists/incoming",
    "lists/lock",
    generation.FILE,
    integrity.FILE,
    f"{DATABASE}-shm",
    f"{DATABASE}-wal",
    DATABASE,
    MASTER_KEY,
)
TEMPORARY_PREFIXES = (".", "making-")
"""Prefixes of files that are not finished yet."""
ATTEMPTS = 5
LEVEL = 3


@dataclass(frozen=True, slots=True)
class BackupEntry:
    """A file of the archive.

    Attributes:
        size: bytes.
        sha256: hexadecimal digest.
    """

    size: int
    sha256: str


@dataclass(frozen=True, slots=True)
class BackupManifest:
    """The content of an archive.

    Attributes:
        database: `sqlite` when the database is in the archive, `postgresql` when it is not.
        schema: Version of the database schema.
        program: Version of Timbra.
    """

    environment: str
    database: str
    schema: str
    program: str
    made_at: str
    files: Mapping[str, BackupEntry]

    def to_json(self) -> bytes:
        return orjson.dumps({"format": FORMAT, **asdict(self)}, option=orjson.OPT_INDENT_2)

    @classmethod
    def from_json(cls, content: bytes) -> BackupManifest:
        """Read a manifest. Raises ServiceError: "backup-damaged" when the content is not a manifest of this format."""
        try:
            content_fields = orjson.loads(content)
            if content_fields.pop("format") != FORMAT:
                raise ServiceError("backup-damaged", "El formato del respaldo no se conoce.")
            files = {name: BackupEntry(**entry) for name, entry in content_fields.pop("files").items()}
            return cls(**content_fields, files=files)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise ServiceError("backup-damaged", "El manifiesto del respaldo no se entiende.") from error


def make_backup(
    data: Path,
    database: Database,
    archive: Path,
    master_key: Path | None,
    now: datetime,
    keys: CreationKeys | None = None,
    lists: Path | None = None,
    *,
    verify: Callable[[Path], None] | None = None,
    replace: bool = False,
) -> BackupManifest:
    """Write the archive with mode 0600. It contains every stamp that was returned to a client before the call.

    A failure leaves no new file, and a former archive of that name as it was.

    Args:
        data: the data folder.
        archive: file to write; must not exist, unless it is to be replaced.
        master_key: key file to include, None to omit it.
        now: wall time.
        keys: what encrypts and signs the archive; None for neither.
        lists: folder of the lists outside the data folder; the archive has it as `lists`. None without one.
        verify: verifies the complete archive, with its signature beside it, before it gets its name.
        replace: whether a former archive of that name is replaced; needs `verify`.

    Raises:
        ServiceError: "backup-exists", "backup-changing", "backup-storage", "backup-key", "database-damaged", "CO1000";
            what `verify` raises.
    """
    for existing in (archive, signature_file(archive)):
        if existing.exists() and (verify is None or not replace):
            raise ServiceError("backup-exists", str(existing))
    writer = ArchiveWriter(keys or CreationKeys())
    draft = archive.with_name(f"{archive.name}.part")
    with storage(), _work_folder(data) as work_folder:
        staged = _staged(data, work_folder, lists)
        if database.dialect == "sqlite":
            staged[DATABASE] = work_folder / DATABASE
            copy_database(database, staged[DATABASE])
            require_sound(staged[DATABASE])
        if master_key is not None:
            staged[MASTER_KEY] = master_key
        try:
            with _private(draft) as file, writer.open(file) as stream:
                manifest = _write(stream, staged, database, now)
            if (content := writer.signature(archive.name, now)) is not None:
                with _private(signature_file(draft)) as opened:
                    opened.write(content.encode())
            if verify is not None:
                verify(draft)
            _publish(draft, archive)
        finally:
            _remove(draft)
    return manifest


def _publish(draft: Path, archive: Path) -> None:
    """Give an archive and its signature their names; a crash leaves a former archive whole, as `NAME.previous`."""
    former = archive.with_name(f"{archive.name}.previous")
    if archive.exists():
        _remove(former)
        _rename(archive, former)
    _rename(draft, archive)
    sync_folder(archive.parent)
    _remove(former)


def _rename(archive: Path, target: Path) -> None:
    """Rename an archive after its signature, so that no archive ever has the signature of another one."""
    signature_file(target).unlink(missing_ok=True)
    if signature_file(archive).exists():
        signature_file(archive).rename(signature_file(target))
    archive.rename(target)


def _remove(archive: Path) -> None:
    archive.unlink(missing_ok=True)
    signature_file(archive).unlink(missing_ok=True)


@contextmanager
def storage() -> Iterator[None]:
    """Translate OSError (disk full, no permission, no such folder) into ServiceError("backup-storage")."""
    try:
        yield
    except OSError as error:
        raise ServiceError("backup-storage", f"{error.strerror}: {error.filename or ''}".rstrip(": ")) from error


@contextmanager
def _work_folder(data: Path) -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix=WORK_FOLDER_PREFIX, dir=data) as folder:
        yield Path(folder)


def _staged(data: Path, work_folder: Path, lists: Path | None) -> dict[str, Path]:
    """Make hard links to all files of one moment: the server replaces files, and never writes them in place."""
    store = ListStore(lists or data / LISTS)
    for attempt in range(ATTEMPTS):
        before, folder = store.stamp(), work_folder / str(attempt)
        folder.mkdir()
        try:
            staged = _linked(data, folder, "")
            if lists is not None:
                staged = {name: path for name, path in staged.items() if not name.startswith(f"{LISTS}/")}
                staged |= _linked(lists, folder, f"{LISTS}/")
        except FileNotFoundError:
            continue  # a file was removed meanwhile
        if store.stamp() == before:
            return staged
    raise ServiceError("backup-changing")


def _linked(root: Path, folder: Path, prefix: str) -> dict[str, Path]:
    """Link the files of a folder; return the links by the names in the archive, which begin with a prefix."""
    staged: dict[str, Path] = {}
    for file in _files(root, prefix):
        name = prefix + file.relative_to(root).as_posix()
        link = folder / f"{prefix.rstrip('/')}{len(staged)}"
        try:
            os.link(file, link)
        except FileNotFoundError:
            raise
        except OSError:
            shutil.copyfile(file, link)  # a file system without links, or another one
        staged[name] = link
    return staged


def _files(root: Path, prefix: str, folder: Path | None = None) -> Iterator[Path]:
    for path in sorted((folder or root).iterdir()):
        name = prefix + path.relative_to(root).as_posix()
        if name in EXCLUDED or path.name.startswith(TEMPORARY_PREFIXES) or path.suffix == ".new" or path.is_symlink():
            continue
        if path.is_dir():
            yield from _files(root, prefix, path)
        elif path.is_file():
            yield path


@contextmanager
def _private(path: Path) -> Iterator[IO[bytes]]:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        yield file
        file.flush()
        os.fsync(file.fileno())


def _write(file: IO[bytes], staged: Mapping[str, Path], database: Database, now: datetime) -> BackupManifest:
    compressor = zstandard.ZstdCompressor(level=LEVEL, write_checksum=True)
    with (
        compressor.stream_writer(file, closefd=False) as stream,
        tarfile.open(fileobj=stream, mode="w|", format=tarfile.PAX_FORMAT) as tar,
    ):
        entries = {name: _add(tar, name, path, now) for name, path in staged.items()}
        manifest = BackupManifest(
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


def _add(tar: tarfile.TarFile, name: str, path: Path, now: datetime) -> BackupEntry:
    with path.open("rb") as file:
        size = os.fstat(file.fileno()).st_size
        reader = Hashing(file)
        tar.addfile(_header(name, size, now), reader)
    return BackupEntry(size, reader.digest())


def _header(name: str, size: int, now: datetime) -> tarfile.TarInfo:
    header = tarfile.TarInfo(str(PurePosixPath(name)))
    header.size, header.mode, header.mtime = size, 0o600, int(now.timestamp())
    return header


class Hashing:
    """A file reader that hashes (SHA-256) what it reads."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._hash = hashlib.sha256()

    def read(self, size: int = -1) -> bytes:
        """Read and hash up to `size` bytes."""
        piece = self._file.read(size)
        self._hash.update(piece)
        return piece

    def digest(self) -> str:
        """Return the hexadecimal SHA-256 of the bytes read so far."""
        return self._hash.hexdigest()


BOUNDS = (
    Bound(
        "_staged",
        BoundKind.RETRY,
        f"{ATTEMPTS} attempts",
        "The backup fails with `backup-changing`; nothing is written.",
    ),
)
