"""Validation and verification of documents."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from timbra.core.bounds import Bound, BoundKind
from timbra.core.errors import ServiceError
from timbra.library import resources
from timbra.library.report import Finding, Report, SealCheck, report_of, seal_check, unreadable
from timbra.library.resources import (
    LOCK,
    MAX_BYTES,
    Folder,
    When,
    Xml,
    content_of,
    evaluation_services,
    finished,
    path_of,
    published_lists,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from contextlib import AbstractContextManager

    from timbra.cfdi.document import Document
    from timbra.rendering.pdf_reading import PdfContent
    from timbra.validation.folders import DocumentResult, Given
    from timbra.validation.models import ExaminedReport
    from timbra.validation.validation import ValidationService

P = ParamSpec("P")
T = TypeVar("T")


def validate_with_seals(
    xml: Xml, *, on: When | None = None, lists: Folder | None = None, trust: Folder | None = None
) -> tuple[Report, tuple[Finding, ...]]:
    """Return the report of `validate` and, of its findings, those of `verify`, by one evaluation. Not public."""
    validator, content, name = _Validator(on, lists, trust), content_of(xml), path_of(xml)
    try:
        document, examined = validator.examined(content)
    except ServiceError:
        return validator.report(content, name), ()
    report = finished(validator.reported(document, examined, content, name))
    return report, seal_check(examined, is_sealed=_is_sealed(document)).findings


def validate(
    xml: Xml,
    *,
    on: When | None = None,
    lists: Folder | None = None,
    trust: Folder | None = None,
    status: bool = False,
) -> Report:
    """Report every error and warning of a CFDI 4.0, 3.3 or 3.2, a CFD 2.2, or a retención 2.0 or 1.0.

    Args:
        xml: XML as text or bytes, or the path of a file; also a PDF with the CFDI attached, whose printed total is then
            compared with the document.
        on: The instant or day at which the document is evaluated; now without it. A time without a zone is one of
            central Mexico.
        lists: The folder of the SAT's lists, which `timbra lists import` writes. Without it the rules that need them
            are in `not_evaluated`.
        trust: A folder with certificates of authorities and providers that are trusted besides those of the SAT, such
            as those of a sandbox.
        status: Whether to ask the SAT for the status of the document. Only then the network is used.

    Returns:
        The report. A document that is no CFDI has one too, with one error.

    Raises:
        Error: "source-unreadable" for a file that cannot be read, "list-damaged" for a folder without lists,
            "trust-refused" and "certificate-unreadable" for the folder of certificates.
    """
    return _Validator(on, lists, trust, status=status).report(content_of(xml, with_pdf=True), path_of(xml))


async def validate_async(
    xml: Xml,
    *,
    on: When | None = None,
    lists: Folder | None = None,
    trust: Folder | None = None,
) -> Report:
    """Validate a document as `validate` with `status=True` does, and wait for the SAT without holding the event loop.

    Args:
        xml: XML as text or bytes, or the path of a file.
        on: The instant or day at which the document is evaluated; now without it.
        lists: The folder of the SAT's lists.
        trust: A folder with further trusted certificates.

    Returns:
        The report, with the status.

    Raises:
        Error: As for `validate`.
    """
    return await _Validator(on, lists, trust, status=True).wait_for_report(content_of(xml, with_pdf=True), path_of(xml))


def validate_many(
    documents: Xml | Iterable[Xml],
    *,
    on: When | None = None,
    lists: Folder | None = None,
    trust: Folder | None = None,
    status: bool = False,
    workers: int = 1,
) -> Iterator[Report]:
    """Validate many documents, one after another; memory does not grow with their number.

    Args:
        documents: The path of a folder, with its subfolders and ZIP archives, of an archive or of a file; or documents,
            folders and archives in any iterable.
        on: The instant or day at which the documents are evaluated; now without it.
        lists: The folder of the SAT's lists.
        trust: A folder with further trusted certificates.
        status: Whether to ask the SAT for the status of each document.
        workers: Number of validating processes; with 1, this process validates.

    Yields:
        The report of each document, in the order of `documents`; those of a folder by path. A file that cannot be read
        has one too, with one error.

    Raises:
        Error: As for `validate`; "source-unreadable" when a folder, an archive or a file does not exist.
    """
    sources = _sources([documents] if isinstance(documents, str | bytes | os.PathLike) else documents)
    if workers > 1:
        yield from _in_processes(sources, partial(_opened, on, lists, trust, status=status), workers, status=status)
        return
    from timbra.console.sources import DocumentReader
    from timbra.validation.folders import DocumentContent, failed_result

    validator = _Validator(on, lists, trust, status=status)
    with closing(DocumentReader(MAX_BYTES, with_pdf=True)) as reader:
        for source in sources:
            try:
                content = source.xml if isinstance(source, DocumentContent) else reader.read(source)
                yield validator.report(content, source.name or None)
            except Exception as error:
                yield _rendered(failed_result(source.name, error, {}))


def verify(xml: Xml, *, on: When | None = None, lists: Folder | None = None, trust: Folder | None = None) -> SealCheck:
    """Verify the seal of the issuer and the stamp of the provider, with their certificates.

    Args:
        xml: XML as text or bytes, or the path of a file.
        on: The instant or day of the verification; now without it.
        lists: The folder of the SAT's lists, whose LCO says which certificates are revoked.
        trust: A folder with further trusted certificates.

    Returns:
        The state of both seals.

    Raises:
        Error: "301" when the document is no CFDI; otherwise as for `validate`.
    """
    document, examined = _Validator(on, lists, trust).examined(content_of(xml))
    return seal_check(examined, is_sealed=_is_sealed(document))


def _is_sealed(document: Document) -> bool:
    return bool(document.root.get("Sello") or document.root.get("sello"))


class _Validator:
    """Validates documents with the same data; for the arguments see `validate`."""

    def __init__(self, on: When | None, lists: Folder | None, trust: Folder | None, *, status: bool = False) -> None:
        with LOCK:
            self._validation = _validation_service(on, lists, trust, status=status)
        self._status = status

    def report(self, content: bytes, name: str | None) -> Report:
        """Return the report of a document; one with an error when it is no CFDI."""
        report = self.wait_for_report(content, name)
        return _waited(report) if self._status else finished(report)

    async def wait_for_report(self, content: bytes, name: str | None) -> Report:
        """Return the report as a coroutine, which waits for the SAT only."""
        from timbra.validation.folders import failed_result, identity_of
        from timbra.validation.printed_totals import opened

        try:
            given, read = opened(content)
            document, examined = self.examined(given)
        except ServiceError as error:
            return _rendered(failed_result(name or "", error, identity_of(name or "", content)))
        return await self.reported(document, examined, content, name, read)

    async def reported(
        self,
        document: Document,
        examined: ExaminedReport,
        content: bytes,
        name: str | None,
        read: PdfContent | None = None,
    ) -> Report:
        """Return the report of an examined document as a coroutine, which waits for the SAT only."""
        from timbra.validation.folders import identified_row
        from timbra.validation.printed_totals import with_printed_total

        report = await self._validation.with_status(examined, self._status, "")
        report = with_printed_total(report, document.root, read)
        return report_of(name, report, identified_row(name or "", content, document.root, report, datetime.now(UTC)))

    def examined(self, content: bytes) -> tuple[Document, ExaminedReport]:
        """Examine a document. ServiceError "301" when it is no CFDI."""
        with LOCK:
            return finished(self._validation.examine_document(content, "", _here, require_stamp=False))


def _validation_service(
    on: When | None, lists: Folder | None, trust: Folder | None, *, status: bool
) -> ValidationService:
    from timbra.pools.garbage_collection import collection_paused

    # The modules leave no garbage in cycles; searching for it is a tenth of the time of their import.
    with collection_paused():
        services = evaluation_services(published_lists(lists), trust, on)
        from timbra.validation import folders  # noqa: F401 - for the report
        from timbra.validation.validation import ValidationService

    return ValidationService(services, resources.status_service() if status else None)


@contextmanager
def _opened(
    on: When | None, lists: Folder | None, trust: Folder | None, *, status: bool
) -> Iterator[ValidationService]:
    yield _validation_service(on, lists, trust, status=status)


def _in_processes(
    sources: Iterable[Given],
    opened: Callable[[], AbstractContextManager[ValidationService]],
    workers: int,
    *,
    status: bool,
) -> Iterator[Report]:
    from timbra.console.sources import DocumentReader
    from timbra.validation.folders import BatchOptions, validate_in_processes

    options = BatchOptions(
        None,
        workers,
        status,
        require_stamp=False,
        max_bytes=MAX_BYTES,
        with_rows=True,
        render=_rendered,
        open=opened,
    )
    with closing(DocumentReader(MAX_BYTES, with_pdf=True)) as reader:
        yield from validate_in_processes(reader, sources, options)


def _rendered(result: DocumentResult) -> Report:
    row = {} if result.rows is None else result.rows.document
    name = result.name or None
    if result.report is None:
        return unreadable(name, result.rejection or ServiceError("CO1000"), row)
    return report_of(name, result.report, row)


def _sources(documents: Iterable[Xml]) -> Iterator[Given]:
    """Yield each document, and those of folders and archives.

    Raises:
        ServiceError: "source-unreadable" for a path that does not exist, or an archive that cannot be opened.
    """
    from timbra.console.sources import list_sources
    from timbra.validation.folders import DocumentContent

    for document in documents:
        path = path_of(document)
        if path is None:
            yield DocumentContent("", content_of(document))
        elif not os.path.exists(path):
            raise ServiceError("source-unreadable", f"{path}: no existe.")
        else:
            yield from list_sources([Path(path)], with_unreadable=True, with_pdf=True)


async def _here(function: Callable[P, T], /, *args: P.args, **named: P.kwargs) -> T:
    """Call a function in this thread: there is no database to wait for."""
    return function(*args, **named)


def _waited(coroutine: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine in an event loop of its own, in another thread where one runs already, as in a notebook."""
    from timbra.pools.coroutines import run_coroutine

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return run_coroutine(coroutine)
    with ThreadPoolExecutor(1, "timbra-status") as pool:
        return pool.submit(run_coroutine, coroutine).result()


BOUNDS = (Bound("_waited", BoundKind.POOL, "1 thread for the time of a call", "The caller waits."),)
