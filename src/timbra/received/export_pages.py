"""Exports of the results of a run: both tables as CSV, and as a workbook."""

from __future__ import annotations

import tempfile
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

from starlette.responses import FileResponse, Response, StreamingResponse

from timbra.accounts.services import CertificateServices
from timbra.core.spreadsheets import BYTE_ORDER_MARK, csv_line
from timbra.received.pages import PATH, account_rfcs, fields_of_filter, filter_of, run_of
from timbra.received.results import table_row
from timbra.received.store import StoredResult
from timbra.received.uploads import ReceivedValidation
from timbra.validation.table_files import DOCUMENTS_TABLE, FINDINGS_TABLE, HEADS, TableWorkbook, csv_lines
from timbra.validation.tables import DOCUMENTS, FINDINGS, Row
from timbra.web.portal.dispatch.page import Page
from timbra.web.portal.dispatch.page_request import PageRequest
from timbra.web.table_exports import CSV, XLSX, named

PAGE_SIZE = 500


async def export_documents(
    page_request: PageRequest, received: ReceivedValidation, certificates: CertificateServices
) -> Response:
    """Send the table of the documents as CSV."""
    return await _csv(page_request, received, certificates, DOCUMENTS_TABLE)


async def export_findings(
    page_request: PageRequest, received: ReceivedValidation, certificates: CertificateServices
) -> Response:
    """Send the table of the findings as CSV."""
    return await _csv(page_request, received, certificates, FINDINGS_TABLE)


async def export_workbook(
    page_request: PageRequest, received: ReceivedValidation, certificates: CertificateServices
) -> Response:
    """Send both tables as a workbook, which is written to a temporary file first."""
    pages = await _pages(page_request, received, certificates)
    folder = tempfile.TemporaryDirectory()
    try:
        path = Path(folder.name) / "revision.xlsx"
        book = TableWorkbook(path)
        async for page in pages:
            for table in (DOCUMENTS_TABLE, FINDINGS_TABLE):
                book.add(table, rows_of(table, page))
        await page_request.pools.run_database(book.close)
    except BaseException:
        folder.cleanup()
        raise
    return TemporaryFile(folder, path)


async def _csv(
    page_request: PageRequest, received: ReceivedValidation, certificates: CertificateServices, table: str
) -> Response:
    pages = await _pages(page_request, received, certificates)

    async def lines() -> AsyncIterator[bytes]:
        yield (BYTE_ORDER_MARK + csv_line(HEADS[table])).encode()
        async for page in pages:
            yield "".join(csv_lines(table, rows_of(table, page))).encode()

    return StreamingResponse(lines(), media_type=CSV, headers=named(f"{table}.csv"))


async def _pages(
    page_request: PageRequest, received: ReceivedValidation, certificates: CertificateServices
) -> AsyncIterator[list[StoredResult]]:
    """Return the pages of the selection of the query string."""
    run = await run_of(page_request, received)
    rfcs = await page_request.pools.run_database(account_rfcs, page_request, certificates)
    filters = filter_of(fields_of_filter(page_request), rfcs)
    repository, run_database = received.repository, page_request.pools.run_database

    async def pages() -> AsyncIterator[list[StoredResult]]:
        after = -1
        while page := await run_database(repository.page, run.number, filters, after, PAGE_SIZE):
            yield page
            after = page[-1].document_id

    return pages()


def rows_of(table: str, results: list[StoredResult]) -> Iterator[Row]:
    for result in results:
        key = {"document_id": result.document_id, "uuid": result.document.get("uuid")}
        if table == DOCUMENTS_TABLE:
            yield {**table_row(DOCUMENTS, result.document), **key, "duplicate_of": result.duplicate_of}
        else:
            yield from ({**table_row(FINDINGS, finding), **key} for finding in result.findings)


class TemporaryFile(FileResponse):
    """Sends a file and removes its folder.

    Args:
        folder: The folder.
        path: The file.
        media_type: Its media type.
        name: Its name for the receiver; by default that of the path.
    """

    def __init__(
        self, folder: tempfile.TemporaryDirectory[str], path: Path, media_type: str = XLSX, name: str = ""
    ) -> None:
        super().__init__(path, media_type=media_type, filename=name or path.name, stat_result=path.stat())
        self._folder = folder

    async def __call__(self, scope, receive, send) -> None:  # type: ignore[no-untyped-def]
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._folder.cleanup()


PAGES = (
    Page("GET", f"{PATH}/{{run:int}}/documents.csv", export_documents),
    Page("GET", f"{PATH}/{{run:int}}/findings.csv", export_findings),
    Page("GET", f"{PATH}/{{run:int}}/revision.xlsx", export_workbook),
)
