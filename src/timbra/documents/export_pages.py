"""Exports of a selection of documents: CSV, XLSX, and ZIP of the XML or of XML and PDF."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from dataclasses import replace

from starlette.responses import Response, StreamingResponse

from timbra.core.errors import ServiceError
from timbra.core.scopes import READ
from timbra.core.spreadsheets import BYTE_ORDER_MARK, WorkbookStream, csv_line
from timbra.core.zip_stream import ZipStream
from timbra.documents.build import DocumentServices
from timbra.documents.listing import DAMAGED_DOCUMENT, ListedDocument
from timbra.documents.pages import PATH
from timbra.documents.search_pages import chosen_documents, fields_of_search, filter_of
from timbra.documents.view import HEAD, cells
from timbra.stamping.services import StampingServices
from timbra.stamps.search import StampFilter
from timbra.web.portal.dispatch.page import Page
from timbra.web.portal.dispatch.page_request import PageRequest

MAX_ROWS = 100_000
MAX_DOCUMENTS = 10_000
MAX_PRINTED = 300
SHEET = "Documentos"
XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"


async def export_csv(page_request: PageRequest, documents: DocumentServices) -> Response:
    """Send the selection as CSV, page by page."""
    filters = await _selection(page_request, documents, MAX_ROWS)

    async def lines() -> AsyncIterator[bytes]:
        yield (BYTE_ORDER_MARK + csv_line(HEAD)).encode()
        async for rows in _pages(page_request, documents, filters, MAX_ROWS):
            yield "".join(csv_line(cells(row)) for row in rows).encode()

    return StreamingResponse(lines(), media_type="text/csv; charset=utf-8", headers=named("documentos.csv"))


async def export_xlsx(page_request: PageRequest, documents: DocumentServices) -> Response:
    """Send the selection as a workbook, page by page."""
    filters = await _selection(page_request, documents, MAX_ROWS)

    async def pieces() -> AsyncIterator[bytes]:
        book = WorkbookStream(SHEET, HEAD)
        async for rows in _pages(page_request, documents, filters, MAX_ROWS):
            yield book.add(map(cells, rows))
        yield book.close()

    return StreamingResponse(pieces(), media_type=XLSX, headers=named("documentos.xlsx"))


async def export_zip(page_request: PageRequest, documents: DocumentServices, stamping: StampingServices) -> Response:
    """Send the XML of the selection, and with `pdf` also the PDF, in a ZIP that is written while it is sent."""
    with_pdf = bool(page_request.query("pdf"))
    most = MAX_PRINTED if with_pdf else MAX_DOCUMENTS
    filters = await _selection(page_request, documents, most)

    async def pieces() -> AsyncIterator[bytes]:
        archive = ZipStream()
        async for rows in _pages(page_request, documents, filters, most, with_documents=True):
            for row in rows:
                if row.damage == DAMAGED_DOCUMENT:
                    yield archive.add(f"{row.stamp.uuid}.txt", row.damage.encode())
                    continue
                yield archive.add(f"{row.stamp.uuid}.xml", row.cfdi)
                if with_pdf:
                    yield await printed(row, archive)
        yield archive.close()

    async def printed(row: ListedDocument, archive: ZipStream) -> bytes:
        record = await page_request.pools.run_database(stamping.stamps.by_uuid, row.stamp.uuid)
        if record is None:
            return b""
        try:
            pages = page_request.verification_pages
            content = (await documents.printing.print_stored(page_request.pools.account, record, pages)).pdf
        except ServiceError as error:
            return archive.add(f"{row.stamp.uuid}.txt", f"No hay PDF: {error}".encode())
        return archive.add(f"{row.stamp.uuid}.pdf", content)

    return StreamingResponse(pieces(), media_type="application/zip", headers=named("documentos.zip"))


async def _selection(page_request: PageRequest, documents: DocumentServices, most: int) -> StampFilter:
    """Return the selection of the query string, of which a form may choose documents.

    Raises:
        ServiceError: "TB4005" when it has more than `most` documents, or for a field that cannot be searched.
    """
    filters = filter_of(page_request, fields_of_search(page_request))
    if page_request.request.method == "POST":
        filters = replace(filters, uuids=chosen_documents(await page_request.form()))
    if await page_request.pools.run_database(documents.listing.count, filters, most + 1) > most:
        raise ServiceError("TB4005", f"La selección tiene más de {most:,} documentos; acote el periodo.")
    return filters


async def _pages(
    page_request: PageRequest,
    documents: DocumentServices,
    filters: StampFilter,
    most: int,
    *,
    with_documents: bool = False,
) -> AsyncIterator[list[ListedDocument]]:
    """Yield the pages of a selection; each is read in a database thread while the client takes the one before."""
    pages: Iterator[list[ListedDocument]] = documents.listing.pages(filters, most, with_documents=with_documents)
    while (rows := await page_request.pools.run_database(next, pages, None)) is not None:
        yield rows


def named(name: str) -> dict[str, str]:
    """Return the headers of a download."""
    return {"Content-Disposition": f'attachment; filename="{name}"'}


PAGES = tuple(
    Page(method, f"{PATH}/exportar/{name}", export, scope=READ)
    for name, export in (("csv", export_csv), ("xlsx", export_xlsx), ("zip", export_zip))
    for method in ("GET", "POST")
)
