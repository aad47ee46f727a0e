"""Exports of a selection of stored documents: CSV, workbook, ZIP of the XML; and of changes as CSV."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Final

from starlette.responses import Response

from timbra.core.clock import to_central_mexico
from timbra.core.errors import ServiceError
from timbra.core.spreadsheets import Cell
from timbra.core.zip_stream import ZipStream
from timbra.received.documents.models import (
    CANCELLED_EVENT,
    DIFFERENT_EVENT,
    LISTED_EVENT,
    PENDING_EVENT,
    DocumentChange,
    DocumentFilter,
    ReceivedDocument,
)
from timbra.received.documents.store import DocumentStore
from timbra.received.view import RESULT_BADGES
from timbra.stamps.port import RETENCION
from timbra.web.portal.views.formatting import document_kind
from timbra.web.table_exports import (
    CSV,
    XLSX,
    ZIP,
    Piece,
    RunDatabase,
    csv_pieces,
    in_threads,
    send_pieces,
    workbook_pieces,
)

MAX_DOCUMENTS: Final = 10_000
"""Of an archive, whose directory stays in memory until its end."""
MEDIA_TYPES: Final = {"csv": CSV, "xlsx": XLSX, "zip": ZIP}
HEAD: Final = (
    "Folio fiscal",
    "Estado",
    "Cancelado",
    "Cancelación",
    "Tipo",
    "Serie",
    "Folio",
    "Fecha",
    "Timbrado",
    "RFC emisor",
    "Nombre emisor",
    "RFC receptor",
    "Nombre receptor",
    "Total",
    "Moneda",
    "XML",
    "Revisión",
    "Errores",
    "Avisos",
    "69-B",
)
CHANGE_HEAD: Final = ("Momento", "Cambio", "Folio fiscal", "RFC emisor", "RFC receptor", "Total", "Detalle")
CHANGES: Final[Mapping[str, str]] = {
    CANCELLED_EVENT: "El emisor canceló la factura",
    PENDING_EVENT: "La cancelación espera su respuesta",
    LISTED_EVENT: "Cambió la situación 69-B del emisor",
    DIFFERENT_EVENT: "Llegó otro XML con el mismo folio fiscal",
}
"""Kinds of changes with their texts."""


async def export(
    name: str,
    headers: Mapping[str, str],
    store: DocumentStore,
    account_id: int,
    filters: DocumentFilter,
    run_database: RunDatabase,
) -> Response:
    """Return a selection as a file.

    Args:
        name: `csv`, `xlsx` or `zip`.
        headers: Of the request.

    Raises:
        ServiceError: "TB4005" when an archive would have too many documents.
    """
    pages = store.lists.pages(account_id, filters)
    if name == "csv":
        pieces = csv_pieces(HEAD, pages, cells)
    elif name == "xlsx":
        pieces = workbook_pieces("Documentos", HEAD, pages, cells)
    else:
        if not (await run_database(store.lists.found, account_id, filters, MAX_DOCUMENTS)).is_exact:
            raise ServiceError("TB4005", f"La selección tiene más de {MAX_DOCUMENTS:,} documentos; acote el periodo.")
        pieces = _archive(store, account_id, pages)
    return send_pieces(headers, in_threads(run_database, pieces), f"recibidos.{name}", MEDIA_TYPES[name])


def _archive(store: DocumentStore, account_id: int, pages: Iterator[Sequence[ReceivedDocument]]) -> Iterator[Piece]:
    archive = ZipStream()
    for rows in pages:
        for uuid, xml in store.xml_of(account_id, [each.uuid for each in rows if each.has_xml]):
            archive.write(f"{uuid}.xml", xml)
        yield len(rows), archive.take()
    yield 0, archive.close()


def export_changes(
    headers: Mapping[str, str], store: DocumentStore, account_id: int, kind: str, run_database: RunDatabase
) -> Response:
    """Return the changes, newest first, as CSV."""
    pieces = csv_pieces(CHANGE_HEAD, store.lists.change_pages(account_id, kind), change_cells)
    return send_pieces(headers, in_threads(run_database, pieces), "cambios.csv", CSV)


def kind_of(document: ReceivedDocument) -> str:
    """Return TipoDeComprobante; that of a retención for one."""
    return RETENCION if document.kind == "retenciones" else document.tipo_de_comprobante or ""


def cells(document: ReceivedDocument) -> Sequence[Cell]:
    """Return the cells of a document, in the order of `HEAD`."""
    return (
        document.uuid,
        document.status or "",
        document.cancelled_at or "",
        document.cancellation or "",
        document_kind(kind_of(document)),
        document.serie or "",
        document.folio or "",
        document.fecha,
        document.fecha_timbrado,
        document.issuer_rfc,
        document.issuer_name,
        document.receiver_rfc,
        document.receiver_name,
        Decimal(document.total) if document.total else "",
        document.moneda or "",
        "sí" if document.has_xml else "no",
        RESULT_BADGES[document.result][0] if document.has_xml else "",
        "" if document.errors is None else document.errors,
        "" if document.warnings is None else document.warnings,
        document.article_69b or "",
    )


def change_cells(change: DocumentChange) -> Sequence[Cell]:
    """Return the cells of a change, in the order of `CHANGE_HEAD`."""
    body = change.body
    total = body.get("total")
    return (
        to_central_mexico(change.at),
        CHANGES.get(change.kind, change.kind),
        str(body.get("uuid") or ""),
        str(body.get("issuerRfc") or ""),
        str(body.get("receiverRfc") or ""),
        Decimal(str(total)) if total else "",
        detail_of(change),
    )


def detail_of(change: DocumentChange) -> str:
    """Return what a change consists of, in Spanish."""
    body = change.body
    if change.kind == LISTED_EVENT:
        before, now = (str(body.get(name) or "fuera de la lista") for name in ("before", "situation"))
        return f"Antes: {before}. Ahora: {now}. Documentos: {body.get('documents')}."
    if change.kind == CANCELLED_EVENT and body.get("cancelledAt"):
        return f"Cancelada el {body['cancelledAt']}."
    if change.kind == DIFFERENT_EVENT:
        kept = "se guardó el del SAT" if body.get("outcome") == "replaced" else "se conservó el anterior"
        return f"Lo entregó {body.get('source')}; {kept}."
    return ""
