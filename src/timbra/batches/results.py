"""The results of a batch: a ZIP of its stamps, a report, and a report of the rejections."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Sequence
from io import StringIO
from typing import IO
from zipfile import ZIP_DEFLATED, ZipFile

from timbra.batches.store.models import DONE, REJECTED, Batch, BatchItem
from timbra.core.errors import ServiceError
from timbra.core.spreadsheets import safe_text
from timbra.database.batches import is_transient, run_isolated
from timbra.documents.listing import DAMAGED_DOCUMENT
from timbra.documents.signed_links import SignedLinks
from timbra.stamps.port import DamagedStamp, StampRecord

OUTPUT_FILE, REPORT_FILE, ERRORS_FILE = "output.zip", "report.csv", "errors.csv"
FILES = (OUTPUT_FILE, REPORT_FILE, ERRORS_FILE)
REPORT_COLUMNS = ("file", "uuid", "status", "fechaTimbrado")
ERROR_COLUMNS = ("file", "code", "message", "messageDetail")
RECORDS_READ = 50
NOT_READ = "El servidor no pudo leer el documento timbrado."
NOT_PRINTED = "El servidor no pudo hacer el PDF del documento timbrado."


def addresses(batch: Batch, links: SignedLinks) -> dict[str, str]:
    """Return the addresses of the results by their member in SW's notification; empty texts for what does not exist.

    Args:
        batch: a batch in any state.
        links: signs the addresses, which need no token and end with the results.
    """
    expires_at = batch.expires_at
    exists = {
        "urlOutput": (OUTPUT_FILE, batch.stamped + batch.repeated > 0),
        "urlReport": (REPORT_FILE, batch.processed > 0),
        "urlReportError": (ERRORS_FILE, batch.rejected > 0),
    }
    if batch.state != DONE or expires_at is None:
        return dict.fromkeys(exists, "")
    return {
        member: batch.base_url + links.sign(f"/batches/{batch.id}/{name}", expires_at) if found else ""
        for member, (name, found) in exists.items()
    }


def report(items: Iterator[BatchItem]) -> Iterator[bytes]:
    """Yield the report of all documents as CSV, in pieces."""
    return _csv(REPORT_COLUMNS, ((item.name, item.uuid, item.result, item.stamped_at) for item in items))


def error_report(items: Iterator[BatchItem]) -> Iterator[bytes]:
    """Yield the report of the rejected documents as CSV, in pieces."""
    rejected = (item for item in items if item.result == REJECTED)
    return _csv(ERROR_COLUMNS, ((item.name, item.code, item.message, item.detail) for item in rejected))


def write_output(
    target: IO[bytes],
    items: Iterator[BatchItem],
    records: Callable[[Sequence[str]], Sequence[StampRecord | DamagedStamp]],
    pdf: Callable[[StampRecord], bytes | None] | None,
    progress: Callable[[], None],
) -> list[tuple[BatchItem, Exception]]:
    """Write the ZIP of the stamps: each named as in the input, and its PDF beside it.

    Args:
        target: an empty file.
        records: returns the stamps of folios.
        pdf: prints a stamp, None when it cannot be printed; None for a result without PDF.
        progress: called after each group of stamps, to keep the lease.

    Returns:
        The outcomes whose stamp or PDF could not be made, each with its error; a text file says so in their place.
    """
    failed: list[tuple[BatchItem, Exception]] = []
    with ZipFile(target, "w", ZIP_DEFLATED) as archive:
        group: list[BatchItem] = []
        for item in items:
            if item.result != REJECTED:
                group.append(item)
            if len(group) == RECORDS_READ:
                failed += _write_group(archive, group, records, pdf)
                group.clear()
                progress()
        failed += _write_group(archive, group, records, pdf)
    return failed


def _write_group(
    archive: ZipFile,
    group: Sequence[BatchItem],
    records: Callable[[Sequence[str]], Sequence[StampRecord | DamagedStamp]],
    pdf: Callable[[StampRecord], bytes | None] | None,
) -> list[tuple[BatchItem, Exception]]:
    found, failed = _read_group(group, records)
    for item, _ in failed:
        archive.writestr(_beside(item, "txt"), NOT_READ)
    for item, record in found:
        if isinstance(record, DamagedStamp):
            archive.writestr(_beside(item, "txt"), DAMAGED_DOCUMENT)
            continue
        archive.writestr(item.name, record.cfdi)
        try:
            content = pdf(record) if pdf is not None else None
        except Exception as error:
            if is_transient(error):
                raise
            failed.append((item, error))
            archive.writestr(_beside(item, "txt"), NOT_PRINTED)
            continue
        if content is not None:
            archive.writestr(_beside(item, "pdf"), content)
    return failed


def _read_group(
    group: Sequence[BatchItem], records: Callable[[Sequence[str]], Sequence[StampRecord | DamagedStamp]]
) -> tuple[list[tuple[BatchItem, StampRecord | DamagedStamp]], list[tuple[BatchItem, Exception]]]:
    """Return the stamps of outcomes, and the outcomes whose stamp cannot be read."""
    found: dict[str, StampRecord | DamagedStamp] = {}

    def read(part: Sequence[BatchItem]) -> None:
        for one in records([item.uuid for item in part]):
            if isinstance(one, DamagedStamp) and one.error.retry_after is not None:
                raise one.error
            found[one.record.uuid if isinstance(one, DamagedStamp) else one.uuid] = one

    result = run_isolated(group, read)
    if result.interruption is not None:
        raise result.interruption
    absent = [(item, ServiceError("document-unknown")) for item in result.done if item.uuid not in found]
    return [(item, found[item.uuid]) for item in result.done if item.uuid in found], [*result.failed, *absent]


def _beside(item: BatchItem, suffix: str) -> str:
    return f"{item.name[: -len('.xml')]}.{suffix}"


def _csv(columns: Sequence[str], rows: Iterator[Sequence[str]]) -> Iterator[bytes]:
    buffer = StringIO()
    writer = csv.writer(buffer)
    writer.writerow(columns)
    for row in rows:
        writer.writerow([safe_text(cell) for cell in row])
        if buffer.tell() > 64 * 1024:
            yield buffer.getvalue().encode()
            buffer.seek(0)
            buffer.truncate()
    yield buffer.getvalue().encode()
