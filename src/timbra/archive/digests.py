"""What a verified archive has, by SHA-256: the condition under which a row of the database may be deleted."""

from __future__ import annotations

import csv
import gzip
import hashlib
import io
import sqlite3
import tempfile
import zipfile
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import BinaryIO, cast

from timbra.archive.export import DOCUMENTS, event_line, reception_name, translated_errors
from timbra.archive.queries import ArchivedStamp
from timbra.archive.storage import ArchiveStorage
from timbra.delivery.receptions import StoredReception
from timbra.events.event_log import Event

EVENT_NAME = "event"


class ArchiveDigests:
    """The digests of one archive, in a temporary database on disk: an archive may have millions of documents."""

    def __init__(self, database: sqlite3.Connection) -> None:
        self._database = database

    def has_document(self, stamp: ArchivedStamp) -> bool:
        """Whether the archive has this document, byte by byte; False for a damaged one, which is kept."""
        return not stamp.is_damaged and self._has(f"document/{stamp.uuid}", stamp.document)

    def names_document(self, uuid: str) -> bool:
        """Whether the archive has a document of this folio, damaged or not."""
        found = self._database.execute("SELECT 1 FROM digest WHERE name = ?", (f"document/{uuid}",))
        return found.fetchone() is not None

    def has_acuse(self, found: StoredReception) -> bool:
        """Whether the archive has the acuse of this delivery."""
        return self._has(reception_name(found), found.acuse)

    def has_event(self, event: Event) -> bool:
        """Whether the archive has this event."""
        return self._has(EVENT_NAME, event_line(event))

    def _has(self, name: str, content: bytes) -> bool:
        key = (name, hashlib.sha256(content).digest())
        return self._database.execute("SELECT 1 FROM digest WHERE name = ? AND sha256 = ?", key).fetchone() is not None


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
        yield ArchiveDigests(database)


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


def _lines(file: BinaryIO) -> Iterator[bytes]:
    with gzip.open(file) as lines:
        yield from cast("Iterable[bytes]", lines)
