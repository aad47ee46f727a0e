"""Documents of local files, which a command adds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing

import orjson

from timbra.console.sources import DocumentReader, DocumentSource
from timbra.core.clock import WallClock
from timbra.core.errors import ServiceError
from timbra.pools.coroutines import run_coroutine
from timbra.received.documents.intake import Arrival, DocumentIntake, IntakeTerms
from timbra.received.examination import (
    MAX_DOCUMENT_BYTES,
    ExaminedEntry,
    ExamineOptions,
    Examiner,
    examine_content,
    rejected_entry,
)
from timbra.received.results import result_of
from timbra.received.store import NewResult

PART = 100
"""Documents that are stored at once, unless they have more than `PART_BYTES`."""
PART_BYTES = 16 * 1024 * 1024
OPTIONS: ExamineOptions = {"require_stamp": True, "leniency": None}


def arrivals_of(
    account_id: int, sources: Sequence[DocumentSource], terms: IntakeTerms, intake: DocumentIntake, examiner: Examiner
) -> Iterator[Arrival]:
    """Store documents; yields what became of each, in their order."""
    with closing(DocumentReader(MAX_DOCUMENT_BYTES, with_pdf=True)) as reader:
        part: list[tuple[DocumentSource, bytes | ServiceError]] = []
        size = 0
        for source in sources:
            content = _content(reader, source)
            part.append((source, content))
            size += len(content) if isinstance(content, bytes) else 0
            if len(part) == PART or size >= PART_BYTES:
                yield from intake.put(account_id, run_coroutine(_examined(part, str(account_id), examiner)), terms)
                part, size = [], 0
        if part:
            yield from intake.put(account_id, run_coroutine(_examined(part, str(account_id), examiner)), terms)


def arrival_line(arrival: Arrival) -> str:
    """Return a line of JSON."""
    values = {
        "name": arrival.name,
        "outcome": arrival.word,
        "uuid": arrival.document.get("uuid"),
        "result": arrival.result,
        "reasons": [{"code": each.code, "text": each.text} for each in arrival.reasons],
    }
    return orjson.dumps(values).decode()


def _content(reader: DocumentReader, source: DocumentSource) -> bytes | ServiceError:
    try:
        return reader.read(source)
    except ServiceError as error:
        return error


async def _examined(
    part: Sequence[tuple[DocumentSource, bytes | ServiceError]], account: str, examiner: Examiner
) -> list[tuple[ExaminedEntry, NewResult]]:
    found = []
    for source, content in part:
        report = None
        if isinstance(content, ServiceError):
            entry = rejected_entry(source.name, content, {"source": source.name})
        else:
            entry = await examine_content(examiner, source.name, content, account, OPTIONS)
        if entry.examined is not None:
            report = await examiner.validation.with_status(entry.examined, False, account)
        found.append((entry, result_of(entry, report, WallClock().now())))
    return found
