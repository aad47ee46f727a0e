"""Examination of documents of uploaded files, in a child process of a server."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from itertools import islice
from traceback import format_exception
from typing import TypedDict

from timbra.core.errors import ServiceError
from timbra.received.files import Entry, EntryReader
from timbra.validation.article_69b import CODES as LISTED
from timbra.validation.metadata_files import read_metadata
from timbra.validation.models import ExaminedReport
from timbra.validation.printed_totals import opened, with_printed_total
from timbra.validation.tables import Row, document_row, sha256_of, unreadable_row
from timbra.validation.taxpayer_lookup import TaxpayerLookup
from timbra.validation.validation import ValidationService
from timbra.web.public_errors import INTERNAL_ERROR

MAX_MEMBERS = 20_000
"""Members of an archive, and documents of a run."""
MAX_DOCUMENT_BYTES = 40 * 1024 * 1024
LINES = 500
"""Lines of a metadata file that are read at once."""


@dataclass(frozen=True, slots=True)
class Examiner:
    """Services of one process that examine documents.

    Attributes:
        validation: Makes the reports.
        taxpayer_lookup: Looks up the parties of metadata.
    """

    validation: ValidationService
    taxpayer_lookup: TaxpayerLookup


class ExamineOptions(TypedDict):
    """Options of `ValidationService.examine_document`."""

    require_stamp: bool
    leniency: str | None


@dataclass(frozen=True, slots=True)
class ExaminedEntry:
    """A document that was examined, without its status.

    Attributes:
        source: Name for display.
        row: Columns of `documents`, without those of the status.
        examined: None for a document without a report.
        rejection: Why there is no report; None with one, and for a line of metadata.
        defect: Traceback of a defect of the program, which a child process leaves to its parent to log; None without.
        xml: The document, the attached one of a PDF; None unless it was asked for.
    """

    source: str
    row: Row
    examined: ExaminedReport | None = None
    rejection: ServiceError | None = None
    is_metadata: bool = False
    defect: str | None = None
    xml: bytes | None = field(default=None, repr=False)


async def examine_entries(
    examiner: Examiner,
    entries: Sequence[Entry],
    account: str,
    require_stamp: bool,
    leniency: str | None = None,
    with_xml: bool = False,
) -> list[ExaminedEntry]:
    """Examine documents.

    Args:
        examiner: Services of this process.
        account: Account by which queries are limited.
        require_stamp: Whether a document without a stamp has an error instead of a warning.
        leniency: The choice of the account, see `timbra.accounts.vendor_leniency`; None for that of the server.
        with_xml: Whether the entries have the documents.
    """
    options: ExamineOptions = {"require_stamp": require_stamp, "leniency": leniency}
    with closing(EntryReader(MAX_MEMBERS, MAX_DOCUMENT_BYTES)) as reader:
        found = [await _examine(examiner, reader, entry, account, options) for entry in entries]
    return found if with_xml else [replace(entry, xml=None) for entry in found]


async def _examine(
    examiner: Examiner, reader: EntryReader, entry: Entry, account: str, options: ExamineOptions
) -> ExaminedEntry:
    try:
        content = reader.read(entry)
    except ServiceError as error:
        return rejected_entry(entry.source, error, {"source": entry.source})
    return await examine_content(examiner, entry.source, content, account, options)


async def examine_content(
    examiner: Examiner, source: str, content: bytes, account: str, options: ExamineOptions
) -> ExaminedEntry:
    """Examine a document; the entry has its XML. `source`: Name for display; for the others see `examine_entries`."""
    identity: Row = {"source": source, "sha256": sha256_of(content), "bytes": len(content)}
    try:
        xml, read = opened(content, in_spanish=True)
        document, examined = await examiner.validation.examine_document(xml, account, **options)
        examined = with_printed_total(examined, document.root, read)
        report = await examiner.validation.with_status(examined, False, account)
        row = {**document_row(document.root, report), **identity}
    except ServiceError as error:
        return rejected_entry(source, error, identity)
    except MemoryError:
        raise
    except Exception as error:  # one document must not end a run of thousands; its row says so
        defect = "".join(format_exception(error))
        return replace(rejected_entry(source, ServiceError(INTERNAL_ERROR), identity), defect=defect)
    # The cadenas are not shown, and they are most of what the process would send to its parent.
    small = replace(examined, cadena_original_sat=None, cadena_original_comprobante=None)
    return ExaminedEntry(source, row, small, xml=xml)


def rejected_entry(source: str, error: ServiceError, identity: Row | None = None) -> ExaminedEntry:
    """Return the entry of a document without a report.

    Args:
        source: Name for display.
        error: Why there is none.
        identity: Columns of the file; None when it could not be read.
    """
    return ExaminedEntry(source, {**(identity or {}), **unreadable_row(source, error)}, rejection=error)


def read_metadata_lines(examiner: Examiner, entry: Entry, start: int) -> list[ExaminedEntry] | None:
    """Return the CFDI of at most `LINES` lines of a metadata file; None at its end.

    Args:
        examiner: Looks up the parties in the list of article 69-B.
        entry: The file.
        start: Number of lines before the first.

    Raises:
        ServiceError: "source-unreadable" for a text file of another kind.
    """
    with closing(EntryReader(MAX_MEMBERS, MAX_DOCUMENT_BYTES)) as reader:
        lines = read_metadata(reader.open(entry), entry.source)
        rows = [*islice(lines, start, start + LINES)]
    if not rows:
        if start == 0:
            raise ServiceError("source-unreadable", f"{entry.source}: no es un archivo de metadatos del SAT.")
        return None
    situations: dict[str, str | None] = {}
    return [_metadata_entry(examiner, row, situations) for row in rows if row is not None]


def _metadata_entry(examiner: Examiner, row: Row, situations: dict[str, str | None]) -> ExaminedEntry:
    for rfc in (row["issuer_rfc"], row["receiver_rfc"]):
        if rfc not in situations:
            situations[rfc] = _situation(examiner, rfc)
    found = {situations[row[name]] for name in ("issuer_rfc", "receiver_rfc")}
    listed = next((name for name in ("Definitivo", "Presunto") if name in found), None)
    return ExaminedEntry(row["source"], {"kind": "cfdi", **row, "article_69b": listed}, is_metadata=True)


def _situation(examiner: Examiner, rfc: str) -> str | None:
    try:
        situation = examiner.taxpayer_lookup.article_69b(rfc).situation
    except ServiceError:
        return None  # not in the list, malformed, or no list
    return situation if situation in LISTED else None
