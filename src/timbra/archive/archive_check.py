"""The check of an archive: its hashes, and what each document says of its line and of its event."""

from __future__ import annotations

import csv
import gzip
import io
import json
import time
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from datetime import date, datetime
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import cast

from timbra.archive.digests import ArchiveDigests, archive_digests
from timbra.archive.export import BAGIT, DOCUMENTS, INFO, INVALID, verify_archive
from timbra.archive.storage import ArchiveStorage, storage_of
from timbra.cfdi.document import DocumentParser
from timbra.cfdi.tfd import read_stamps
from timbra.core.clock import to_central_mexico
from timbra.core.errors import ServiceError
from timbra.core.periods import DayPeriod, Period
from timbra.documents.header_columns import header_columns
from timbra.fsck.check import FsckSource, Progress
from timbra.fsck.checking import MOST_FINDINGS
from timbra.fsck.findings import Cure, FsckFinding, FsckReport, shown
from timbra.settings import Settings
from timbra.stamping.stored_document import STAMP_ROOM


def check_archive(path: str, _settings: Settings, progress: Progress) -> FsckReport:
    """Check an archive: a folder, or the address of one.

    Raises:
        ServiceError: "archive-storage" when it cannot be read.
    """
    place, _, name = path.rstrip("/").rpartition("/")
    begun, report = time.monotonic(), FsckReport()
    storage = storage_of(place or ".")
    found = list(islice(_findings(name, storage, report, progress), MOST_FINDINGS + 1))
    report.findings, report.is_complete = found[:MOST_FINDINGS], len(found) <= MOST_FINDINGS
    report.seconds = round(time.monotonic() - begun, 3)
    return report


def _findings(name: str, storage: ArchiveStorage, report: FsckReport, progress: Progress) -> Iterator[FsckFinding]:
    try:
        totals = verify_archive(name, storage)
    except ServiceError as error:
        if error.code != INVALID:
            raise
        # The hashes say which file differs, not what is in it.
        yield FsckFinding("archive-differs", name, "", stored=shown(error.detail), cure=Cure.RESTORE)
        return
    report.rows = {"documents": totals.documents, "events": totals.events}
    parser = DocumentParser()
    for number, (row, content) in enumerate(_documents(name, storage), 1):
        progress("documents", number, totals.documents)
        yield from _document_findings(name, row, content, parser)
    with archive_digests(name, storage) as digests:
        yield from _event_findings(name, storage, digests)


def _documents(name: str, storage: ArchiveStorage) -> Iterator[tuple[Mapping[str, str], bytes]]:
    """Yield the lines of documents.csv with their documents; successive ones of a day are in one ZIP."""
    with ExitStack() as outer:
        lines = io.TextIOWrapper(cast("io.BytesIO", outer.enter_context(storage.open(f"{name}/{DOCUMENTS}"))), "utf-8")
        opened: tuple[str, ExitStack, zipfile.ZipFile] | None = None
        for row in csv.DictReader(lines):
            if opened is None or opened[0] != row["archive"]:
                if opened is not None:
                    opened[1].close()
                inner = outer.enter_context(ExitStack())
                file = inner.enter_context(storage.open(f"{name}/data/{row['archive']}"))
                opened = (row["archive"], inner, inner.enter_context(zipfile.ZipFile(file)))
            yield row, opened[2].read(row.get("file") or f"{row['uuid']}.xml")


def _document_findings(
    name: str, row: Mapping[str, str], content: bytes, parser: DocumentParser
) -> Iterator[FsckFinding]:
    uuid = row["uuid"]
    if PurePosixPath(row.get("file") or "").suffix == ".damaged":
        yield FsckFinding("document-damaged", name, uuid, "cfdi", cure=Cure.RESTORE)
        return
    try:
        document = parser.parse(content, room=STAMP_ROOM)
    except ServiceError as error:
        yield FsckFinding("document-damaged", name, uuid, "cfdi", shown(str(error)), cure=Cure.RESTORE)
        return
    stamps = read_stamps(document.root)
    if len(stamps) != 1:
        yield FsckFinding("stamps-in-document", name, uuid, "cfdi", str(len(stamps)), cure=Cure.RESTORE)
        return
    columns = header_columns(document)
    derived = {column: columns[column] for column in ("kind", "issuer_rfc", "receiver_rfc", "total")}
    derived |= {"uuid": stamps[0].uuid.lower(), "stamped_at": stamps[0].fecha_timbrado}
    stored = {**row, "stamped_at": _local(row["stamped_at"])}
    for column, value in derived.items():
        if stored[column] != value:
            yield FsckFinding("column-differs", name, uuid, column, shown(stored[column]), shown(value))


def _local(instant: str) -> str:
    try:
        return to_central_mexico(datetime.fromisoformat(instant))
    except ValueError:
        return instant


def _event_findings(name: str, storage: ArchiveStorage, digests: ArchiveDigests) -> Iterator[FsckFinding]:
    """Compare the events `stamped` of the period with the documents; those before and after it are of other months."""
    period = _period(name, storage)
    with storage.open(f"{name}/data/events.jsonl.gz") as file, gzip.open(file) as lines:
        for number, line in enumerate(lines, 1):
            try:
                event = json.loads(line)
                at, is_stamp, uuid = (
                    datetime.fromisoformat(event["fiscal_at"]),
                    event["kind"] == "stamped",
                    event["subject"],
                )
            except (ValueError, KeyError, TypeError):
                yield FsckFinding("value-impossible", name, str(number), "event", shown(line), cure=Cure.RESTORE)
                continue
            if is_stamp and period.since <= at < period.until and not digests.names_document(uuid):
                yield FsckFinding("stamp-missing", name, str(number), "subject", shown(uuid), cure=Cure.RESTORE)


def _period(name: str, storage: ArchiveStorage) -> Period:
    with storage.open(f"{name}/{INFO}") as file:
        lines = file.read().decode().splitlines()
    [text] = [line.partition(": ")[2] for line in lines if line.startswith("Timbra-Period: ")]
    first, _, last = text.partition("/")
    return DayPeriod(date.fromisoformat(first), date.fromisoformat(last)).instants


SOURCES = (FsckSource(lambda path: "://" in path or (Path(path) / BAGIT).is_file(), check_archive),)
