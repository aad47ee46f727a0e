"""Packages of the SAT: metadata and XML, which are read within limits, validated and stored."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from itertools import islice
from pathlib import Path, PurePosixPath
from tempfile import TemporaryFile
from typing import IO, Final
from zipfile import BadZipFile, ZipInfo

from timbra.cfdi.uuid_text import canonical_uuid
from timbra.core.clock import Clock
from timbra.core.metrics import RECEIVED_DOCUMENTS, MetricsRegistry
from timbra.core.text import storable
from timbra.core.zip_archives import ZipReader
from timbra.pools.coroutines import run_coroutine
from timbra.received.documents.intake import IntakeTerms, delivered_xml, hash_of, header_of
from timbra.received.documents.models import SAT, DeliveredXml, DocumentMetadata, Outcome, ReceivedHeader
from timbra.received.documents.store import DocumentStore
from timbra.received.examination import MAX_DOCUMENT_BYTES, ExaminedEntry, ExamineOptions, Examiner, examine_content
from timbra.received.results import result_of
from timbra.received.synchronization.models import BulkRequest, PackageContent
from timbra.validation.amounts import shortest_amount
from timbra.validation.metadata_files import MetadataLines, metadata_row
from timbra.validation.models import ValidationReport
from timbra.validation.tables import Row
from timbra.web.public_errors import document_error

MAX_MEMBERS: Final = 250_000
"""More than the documents of a whole request."""
MAX_RATIO: Final = 200
FREE_BYTES: Final = 64 * 1024 * 1024
MAX_EXTRACTED_BYTES: Final = 8 * 1024 * 1024 * 1024
"""Bytes that may be extracted from a package: `MAX_RATIO` times its size, and no more than this."""
XML_PART, ROWS_PART = 500, 500
PART_BYTES: Final = 16 * 1024 * 1024
"""Documents that are in memory at a time."""
MAX_SAMPLE: Final = 300
METADATA, STATUS = "metadata", "status"
"""Outcomes of rows of metadata: a new document, and a changed status of a known one."""
FROM_SAT: Final = IntakeTerms(SAT)
OPTIONS: Final[ExamineOptions] = {"require_stamp": True, "leniency": None}


class PackageStorage:
    """Stores the documents of packages; a package that was stored in part is stored again without harm.

    Args:
        documents: The store.
        examiner: Validates XML in this process.
        wall: Wall time.
        metrics: Counts documents by their outcome.
    """

    def __init__(self, documents: DocumentStore, examiner: Examiner, wall: Clock, metrics: MetricsRegistry) -> None:
        self._documents = documents
        self._examiner = examiner
        self._wall = wall
        self._metrics = metrics
        for outcome in (*Outcome, METADATA, STATUS):
            metrics.declare(RECEIVED_DOCUMENTS, (outcome,))

    def _count(self, outcome: str, number: int) -> None:
        self._metrics.count(RECEIVED_DOCUMENTS, (outcome,), number)

    def store(self, request: BulkRequest, path: Path) -> PackageContent:
        """Store the documents of a package.

        Args:
            request: The request of which it is a package.
            path: The ZIP file.

        Raises:
            BadZipFile: The package is damaged, or exceeds a limit.
        """
        with path.open("rb") as file:
            reader = open_package(file, path.stat().st_size)
            if request.is_metadata:
                return self._metadata(request, reader)
            return self._xml(request, reader)

    def _metadata(self, request: BulkRequest, reader: ZipReader) -> PackageContent:
        content = PackageContent()
        for member in reader.files:
            if not _is_wanted(member, ".txt"):
                content += PackageContent(foreign=1)
                continue
            with TemporaryFile() as lines:  # a member may have a million rows
                reader.extract(member, lines, MAX_EXTRACTED_BYTES)
                lines.seek(0)
                rows = _rows_of(MetadataLines(lines), member.filename)
                while part := list(islice(rows, ROWS_PART)):
                    content += self._rows(request, part)
        return content

    def _rows(self, request: BulkRequest, rows: Sequence[Row | str]) -> PackageContent:
        found: list[DocumentMetadata] = []
        broken: list[str] = []
        foreign = 0
        for row in rows:
            if isinstance(row, str) or row["fecha"] is None:
                broken.append(storable(row if isinstance(row, str) else row["uuid"], MAX_SAMPLE))
            elif _is_of(request, row["issuer_rfc"], row["receiver_rfc"]):
                found.append(_metadata_of(request, row))
            else:
                foreign += 1
        totals = self._documents.put_metadata(request.account_id, found)
        self._count(METADATA, totals.new)
        self._count(STATUS, totals.changed)
        return PackageContent(len(found), len(broken), foreign, tuple(broken[:MAX_SAMPLE]))

    def _xml(self, request: BulkRequest, reader: ZipReader) -> PackageContent:
        content = PackageContent()
        members = [member for member in reader.files if _is_wanted(member, ".xml")]
        content += PackageContent(foreign=len(reader.files) - len(members))
        for part in _parts(members):
            files: list[tuple[str, bytes]] = []
            for member in part:
                try:
                    xml = reader.read(member, MAX_DOCUMENT_BYTES + 1)
                except BadZipFile as error:
                    content += _broken(f"{member.filename}: {error}")
                else:
                    files.append((member.filename, xml))
            content += self._files(request, files)
        return content

    def _files(self, request: BulkRequest, files: Sequence[tuple[str, bytes]]) -> PackageContent:
        """Store XML; what is stored already is not validated again."""
        by_name = {name: canonical_uuid(name[:36]) or "" for name, _ in files}
        known = self._documents.known_hashes(request.account_id, [uuid for uuid in by_name.values() if uuid])
        new = [(name, xml) for name, xml in files if known.get(by_name[name]) != (hash_of(xml), SAT)]
        content, delivered = PackageContent(documents=len(files) - len(new)), []
        self._count(Outcome.KNOWN, len(files) - len(new))
        for (name, xml), (entry, report) in zip(new, run_coroutine(self._examined(request, new)), strict=True):
            document = self._delivered(request, by_name[name], xml, entry, report)
            if document is None:
                content += _broken(f"{name}: {entry.rejection or 'sin folio fiscal'}")
            elif _is_of(request, document.header.issuer_rfc, document.header.receiver_rfc):
                delivered.append(document)
            else:
                content += PackageContent(foreign=1, samples=(storable(f"{name}: de otro RFC", MAX_SAMPLE),))
        for outcome in self._documents.put_xml(request.account_id, delivered):
            self._count(outcome, 1)
        return content + PackageContent(documents=len(delivered))

    async def _examined(
        self, request: BulkRequest, files: Sequence[tuple[str, bytes]]
    ) -> list[tuple[ExaminedEntry, ValidationReport | None]]:
        account, found = str(request.account_id), []
        for name, xml in files:
            entry = await examine_content(self._examiner, name, xml, account, OPTIONS)
            if entry.defect is not None:
                document_error(RuntimeError(entry.defect), name, self._metrics)
            report = None
            if entry.examined is not None:
                report = await self._examiner.validation.with_status(entry.examined, False, account)
            found.append((entry, report))
        return found

    def _delivered(
        self, request: BulkRequest, uuid: str, xml: bytes, entry: ExaminedEntry, report: ValidationReport | None
    ) -> DeliveredXml | None:
        """Return the document to be stored; None for one that nothing identifies."""
        result = result_of(entry, report, self._wall.now())
        values = result.document
        if values.get("uuid"):
            header = header_of(request.kind if report is None else values["kind"], values)
        else:
            stored = self._documents.find(request.account_id, uuid) if uuid and report is None else None
            if stored is None:
                return None
            header = ReceivedHeader(*(getattr(stored, name) for name in ReceivedHeader.__slots__))
        return delivered_xml(header, xml, result, FROM_SAT)


def open_package(file: IO[bytes], size: int) -> ZipReader:
    """Open a package. BadZipFile for one that is damaged or exceeds the limits."""
    most = min(max(FREE_BYTES, MAX_RATIO * size), MAX_EXTRACTED_BYTES)
    reader = ZipReader(file, MAX_MEMBERS, most)
    if sum(member.file_size for member in reader.files) > most:
        raise BadZipFile(f"su contenido pasa de {most} bytes")
    return reader


def _rows_of(lines: MetadataLines, source: str) -> Iterator[Row | str]:
    """Yield the rows of a metadata file; the text of a line that is none."""
    for text in lines:
        yield lines.damaged_text if text is None else metadata_row(text.split("~"), source) or text


def _is_wanted(member: ZipInfo, suffix: str) -> bool:
    """Whether a member is at the root, has a content and the suffix."""
    path = PurePosixPath(member.filename)
    return len(path.parts) == 1 and member.file_size > 0 and path.suffix.lower() == suffix


def _parts(members: Sequence[ZipInfo]) -> Iterator[list[ZipInfo]]:
    part: list[ZipInfo] = []
    size = 0
    for member in members:
        if part and (len(part) >= XML_PART or size + member.file_size > PART_BYTES):
            yield part
            part, size = [], 0
        part.append(member)
        size += member.file_size
    if part:
        yield part


def _is_of(request: BulkRequest, issuer_rfc: str, receiver_rfc: str) -> bool:
    """Whether the taxpayer is the party on the side of the request."""
    return (issuer_rfc if request.is_issued else receiver_rfc).upper() == request.rfc


def _metadata_of(request: BulkRequest, row: Row) -> DocumentMetadata:
    texts = {name: _local(row[name]) for name in ("fecha", "fecha_timbrado")}
    total = None if row["total"] is None else shortest_amount(row["total"])
    header = header_of(request.kind, {**row, **texts, "total": total})
    return DocumentMetadata(header, row["status"], _local(row["cancelled_at"]) or None)


def _local(at: datetime | None) -> str:
    return "" if at is None else at.isoformat(timespec="seconds")


def _broken(text: str) -> PackageContent:
    return PackageContent(broken=1, samples=(storable(text, MAX_SAMPLE),))
