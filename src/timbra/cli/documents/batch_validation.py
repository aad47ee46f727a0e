"""Validation of many documents, in this process or in several, with results in the order of the input."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import ExitStack, closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from timbra.cli.documents.sources import DocumentReader, DocumentSource
from timbra.cli.framework.services_option import open_services
from timbra.errors import ServiceError
from timbra.service.services import ValidationServices

if TYPE_CHECKING:
    from timbra.service.validation.models import ReportEntry, ValidationReport

QUEUED_PER_WORKER = 4
"""Documents in the queue for each worker process."""

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class BatchOptions:
    """Options of a validation.

    Attributes:
        data: value of `--data`, with which worker processes open their own services.
        workers: number of processes; with 1, this process validates.
        with_status: whether the authority is queried for the status of each document.
        require_stamp: whether a document without a stamp has an error instead of a warning.
        max_bytes: size of the largest document.
        registration_hints: hints of errors that depend on the registry of a sandbox; empty in production.
    """

    data: Path | None
    workers: int
    with_status: bool
    require_stamp: bool
    max_bytes: int
    registration_hints: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class DocumentResult:
    """The result for one document.

    Attributes:
        report: None for a rejected document.
        rejection: the reason why there is no report.
        missing_sandbox: errors that come from missing data of the sandbox that stamped the document.
    """

    name: str
    report: ValidationReport | None = None
    rejection: ServiceError | None = None
    missing_sandbox: tuple[ReportEntry, ...] = ()

    @property
    def is_valid(self) -> bool:
        """Whether the document could be read and has no error."""
        return self.report is not None and not self.report.wrong

    @property
    def is_clean(self) -> bool:
        """Whether the document could be read and has neither errors nor warnings."""
        return self.report is not None and not self.report.entries


class BatchValidator:
    """Validates documents one after another in one event loop, with the use case of the HTTP service."""

    def __init__(self, services: ValidationServices, *, with_status: bool, require_stamp: bool) -> None:
        self._validation = services.validation
        self._with_status = with_status
        self._require_stamp = require_stamp
        self._loop = asyncio.new_event_loop()

    def validate(self, name: str, content: bytes) -> DocumentResult:
        """Validate one document; a document that cannot be read gives a result with a rejection."""
        try:
            validation = self._validation.validate(content, self._with_status, require_stamp=self._require_stamp)
            return DocumentResult(name, self._loop.run_until_complete(validation))
        except ServiceError as error:
            return DocumentResult(name, rejection=error)

    def close(self) -> None:
        """Close the event loop."""
        self._loop.run_until_complete(self._loop.shutdown_default_executor())
        self._loop.close()


def validate_sources(
    services: ValidationServices, sources: Iterable[DocumentSource], options: BatchOptions
) -> Iterator[DocumentResult]:
    """Validate documents.

    Args:
        services: services of this process.
        sources: the documents.
        options: options of the validation.

    Yields:
        One result for each source, in the same order.
    """
    with closing(DocumentReader(options.max_bytes)) as reader:
        if options.workers > 1:
            results = _validate_in_processes(reader, sources, options)
        else:
            results = _validate_here(reader, services, sources, options)
        for result in results:
            yield _with_missing_sandbox(result, options.registration_hints)


def _validate_here(
    reader: DocumentReader, services: ValidationServices, sources: Iterable[DocumentSource], options: BatchOptions
) -> Iterator[DocumentResult]:
    flags = {"with_status": options.with_status, "require_stamp": options.require_stamp}
    with closing(BatchValidator(services, **flags)) as validator:
        for source in sources:
            yield _read(reader, source, validator.validate)


def _with_missing_sandbox(result: DocumentResult, registration_hints: frozenset[str]) -> DocumentResult:
    from timbra.service.sandbox.missing_sandbox import missing_sandbox_errors

    if result.report is None or not registration_hints:
        return result
    return replace(result, missing_sandbox=missing_sandbox_errors(result.report, registration_hints))


def _read(
    reader: DocumentReader, source: DocumentSource, process: Callable[[str, bytes], Result]
) -> Result | DocumentResult:
    try:
        return process(source.name, reader.read(source))
    except ServiceError as error:
        return DocumentResult(source.name, rejection=error)


def _validate_in_processes(
    reader: DocumentReader, sources: Iterable[DocumentSource], options: BatchOptions
) -> Iterator[DocumentResult]:
    queue: deque[Future[DocumentResult] | DocumentResult] = deque()
    initargs = (options.data, options.with_status, options.require_stamp)
    with ProcessPoolExecutor(options.workers, initializer=_start_worker, initargs=initargs) as pool:
        for source in sources:
            queue.append(_read(reader, source, lambda name, content: pool.submit(_validate, name, content)))
            if len(queue) >= options.workers * QUEUED_PER_WORKER:
                yield _result(queue.popleft())
        while queue:
            yield _result(queue.popleft())


def _result(item: Future[DocumentResult] | DocumentResult) -> DocumentResult:
    return item.result() if isinstance(item, Future) else item


_VALIDATORS: list[BatchValidator] = []
"""The validator of a worker process."""
_STACK = ExitStack()
"""Resources that a worker process closes when it ends."""


def _start_worker(data: Path | None, with_status: bool, require_stamp: bool) -> None:
    """Initialize a worker process: its services stay open until the process ends."""
    services = _STACK.enter_context(open_services(data, ValidationServices))
    validator = BatchValidator(services, with_status=with_status, require_stamp=require_stamp)
    _STACK.callback(validator.close)
    _VALIDATORS.append(validator)


def _validate(name: str, content: bytes) -> DocumentResult:
    return _VALIDATORS[0].validate(name, content)
