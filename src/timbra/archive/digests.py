"""What a verified archive has, by SHA-256: the condition under which a row of the database may be deleted."""

from __future__ import annotations

import csv
import gzip
import hashlib
import io
import sqlite3
import struct
import tempfile
import zipfile
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import BinaryIO, cast

from timbra.archive.export import DOCUMENTS, document_name, event_line, reception_name, translated_errors
from timbra.archive.queries import ArchivedStamp
from timbra.archive.storage import ArchiveStorage
from timbra.database.codec import ArchivedDocument
from timbra.delivery.receptions import StoredReception
from timbra.events.event_log import Event

EVENT_NAME = "event"
_HEADER_BYTES, _LENGTHS_AT = 30, 26
"""The local header of a ZIP file, and in it the lengths of the name and the extra field that follow it."""


class ArchiveDigests:
    """The digests of one archive, in a temporary database on disk: an archive may have millions of documents.

    Attributes:
        name: The archive.
    """

    def __init__(self, name: str, database: sqlite3.Connection) -> None:
        self.name = name
        self._database = database

    def has_document(self, stamp: ArchivedStamp) -> bool:
        """Whether the archive has this document, byte by byte; False for a damaged one, which is kept."""
        return not stamp.is_damaged and self._has_digest(f"document/{stamp.uuid}", stamp.sha256)

    def names_document(self, uuid: str) -> bool:
        """Whether the archive has a document of this folio, damaged or not."""
        found = self._database.execute("SELECT 1 FROM digest WHERE name = ?", (f"document/{uuid}",))
        return found.fetchone() is not None

    def place_of(self, stamp: ArchivedStamp) -> ArchivedDocument | None:
        """Return where the archive has this document, byte by byte; None as `has_document`."""
        if not self.has_document(stamp):
            return None
        found = self._database.execute("SELECT * FROM place WHERE name = ?", (document_name(stamp),)).fetchone()
        if found is None:
            return None
        _, file, start, length, size, method = found
        return ArchivedDocument(self.name, file, start, length, size, method, stamp.sha256.hex())

    def read_places(self, storage: ArchiveStorage) -> None:
        """Read where the documents are, for `place_of`. ServiceError as `archive_digests`."""
        self._database.execute("CREATE TABLE place (name TEXT PRIMARY KEY, file, start, length, size, method)")
        with translated_errors():
            self._database.execute("BEGIN")
            self._database.executemany("INSERT INTO place VALUES (?, ?, ?, ?, ?, ?)", _places(self.name, storage))
            self._database.execute("COMMIT")

    def has_acuse(self, found: StoredReception) -> bool:
        """Whether the archive has the acuse of this delivery."""
        return self._has(reception_name(found), found.acuse)

    def has_event(self, event: Event) -> bool:
        """Whether the archive has this event."""
        return self._has(EVENT_NAME, event_line(event))

    def _has(self, name: str, content: bytes) -> bool:
        return self._has_digest(name, hashlib.sha256(content).digest())

    def _has_digest(self, name: str, digest: bytes) -> bool:
        found = self._database.execute("SELECT 1 FROM digest WHERE name = ? AND sha256 = ?", (name, digest))
        return found.fetchone() is not None


@contextmanager
def archive_digests(name: str, storage: ArchiveStorage) -> Iterator[ArchiveDigests]:
    """Yield the digests of an archive that was verified.

    Raises:
        ServiceError: "archive-storage" or "archive-invalid" when it cannot be read.
    """
    with (
        tempfile.TemporaryDirectory(prefix="timbra-archive-") as folder,
        closing(sqlite3.connect(Path(folder) / "digests.db", isolation_level=None)) as database,
    ):
        database.execute("PRAGMA journal_mode = OFF")
        database.execute("PRAGMA synchronous = OFF")
        database.execute("CREATE TABLE digest (name TEXT, sha256 BLOB, PRIMARY KEY (name, sha256)) WITHOUT ROWID")
        with translated_errors():
            database.execute("BEGIN")
            database.executemany("INSERT OR IGNORE INTO digest VALUES (?, ?)", _digests(name, storage))
            database.execute("COMMIT")
        yield ArchiveDigests(name, database)


def _digests(name: str, storage: ArchiveStorage) -> Iterable[tuple[str, bytes]]:
    with storage.open(f"{name}/{DOCUMENTS}") as file:
        for row in csv.DictReader(io.TextIOWrapper(cast("io.BytesIO", file), "utf-8", newline="")):
            yield f"document/{row['uuid']}", bytes.fromhex(row["sha256"])
    with storage.open(f"{name}/data/acuses.zip") as file, zipfile.ZipFile(file) as archive:
        for acuse in archive.namelist():
            yield acuse, hashlib.sha256(archive.read(acuse)).digest()
    with storage.open(f"{name}/data/events.jsonl.gz") as file:
        for line in _lines(file):
            yield EVENT_NAME, hashlib.sha256(line).digest()


def _places(name: str, storage: ArchiveStorage) -> Iterator[tuple[str, str, int, int, int, int]]:
    """Yield name, file, offset, lengths and method of every document: its data is behind its header in the ZIP file."""
    for path in storage.list(f"{name}/data/documents/"):
        with storage.open(path) as file, zipfile.ZipFile(file) as archive:
            for entry in archive.infolist():
                file.seek(entry.header_offset + _LENGTHS_AT)
                start = entry.header_offset + _HEADER_BYTES + sum(struct.unpack("<HH", file.read(4)))
                sizes = (entry.compress_size, entry.file_size)
                yield entry.filename, path.removeprefix(f"{name}/"), start, *sizes, entry.compress_type


def _lines(file: BinaryIO) -> Iterator[bytes]:
    with gzip.open(file) as lines:
        yield from cast("Iterable[bytes]", lines)
