"""Archives of a period: documents, acuses, events and reports in a BagIt bag with the SHA-256 of every file.

    timbra-2026-10/bagit.txt                  version of the form
                   bag-info.txt               period, environment, sizes
                   manifest-sha256.txt        SHA-256 and name of every file below data/
                   tagmanifest-sha256.txt     SHA-256 of the three files above
                   data/documents/DAY.zip     UUID.xml of the stamps of a day of central Mexico; UUID.damaged has the
                                              stored bytes of a document that cannot be decompressed
                   data/documents.csv         one line for each stamp, with the SHA-256 of its document
                   data/acuses.zip            acuses of the SAT
                   data/events.jsonl.gz       the event log
                   data/reports/NAME.csv      the reports of the period

Source: RFC 8493. `sha256sum -c manifest-sha256.txt` verifies a bag without Timbra.
"""

from __future__ import annotations

import csv
import gzip
import hashlib
import io
import json
import shutil
import tempfile
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import IO, BinaryIO

from timbra.archive.queries import ArchivedStamp, ArchiveQueries
from timbra.archive.storage import ArchiveStorage
from timbra.core.clock import CENTRAL_MEXICO, Clock
from timbra.core.errors import ServiceError
from timbra.core.periods import DayPeriod, Period
from timbra.delivery.receptions import StoredReception
from timbra.events.event_log import Event
from timbra.operations.ports import ReportFiles

INVALID = "archive-invalid"
EXISTS = "archive-exists"
PIECE = 1024 * 1024
BAGIT, INFO, MANIFEST, TAG_MANIFEST = "bagit.txt", "bag-info.txt", "manifest-sha256.txt", "tagmanifest-sha256.txt"
DOCUMENTS = "data/documents.csv"
COLUMNS = ("uuid", "stamped_at", "kind", "issuer_rfc", "receiver_rfc", "total", "account", "archive", "sha256", "file")
_EPOCH = (1980, 1, 1, 0, 0, 0)

Acuses = Callable[[Period], Iterable[tuple[str, bytes]]]
"""Yields name and content of the acuses of a period."""


@dataclass(frozen=True, slots=True)
class ArchiveTotals:
    """What an archive has.

    Attributes:
        digest: SHA-256 of its tagmanifest in hexadecimal, which covers every file.
    """

    name: str
    documents: int
    acuses: int
    events: int
    files: int
    size: int
    digest: str


class ArchiveExport:
    """Writes archives; the database is only read."""

    def __init__(
        self, queries: ArchiveQueries, reports: ReportFiles, acuses: Sequence[Acuses], environment: str, wall: Clock
    ) -> None:
        """Read a database.

        Args:
            queries: The stamps and events.
            reports: The reports that go into the archive.
            acuses: The sources of acuses.
            environment: The environment of the server.
        """
        self._queries = queries
        self._reports = reports
        self._acuses = acuses
        self._environment = environment
        self._wall = wall

    def export(self, name: str, period: DayPeriod, storage: ArchiveStorage) -> ArchiveTotals:
        """Write the archive of a period.

        Args:
            name: The name of the bag.
            storage: Where to write it; a bag of that name must not exist.

        Raises:
            ServiceError: "archive-exists", "archive-storage".
        """
        if storage.exists(f"{name}/{BAGIT}"):
            raise ServiceError(EXISTS, f"{name} ya existe en {storage.location}.")
        with translated_errors(), tempfile.TemporaryDirectory(prefix="timbra-archive-") as folder:
            bag = Path(folder)
            documents = self._write_documents(bag, name, period)
            acuses = self._write_acuses(bag, period)
            events = self._write_events(bag, period)
            self._write_reports(bag, period)
            payload = sorted(path for path in (bag / "data").rglob("*") if path.is_file())
            size = sum(path.stat().st_size for path in payload)
            self._write_tags(bag, period, payload, size)
            # bagit.txt is last: a bag without it is incomplete.
            tags = [bag / MANIFEST, bag / INFO, bag / TAG_MANIFEST, bag / BAGIT]
            for path in (*payload, *tags):
                storage.put(f"{name}/{path.relative_to(bag).as_posix()}", path)
            digest = _digest(bag / TAG_MANIFEST)
        return ArchiveTotals(name, documents, acuses, events, len(payload), size, digest)

    def _write_documents(self, bag: Path, name: str, period: DayPeriod) -> int:
        folder = bag / "data" / "documents"
        folder.mkdir(parents=True)
        count = 0
        archives = _DayArchives(folder)
        with archives, (bag / DOCUMENTS).open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow(COLUMNS)
            for stamp in self._queries.documents(period.instants):
                if stamp.is_read_from(name):
                    raise ServiceError(EXISTS, f"Los documentos de {name} se leen de su archivo: cópielo.")
                place = archives.add(stamp)
                writer.writerow(
                    (
                        stamp.uuid,
                        stamp.stamped_at.isoformat(),
                        stamp.kind,
                        stamp.issuer_rfc,
                        stamp.receiver_rfc,
                        stamp.total,
                        stamp.account_id,
                        place,
                        stamp.sha256.hex(),
                        document_name(stamp),
                    )
                )
                count += 1
        return count

    def _write_acuses(self, bag: Path, period: DayPeriod) -> int:
        count = 0
        with zipfile.ZipFile(bag / "data" / "acuses.zip", "w", zipfile.ZIP_DEFLATED) as archive:
            for source in self._acuses:
                for name, content in source(period.instants):
                    archive.writestr(_entry(name), content, zipfile.ZIP_DEFLATED)
                    count += 1
        return count

    def _write_events(self, bag: Path, period: DayPeriod) -> int:
        count = 0
        with (
            (bag / "data" / "events.jsonl.gz").open("wb") as raw,
            gzip.GzipFile("", "wb", fileobj=raw, mtime=0) as file,
        ):
            for event in self._queries.events(period.instants):
                file.write(event_line(event))
                count += 1
        return count

    def _write_reports(self, bag: Path, period: DayPeriod) -> None:
        folder = bag / "data" / "reports"
        folder.mkdir()
        for name, write in self._reports(period):
            with (folder / name).open("wb") as file:
                write(file)

    def _write_tags(self, bag: Path, period: DayPeriod, payload: Sequence[Path], size: int) -> None:
        lines = {
            "Bagging-Date": f"{self._wall.now():%Y-%m-%d}",
            "Payload-Oxum": f"{size}.{len(payload)}",
            "Timbra-Environment": self._environment,
            "Timbra-Period": f"{period.first}/{period.last}",
        }
        (bag / BAGIT).write_text("BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n")
        (bag / INFO).write_text("".join(f"{key}: {value}\n" for key, value in lines.items()))
        (bag / MANIFEST).write_text(
            "".join(f"{_digest(path)}  {path.relative_to(bag).as_posix()}\n" for path in payload)
        )
        tags = (BAGIT, INFO, MANIFEST)
        (bag / TAG_MANIFEST).write_text("".join(f"{_digest(bag / name)}  {name}\n" for name in tags))


def verify_archive(name: str, storage: ArchiveStorage) -> ArchiveTotals:
    """Compare every file of an archive with its SHA-256, and every document with that of its line in documents.csv.

    Args:
        name: The name of the bag.

    Raises:
        ServiceError: "archive-invalid" with what differs, "archive-storage" when it cannot be read.
    """
    with translated_errors():
        if not storage.exists(f"{name}/{BAGIT}"):
            raise ServiceError(INVALID, f"No hay un archivo completo {name[:100]} en {storage.location}.")
        tags = _manifest(storage, name, TAG_MANIFEST)
        for tag in (BAGIT, INFO, MANIFEST):
            if tag not in tags:
                raise ServiceError(INVALID, f"{TAG_MANIFEST} no nombra {tag}.")
        _require_digests(storage, name, tags)
        payload = _manifest(storage, name, MANIFEST)
        size = _require_digests(storage, name, payload)
        stored = set(storage.list(f"{name}/data/"))
        expected = {f"{name}/{path}" for path in payload}
        if stored != expected:
            wrong = sorted(stored ^ expected)
            raise ServiceError(INVALID, f"Archivos que faltan o sobran: {', '.join(wrong)[:300]}.")
        if DOCUMENTS not in payload:
            raise ServiceError(INVALID, f"Falta {DOCUMENTS}.")
        documents = _require_documents(storage, name)
        with storage.open(f"{name}/data/acuses.zip") as file, zipfile.ZipFile(file) as archive:
            acuses = len(archive.namelist())
        with storage.open(f"{name}/data/events.jsonl.gz") as file, gzip.open(file) as lines:
            events = sum(1 for _ in lines)
        with storage.open(f"{name}/{TAG_MANIFEST}") as file:
            digest = hashlib.sha256(file.read()).hexdigest()
    return ArchiveTotals(name, documents, acuses, events, len(payload), size, digest)


def event_line(event: Event) -> bytes:
    row = {
        "at": event.at.isoformat(),
        "fiscal_at": event.fiscal_at.isoformat(),
        "account": event.account_id,
        "kind": event.kind,
        "subject": event.subject,
        "request_id": event.request_id,
        "body": event.body,
    }
    return json.dumps(row, ensure_ascii=False, sort_keys=True).encode() + b"\n"


def reception_name(found: StoredReception) -> str:
    """Return the name of the acuse of a delivery in an archive."""
    return f"recepcion/{found.acknowledged_at:%Y-%m-%d}/{found.uuid}.xml"


def acuses_of_cancellations(queries: ArchiveQueries, period: Period) -> Iterator[tuple[str, bytes]]:
    for number, event in enumerate(queries.events(period, ("cancellation.",)), 1):
        acuse = event.body.get("acuse")
        if isinstance(acuse, str):
            yield f"cancelacion/{event.at:%Y-%m-%d}/{event.subject.replace('/', '_')}-{number}.xml", acuse.encode()


def acuses_of_deliveries(queries: ArchiveQueries, period: Period) -> Iterator[tuple[str, bytes]]:
    for found in queries.receptions(period):
        yield reception_name(found), found.acuse


class _DayArchives:
    """One ZIP for each day; at most one is open, so that the days of an account may follow those of another."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._open: tuple[date, zipfile.ZipFile] | None = None

    def __enter__(self) -> _DayArchives:
        return self

    def __exit__(self, *_: object) -> None:
        if self._open is not None:
            self._open[1].close()

    def add(self, stamp: ArchivedStamp) -> str:
        """Add a document; return the name of its archive."""
        day = stamp.stamped_at.astimezone(CENTRAL_MEXICO).date()
        if self._open is None or self._open[0] != day:
            if self._open is not None:
                self._open[1].close()
            archive = zipfile.ZipFile(self._folder / f"{day}.zip", "a", zipfile.ZIP_DEFLATED)
            self._open = (day, archive)
        self._open[1].writestr(_entry(document_name(stamp)), stamp.document, zipfile.ZIP_DEFLATED)
        return f"documents/{day}.zip"


def document_name(stamp: ArchivedStamp) -> str:
    return f"{stamp.uuid}.damaged" if stamp.is_damaged else f"{stamp.uuid}.xml"


def _entry(name: str) -> zipfile.ZipInfo:
    return zipfile.ZipInfo(name, _EPOCH)


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _manifest(storage: ArchiveStorage, name: str, manifest: str) -> Mapping[str, str]:
    with storage.open(f"{name}/{manifest}") as file:
        lines = file.read().decode("utf-8", "replace").splitlines()
    pairs = [line.split("  ", 1) for line in lines]
    if any(len(pair) != len(("digest", "path")) or ".." in pair[1].split("/") for pair in pairs):
        raise ServiceError(INVALID, f"{manifest} no se entiende.")
    return {path: digest for digest, path in pairs}


def _require_digests(storage: ArchiveStorage, name: str, expected: Mapping[str, str]) -> int:
    """Compare files with their hashes; return the sum of their sizes."""
    size = 0
    for path, digest in expected.items():
        found = hashlib.sha256()
        if not storage.exists(f"{name}/{path}"):
            raise ServiceError(INVALID, f"Falta {path}.")
        with storage.open(f"{name}/{path}") as file:
            while piece := file.read(PIECE):
                found.update(piece)
                size += len(piece)
        if found.hexdigest() != digest:
            raise ServiceError(INVALID, f"El SHA-256 de {path} no es el del manifiesto.")
    return size


def _require_documents(storage: ArchiveStorage, name: str) -> int:
    """Compare the documents with documents.csv; return their number."""
    expected: dict[str, dict[str, str]] = {}
    with storage.open(f"{name}/{DOCUMENTS}") as file:
        for row in csv.DictReader(io.TextIOWrapper(_buffered(file), "utf-8", newline="")):
            expected.setdefault(row["archive"], {})[row.get("file") or f"{row['uuid']}.xml"] = row["sha256"]
    for place, digests in expected.items():
        with storage.open(f"{name}/data/{place}") as file, zipfile.ZipFile(file) as archive:
            if sorted(archive.namelist()) != sorted(digests):
                raise ServiceError(INVALID, f"{place} no tiene los documentos de {DOCUMENTS}.")
            for document, digest in digests.items():
                if hashlib.sha256(archive.read(document)).hexdigest() != digest:
                    raise ServiceError(INVALID, f"El SHA-256 de {document} no es el de {DOCUMENTS}.")
    return sum(map(len, expected.values()))


def _buffered(file: BinaryIO) -> IO[bytes]:
    target = tempfile.SpooledTemporaryFile(max_size=64 * PIECE)  # noqa: SIM115 - closed with its reader
    shutil.copyfileobj(file, target)
    target.seek(0)
    return target


@contextmanager
def translated_errors() -> Iterator[None]:
    """Raise ServiceError("archive-storage") or ("archive-invalid") for errors of files and of compressed files."""
    try:
        yield
    except OSError as cause:
        raise ServiceError("archive-storage", f"{cause.strerror or cause}.") from cause
    except (zipfile.BadZipFile, EOFError) as cause:
        raise ServiceError(INVALID, f"Un archivo comprimido está dañado: {cause}.") from cause
