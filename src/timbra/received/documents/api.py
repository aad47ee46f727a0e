"""Endpoints of stored documents: lists, sums, changes, one document with its findings, and exports."""

from __future__ import annotations

from starlette.responses import Response

from timbra.cfdi.uuid_text import canonical_uuid
from timbra.core.errors import ServiceError
from timbra.database.pagination import MAX_PAGE_SIZE
from timbra.received.documents.exports import CHANGES, MAX_DOCUMENTS, MEDIA_TYPES, export
from timbra.received.documents.models import DocumentFilter, ReceivedDocument
from timbra.received.documents.selection import CHOICES, PARAMETERS, selection_of
from timbra.received.documents.serializers import (
    change_page_answer,
    document_page_answer,
    examined_answer,
    totals_answer,
)
from timbra.received.documents.store import DocumentStore
from timbra.web.envelopes import success
from timbra.web.framework.operation import Parameter
from timbra.web.framework.operation_group import OperationGroup
from timbra.web.framework.query_limit import limit_parameter, read_limit
from timbra.web.framework.request_context import RequestContext, json_response

EXPORTS = {"documents.csv": "csv", "documents.xlsx": "xlsx", "documents.zip": "zip"}


async def list_documents(request: RequestContext, store: DocumentStore) -> Response:
    """Answer with a page of a selection, newest issue first."""
    limit, cursor = read_limit(request.query("limit"), MAX_PAGE_SIZE), request.query("cursor") or None
    page = await request.run_for_account(store.lists.page, _selection(request), cursor, limit)
    return json_response(success(document_page_answer(page)))


async def totals(request: RequestContext, store: DocumentStore) -> Response:
    """Answer with the sums of a selection."""
    found = await request.run_for_account(store.lists.totals, _selection(request))
    return json_response(success(totals_answer(found)))


async def changes(request: RequestContext, store: DocumentStore) -> Response:
    """Answer with a page of what changed."""
    kind, cursor = request.query("event") or "", request.query("cursor") or None
    if kind and kind not in CHANGES:
        raise ServiceError("TB4005", f"event: uno de {', '.join(CHANGES)}.")
    limit = read_limit(request.query("limit"), MAX_PAGE_SIZE)
    found, following = await request.run_for_account(store.lists.changes, kind, cursor, limit)
    return json_response(success(change_page_answer(found, following)))


async def read(request: RequestContext, store: DocumentStore) -> Response:
    """Answer with a document and the findings of its validation."""
    document = await _find(request, store)
    findings = await request.pools.run_database(store.findings, document.id)
    return json_response(success(examined_answer(document, findings)))


async def xml(request: RequestContext, store: DocumentStore) -> Response:
    """Answer with the XML as it was delivered."""
    document = await _find(request, store)
    content = await request.run_for_account(store.xml, document.uuid)
    if content is None:
        raise ServiceError("TB4041", "El SAT no ha entregado el XML de ese documento.")
    return Response(content, media_type="application/xml")


async def download(request: RequestContext, store: DocumentStore) -> Response:
    """Answer with a selection as a file."""
    name = request.parameters["file"].lower()
    if name not in EXPORTS:
        raise ServiceError("TB4041", f"Los archivos son {', '.join(EXPORTS)}.")
    account_id, run = request.caller.account_id, request.pools.run_database
    return await export(EXPORTS[name], request.headers, store, account_id, _selection(request), run)


def _selection(request: RequestContext) -> DocumentFilter:
    return selection_of({name: request.query(name) or "" for name in PARAMETERS})


async def _find(request: RequestContext, store: DocumentStore) -> ReceivedDocument:
    uuid = canonical_uuid(request.parameters["uuid"])
    document = await request.run_for_account(store.find, uuid) if uuid else None
    if document is None:
        raise ServiceError("TB4041", "La cuenta no tiene ese documento.")
    return document


operation = OperationGroup("received", "/received").build
_SELECTION = tuple(
    Parameter(name, "query", text, tuple(filter(None, CHOICES.get(name, ())))) for name, text in PARAMETERS.items()
)
_PAGE = (
    Parameter("cursor", "query", "`cursor` of the previous page; the first page has none."),
    limit_parameter(MAX_PAGE_SIZE),
)

OPERATIONS = (
    operation(
        "documents-list",
        "GET",
        "/documents",
        list_documents,
        "List stored documents, newest issue first",
        "StoredDocumentPage",
        description="Documents of the SAT's bulk download, of uploads and of suppliers, one for each UUID.",
        parameters=(*_SELECTION, *_PAGE),
    ),
    operation(
        "documents-totals",
        "GET",
        "/totals",
        totals,
        "Add the totals of stored documents by kind and currency",
        "StoredTotals",
        parameters=_SELECTION,
    ),
    operation(
        "changes",
        "GET",
        "/changes",
        changes,
        "List what changed of stored documents, newest first",
        "DocumentChangePage",
        description="Cancellations, cancellations that wait for the receiver, issuers that enter or leave the list of "
        "article 69-B, and differing XML.",
        parameters=(Parameter("event", "query", "A kind of events.", tuple(CHANGES)), *_PAGE),
    ),
    operation(
        "documents-export",
        "GET",
        "/exports/{file}",
        download,
        "Download a selection of stored documents",
        "file",
        description=f"`file`: {', '.join(f'`{name}`' for name in EXPORTS)}, of at most {MAX_DOCUMENTS:,} XML.",
        parameters=_SELECTION,
        media_types=tuple(media_type.partition(";")[0] for media_type in MEDIA_TYPES.values()),
    ),
    operation(
        "documents-read", "GET", "/documents/{uuid}", read, "Read a stored document with its findings", "StoredDocument"
    ),
    operation(
        "documents-xml",
        "GET",
        "/documents/{uuid}/xml",
        xml,
        "Download the XML of a stored document",
        "file",
        media_types=("application/xml",),
    ),
)
