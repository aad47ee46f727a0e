"""Exports of a selection of documents: CSV, XLSX, and ZIP of the XML or of XML and PDF."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from dataclasses import replace

from starlette.responses import Response

from timbra.core.errors import ServiceError
from timbra.core.scopes import READ
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
from timbra.web.table_exports import CSV, XLSX, ZIP, Piece, csv_pieces, in_threads, send_pieces, workbook_pieces

MAX_DOCUMENTS = 10_000
MAX_PRINTED = 300
SHEET = "Documentos"


async def export_csv(page_request: PageRequest, documents: DocumentServices) -> Response:
    """Send the selection as CSV, page by page."""
    filters = await _selection(page_request, documents, None)
    return _send(page_request, csv_pieces(HEAD, documents.listing.pages(filters), cells), "documentos.csv", CSV)


async def export_xlsx(page_request: PageRequest, documents: DocumentServices) -> Response:
    """Send the selection as a workbook, page by page."""
    filters = await _selection(page_request, documents, None)
    pieces = workbook_pieces(SHEET, HEAD, documents.listing.pages(filters), cells)
    return _send(page_request, pieces, "documentos.xlsx", XLSX)


async def export_zip(page_request: PageRequest, documents: DocumentServices, stamping: StampingServices) -> Response:
    """Send the XML of the selection, and with `pdf` also the PDF, in a ZIP that is written while it is sent."""
    with_pdf = bool(page_request.query("pdf"))
    most = MAX_PRINTED if with_pdf else MAX_DOCUMENTS
    filters = await _selection(page_request, documents, most)

    async def pieces() -> AsyncIterator[Piece]:
        archive = ZipStream()
        pages = documents.listing.pages(filters, most, with_documents=True)
        async for rows in in_threads(page_request.pools.run_database, pages):
            for row in rows:
                if row.damage == DAMAGED_DOCUMENT:
                    yield 1, archive.add(f"{row.stamp.uuid}.txt", row.damage.encode())
                    continue
                archive.write(f"{row.stamp.uuid}.xml", row.cfdi)
                if with_pdf:
                    await add_print(row, archive)
                yield 1, archive.take()
        yield 0, archive.close()

    async def add_print(row: ListedDocument, archive: ZipStream) -> None:
        record = await page_request.pools.run_database(stamping.stamps.by_uuid, row.stamp.uuid)
        if record is None:
            return
        try:
            pages = page_request.verification_pages
            content = (await documents.printing.print_stored(page_request.pools.account, record, pages)).pdf
        except ServiceError as error:
            archive.write(f"{row.stamp.uuid}.txt", f"No hay PDF: {error}".encode())
        else:
            archive.write(f"{row.stamp.uuid}.pdf", content)

    return send_pieces(page_request.request.headers, pieces(), "documentos.zip", ZIP)


async def _selection(page_request: PageRequest, documents: DocumentServices, most: int | None) -> StampFilter:
    """Return the selection of the query string, of which a form may choose documents.

    Raises:
        ServiceError: "TB4005" when it has more than `most` documents, or for a field that cannot be searched.
    """
    filters = filter_of(page_request, fields_of_search(page_request))
    if page_request.request.method == "POST":
        filters = replace(filters, uuids=chosen_documents(await page_request.form()))
    if most is None:
        await page_request.pools.run_database(documents.listing.check_complete, filters)
    elif await page_request.pools.run_database(documents.listing.count, filters, most + 1) > most:
        raise ServiceError("TB4005", f"La selección tiene más de {most:,} documentos; acote el periodo.")
    return filters


def _send(page_request: PageRequest, pieces: Iterator[Piece], name: str, media_type: str) -> Response:
    threaded = in_threads(page_request.pools.run_database, pieces)
    return send_pieces(page_request.request.headers, threaded, name, media_type)


PAGES = tuple(
    Page(method, f"{PATH}/exportar/{name}", export, scope=READ)
    for name, export in (("csv", export_csv), ("xlsx", export_xlsx), ("zip", export_zip))
    for method in ("GET", "POST")
)
