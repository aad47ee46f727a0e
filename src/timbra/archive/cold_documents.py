"""Documents of old months: the database has a reference to the verified archive that has them, and they are read there.

A read is one request for the part of a ZIP file that has the document, whose SHA-256 is compared.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from hashlib import sha256
from itertools import chain
from time import monotonic
from zipfile import ZIP_DEFLATED

import structlog
from sqlalchemy import select, update

from timbra.archive.digests import archive_digests
from timbra.archive.export import BAGIT, translated_errors
from timbra.archive.monthly import MonthlyArchives, OpenStorage
from timbra.archive.queries import ArchivedStamp, ArchiveQueries
from timbra.archive.retention import Budget, Retention, batches
from timbra.archive.storage import SLOW_SECONDS, STORAGE, ArchiveStorage
from timbra.archive.store import ArchiveRecord
from timbra.core.errors import ServiceError
from timbra.core.periods import month_of
from timbra.database.codec import ArchivedDocument, encode_reference
from timbra.database.database import Database
from timbra.database.tables.operations import ARCHIVE
from timbra.database.tables.stamps import STAMP

LOG = structlog.get_logger("timbra.archive")
STEPS = 2_000
"""Transactions of one run of the periodic job: each run reads the ZIP files of the archive of a month again."""
RETRY_SECONDS = 60


class ArchiveReader:
    """Reads documents from the places that the records of archives name."""

    def __init__(self, database: Database, open_storage: OpenStorage) -> None:
        """Read archives. `open_storage`: Opens the place of an archive."""
        self._database = database
        self._open_storage = open_storage
        self._storages: dict[str, ArchiveStorage] = {}
        self._closed_until: dict[str, float] = {}

    def read(self, document: ArchivedDocument) -> bytes:
        """Return a document, see `Database.document`."""
        # Of each read: an archive may have moved.
        query = select(ARCHIVE.c.place).where(ARCHIVE.c.name == document.archive)
        with self._database.read() as connection:
            place = connection.execute(query).scalar()
        if place is None:
            raise _unreachable(document.archive)
        begun = monotonic()
        if begun < self._closed_until.get(place, 0):
            raise _unreachable(document.archive)
        try:
            return self._read(document, place)
        except (ServiceError, OSError) as cause:
            # A request that was not answered is not repeated for as long as it took: a list has many documents.
            now = monotonic()
            if now - begun > SLOW_SECONDS:
                self._closed_until[place] = now + (now - begun)
            detail = cause.detail if isinstance(cause, ServiceError) else str(cause)
            LOG.error("archive cannot be read", archive=document.archive, place=place, detail=detail)  # noqa: TRY400
            raise _unreachable(document.archive) from cause

    def _read(self, document: ArchivedDocument, place: str) -> bytes:
        storage = self._storages.get(place)
        if storage is None:
            storage = self._storages[place] = self._open_storage(place)
        path = f"{document.archive}/{document.file}"
        try:
            compressed = storage.read_range(path, document.start, document.length)
        except FileNotFoundError:
            if not storage.exists(f"{document.archive}/{BAGIT}"):
                raise
            raise ValueError(f"{path} is missing") from None
        content = _decompressed(compressed, document)
        if content is None or sha256(content).hexdigest() != document.sha256:
            raise ValueError(f"{path} does not have the document")
        return content


class ColdDocuments:
    """Replaces the documents of old months by references to their archives."""

    def __init__(
        self,
        archives: MonthlyArchives,
        retention: Retention,
        queries: ArchiveQueries,
        database: Database,
        open_storage: OpenStorage,
        months: int,
    ) -> None:
        """Use a database.

        Args:
            archives: The archives of months.
            retention: The months that it prunes stay as they are.
            queries: Reads documents.
            open_storage: Opens the place of an archive.
            months: Whole months before the present one whose documents stay; 0 for all.
        """
        self._archives = archives
        self._retention = retention
        self._queries = queries
        self._database = database
        self._open_storage = open_storage
        self._months = months
        self._done: set[tuple[str, str]] = set()

    def due(self) -> Sequence[ArchiveRecord]:
        """Return the archives of the months whose documents are read there, oldest first."""
        return self._archives.older_than(self._months) if self._months else ()

    def open(self, record: ArchiveRecord) -> ArchiveStorage:
        """Open the place of an archive. Raises ServiceError: "archive-storage" when the archive is not there."""
        with translated_errors():
            storage = self._open_storage(record.place)
            if storage.exists(f"{record.name}/{BAGIT}"):
                return storage
        raise ServiceError(STORAGE, f"No hay un archivo completo {record.name} en {record.place}.")

    def replace(self, *, steps: int | None = STEPS) -> int:
        """Replace the documents of old months that a verified archive has; for a periodic job.

        Args:
            steps: The maximum number of transactions; None for no limit.

        Returns:
            The number of replaced documents.

        Raises:
            ServiceError: "archive-invalid" or "archive-storage" when an archive cannot be read or verified: no document
                of its month is replaced. The failure is stored, counted and logged.
        """
        budget, pruned = Budget(steps), {record.name for record in self._retention.due()}
        replaced = 0
        for record in self.due():
            if record.name in pruned:
                continue
            try:
                replaced += self._replace_month(record, budget)
            except ServiceError as error:
                self._archives.failed(record, error)
                raise
            if record.failure:
                self._archives.repository.mark_pruned(record.name, None)
        return replaced

    def _replace_month(self, record: ArchiveRecord, budget: Budget) -> int:
        storage, replaced = self.open(record), 0
        if budget.is_used_up or (record.name, record.digest) in self._done:
            return 0
        stamps = self._queries.documents(month_of(record.first_day[:7]).instants, only_stored=True)
        if (first := next(stamps, None)) is not None:
            self._archives.verify(record)
            with archive_digests(record.name, storage) as archived:
                archived.read_places(storage)
                for batch in batches(chain([first], stamps)):
                    places = [(stamp, archived.place_of(stamp)) for stamp in batch]
                    replaced += self._store([(stamp, place) for stamp, place in places if place is not None])
                    if not budget.spend():
                        LOG.info("documents replaced", archive=record.name, documents=replaced)
                        return replaced
            LOG.info("documents replaced", archive=record.name, documents=replaced)
        self._done.add((record.name, record.digest))
        return replaced

    def _store(self, chosen: Sequence[tuple[ArchivedStamp, ArchivedDocument]]) -> int:
        """Store references in place of documents that are still those that were compared; return how many."""
        if not chosen:
            return 0
        column = STAMP.c
        # PostgreSQL reads one table of a month by it.
        fecha = column.fecha if self._database.dialect == "sqlite" else column.fecha.collate("C")
        replaced = 0
        with self._database.write() as connection:
            for stamp, place in chosen:
                same = (column.cursor == stamp.cursor, fecha == stamp.fecha, column.cfdi == stamp.stored)
                statement = update(STAMP).where(*same).values(cfdi=encode_reference(place))
                replaced += connection.execute(statement).rowcount
        return replaced


def _unreachable(archive: str) -> ServiceError:
    detail = f"El documento está en el archivo histórico {archive}, que no se puede leer ahora."
    return ServiceError(STORAGE, detail, retry_after=RETRY_SECONDS)


def _decompressed(compressed: bytes, document: ArchivedDocument) -> bytes | None:
    """Return the content of an entry of a ZIP file; None when it cannot be decompressed."""
    if document.method != ZIP_DEFLATED:
        return compressed
    try:
        return zlib.decompressobj(-zlib.MAX_WBITS).decompress(compressed, document.size + 1)
    except zlib.error:
        return None
