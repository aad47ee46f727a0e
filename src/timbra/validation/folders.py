"""Validation of many documents, in this process or in several, with results in the order of the input."""

from __future__ import annotations

import asyncio
import gc
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager
from dataclasses import dataclass, replace
from itertools import islice
from math import inf
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any

from timbra.console.sources import DocumentReader, DocumentSource
from timbra.core.bounds import Bound, BoundKind
from timbra.core.clock import WallClock
from timbra.core.cpus import usable_cpus
from timbra.core.errors import ServiceError
from timbra.core.groups import in_groups
from timbra.pools.garbage_collection import tune_garbage_collector
from timbra.validation.printed_totals import opened, with_printed_total
from timbra.validation.receivers import with_receiver
from timbra.validation.tables import (
    DocumentRows,
    Row,
    document_row,
    finding_rows,
    header_columns,
    sha256_of,
    status_columns,
    unreadable_finding,
    unreadable_row,
)

if TYPE_CHECKING:
    from datetime import datetime

    from lxml import etree

    from timbra.validation.models import ReportEntry, ValidationReport
    from timbra.validation.validation import ValidationService

CHUNK = 32
"""Documents of one run of the event loop, and those that a worker process gets at once."""
MAX_CHUNK_SECONDS = 0.1
"""Time after which this process returns the results that it has: large documents and statuses take seconds."""
IDENTITY = ("source", "sha256", "bytes")
"""Columns that tell which document a row is of."""
QUEUED_PER_WORKER = 3
"""Chunks in the queue for each worker process."""
DOCUMENTS_PER_WORKER = 250
"""Documents that pay for the start of a further worker process."""


@dataclass(frozen=True, slots=True)
class BatchOptions:
    """Options of a validation.

    Attributes:
        data: value of `--data`, with which worker processes open their own services.
        workers: number of processes; with 1, this process validates.
        with_status: whether the authority is queried for the status of each document.
        require_stamp: whether a document without a stamp has an error instead of a warning.
        max_bytes: size of the largest document.
        receivers: RFC of the expected receivers; empty for any.
        with_header: whether each result has the values of its document.
        with_rows: whether each result has its rows of the tables.
        registration_hints: hints of errors that depend on the registry of a sandbox; empty in production.
        render: module-level function that converts each result in the process that has validated the document; None
            for the `DocumentResult` itself.
        open: module-level function that opens the validation of a worker process; None for the services of `data`.
    """

    data: Path | None
    workers: int
    with_status: bool
    require_stamp: bool
    max_bytes: int
    receivers: frozenset[str] = frozenset()
    with_header: bool = False
    with_rows: bool = False
    registration_hints: frozenset[str] = frozenset()
    render: Callable[[DocumentResult], Any] | None = None
    open: Callable[[], AbstractContextManager[ValidationService]] | None = None

    def opened(self) -> AbstractContextManager[ValidationService]:
        """Return the validation of a worker process, with the services of `data` unless `open` has others."""
        return _opened_validation(self.data) if self.open is None else self.open()

    def finish(self, result: DocumentResult) -> Any:
        """Return the result as the caller gets it."""
        result = _with_missing_sandbox(result, self.registration_hints)
        return result if self.render is None else self.render(result)


@dataclass(frozen=True, slots=True)
class DocumentResult:
    """The result for one document.

    Attributes:
        report: None for a rejected document.
        rejection: the reason why there is no report.
        missing_sandbox: errors that come from missing data of the sandbox that stamped the document.
        header: parties, dates and amounts of the document, by the column of `documents`; None without the option.
        rows: its rows of the tables; None without the option.
    """

    name: str
    report: ValidationReport | None = None
    rejection: ServiceError | None = None
    missing_sandbox: tuple[ReportEntry, ...] = ()
    header: Row | None = None
    rows: DocumentRows | None = None

    @property
    def is_valid(self) -> bool:
        """Whether the document could be read and has no error."""
        return self.report is not None and not self.report.wrong

    @property
    def is_clean(self) -> bool:
        """Whether the document could be read and has neither errors nor warnings."""
        return self.report is not None and not self.report.entries


def choose_workers(requested: int | None, documents: int) -> int:
    """Return the number of validating processes.

    Args:
        requested: the option of the command; None for one process for each usable CPU, as far as the documents are
            worth their start.
        documents: number of documents.
    """
    if requested is not None:
        return requested
    return max(1, min(usable_cpus(), documents // DOCUMENTS_PER_WORKER))


@contextmanager
def _opened_validation(data: Path | None) -> Iterator[ValidationService]:
    from timbra.console.services_option import open_services
    from timbra.validation.services import ValidationServices

    with open_services(data, ValidationServices) as services:
        yield services.validation


@dataclass(frozen=True, slots=True)
class DocumentContent:
    """A document that the main process has read."""

    name: str
    xml: bytes


Given = DocumentSource | DocumentContent
_Read = Given | DocumentResult


class BatchValidator:
    """Validates documents one after another in one event loop, with the use case of the HTTP service.

    Args:
        validation: validates in this process.
        reader: reads the documents.
        options: options of the validation.
    """

    def __init__(self, validation: ValidationService, reader: DocumentReader, options: BatchOptions) -> None:
        self._validation = validation
        self._reader = reader
        self._options = options
        self._wall = WallClock()
        self._loop = asyncio.new_event_loop()

    def validate(self, chunk: Iterable[_Read], seconds: float = inf) -> list[Any]:
        """Validate documents in one run of the event loop; the start of a run costs more than to read a document.

        Args:
            chunk: documents, read up to the last one that is validated.
            seconds: no further group is read after this time.

        Returns:
            A `DocumentResult`, or what `options.render` makes of it, for each; one with a rejection for a document that
            cannot be read.
        """
        return self._loop.run_until_complete(self._results(chunk, seconds))

    async def _results(self, chunk: Iterable[_Read], seconds: float) -> list[Any]:
        results: list[DocumentResult] = []
        end = monotonic() + seconds
        for group in in_groups(map(self._read, chunk), _size):
            results += [
                each if isinstance(each, DocumentResult) else await self._validated(each.name, each.xml)
                for each in group
            ]
            if monotonic() >= end:
                break
        return [self._finished(result) for result in results]

    def _finished(self, result: DocumentResult) -> Any:
        try:
            return self._options.finish(result)
        except Exception as error:
            row = None if result.rows is None else result.rows.document
            identity = None if row is None else {name: row[name] for name in IDENTITY}
            return self._options.finish(failed_result(result.name, error, identity))

    def _read(self, given: _Read) -> DocumentContent | DocumentResult:
        return _read(self._reader, given) if isinstance(given, DocumentSource) else given

    async def _validated(self, name: str, content: bytes) -> DocumentResult:
        try:
            return await self._validated_document(name, content)
        except Exception as error:
            return failed_result(name, error, identity_of(name, content) if self._options.with_rows else None)

    async def _validated_document(self, name: str, content: bytes) -> DocumentResult:
        options = self._options
        xml, read = opened(content)
        document, report = await self._validation.validate_document(
            xml, options.with_status, require_stamp=options.require_stamp
        )
        root = document.root
        report = with_printed_total(report, root, read)
        header = header_columns(root) if options.with_header or options.receivers else None
        if header is not None and options.receivers:
            report = with_receiver(report, header["receiver_rfc"], options.receivers)
        rows = None
        if options.with_rows:
            row = identified_row(name, content, root, report, self._wall.now())
            rows = DocumentRows(row, [*finding_rows(report)])
        return DocumentResult(name, report, header=header, rows=rows)

    def close(self) -> None:
        """Close the event loop."""
        self._loop.run_until_complete(self._loop.shutdown_default_executor())
        self._loop.close()


def identified_row(name: str, content: bytes, root: etree._Element, report: ValidationReport, now: datetime) -> Row:
    """Return the row of `documents` of a report; `now`: instant of the authority's answer."""
    return {**document_row(root, report), **status_columns(report, now), **identity_of(name, content)}


def identity_of(name: str, content: bytes) -> Row:
    """Return the columns that tell which document a row is of."""
    return dict(zip(IDENTITY, (name, sha256_of(content), len(content)), strict=True))


def failed_result(name: str, error: Exception, identity: Row | None = None) -> DocumentResult:
    """Return the result of a document without a report: one document must not end a folder."""
    if isinstance(error, ServiceError):
        reason = error
    else:
        from timbra.web.public_errors import document_error

        reason = document_error(error, name)
    rows = None
    if identity is not None:
        rows = DocumentRows({**identity, **unreadable_row(name, reason)}, [unreadable_finding(reason)])
    return DocumentResult(name, rejection=reason, rows=rows)


def validate_sources(validation: ValidationService, sources: Iterable[Given], options: BatchOptions) -> Iterator[Any]:
    """Validate documents.

    Args:
        validation: validates in this process, when `options` have one worker.

    Yields:
        One `DocumentResult`, or what `options.render` makes of it, for each source, in the same order.
    """
    with closing(DocumentReader(options.max_bytes, with_pdf=True)) as reader:
        if options.workers > 1:
            yield from validate_in_processes(reader, sources, options)
        else:
            yield from _validate_here(reader, validation, sources, options)


def _validate_here(
    reader: DocumentReader, validation: ValidationService, sources: Iterable[Given], options: BatchOptions
) -> Iterator[Any]:
    remaining = iter(sources)
    with closing(BatchValidator(validation, reader, options)) as validator:
        while results := validator.validate(islice(remaining, CHUNK), MAX_CHUNK_SECONDS):
            yield from results


def _with_missing_sandbox(result: DocumentResult, registration_hints: frozenset[str]) -> DocumentResult:
    if result.report is None or result.is_clean or not registration_hints:
        return result
    from timbra.validation.sandbox_documents import missing_sandbox_errors

    errors = missing_sandbox_errors(result.report, registration_hints)
    return replace(result, missing_sandbox=errors) if errors else result


def _read(reader: DocumentReader, source: DocumentSource) -> DocumentContent | DocumentResult:
    try:
        return DocumentContent(source.name, reader.read(source))
    except Exception as error:
        return failed_result(source.name, error)


def _read_here(reader: DocumentReader, given: Given) -> _Read:
    """Read a document that only this process can read; the processes read the files."""
    if isinstance(given, DocumentSource) and given.is_standard_input:
        return _read(reader, given)
    return given


def _size(document: DocumentContent | DocumentResult) -> int:
    return len(document.xml) if isinstance(document, DocumentContent) else 0


def validate_in_processes(reader: DocumentReader, sources: Iterable[Given], options: BatchOptions) -> Iterator[Any]:
    """Validate documents in worker processes; see `validate_sources`."""
    queue: deque[tuple[list[_Read], Future[list[Any]]]] = deque()
    with closing(_Processes(options, options.workers)) as several, closing(_Processes(options, 1)) as alone:

        def results() -> list[Any]:
            given, future = queue.popleft()
            try:
                return future.result()
            except Exception:
                return _in_halves(alone, given, options)

        for chunk in _chunks(sources):
            given = [_read_here(reader, source) for source in chunk]
            queue.append((given, several.submit(given)))
            if len(queue) >= options.workers * QUEUED_PER_WORKER:
                yield from results()
        while queue:
            yield from results()


class _Processes:
    """Worker processes; when one ends, the others end with it, and the next chunk starts new ones."""

    def __init__(self, options: BatchOptions, workers: int) -> None:
        self._options = options
        self._workers = workers
        self._pool: ProcessPoolExecutor | None = None

    def submit(self, given: Sequence[_Read]) -> Future[list[Any]]:
        try:
            return self._open().submit(_validate_chunk, given)
        except BrokenProcessPool:
            self.close()
            return self._open().submit(_validate_chunk, given)

    def close(self) -> None:
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)
            self._pool = None

    def _open(self) -> ProcessPoolExecutor:
        if self._pool is None:
            initial = (self._options,)
            self._pool = ProcessPoolExecutor(self._workers, initializer=_start_worker, initargs=initial)
        return self._pool


def _in_halves(alone: _Processes, given: Sequence[_Read], options: BatchOptions) -> list[Any]:
    """Validate a chunk that failed, in halves until the document is found at which the process ends."""
    try:
        return alone.submit(given).result()
    except Exception as error:
        if len(given) == 1:
            reason = ServiceError("bulk-process-ended") if isinstance(error, BrokenProcessPool) else error
            return [options.finish(failed_result(given[0].name, reason))]
    middle = len(given) // 2
    return [*_in_halves(alone, given[:middle], options), *_in_halves(alone, given[middle:], options)]


def _chunks(sources: Iterable[Given]) -> Iterator[list[Given]]:
    remaining = iter(sources)
    while chunk := list(islice(remaining, CHUNK)):
        yield chunk


_VALIDATORS: list[BatchValidator] = []
"""The validator of a worker process."""
_STACK = ExitStack()
"""Resources that a worker process closes when it ends."""


def _start_worker(options: BatchOptions) -> None:
    """Initialize a worker process: its services stay open until the process ends."""
    validation = _STACK.enter_context(options.opened())
    reader = _STACK.enter_context(closing(DocumentReader(options.max_bytes, with_pdf=True)))
    validator = BatchValidator(validation, reader, options)
    _STACK.callback(validator.close)
    tune_garbage_collector()
    # A collection would look through all objects of the parent, and copy their pages.
    gc.freeze()
    _VALIDATORS.append(validator)


def _validate_chunk(chunk: Sequence[_Read]) -> list[Any]:
    return _VALIDATORS[0].validate(chunk)


BOUNDS = (
    Bound(
        "validate_in_processes",
        BoundKind.QUEUE,
        f"{QUEUED_PER_WORKER} chunks for each worker",
        "No further document is read until the first chunk has its results.",
    ),
    Bound("_Processes", BoundKind.POOL, "the workers of the command", "Further chunks wait."),
)
