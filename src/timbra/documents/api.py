"""Stored CFDI: the record of one stamp, and the files behind its links."""

from __future__ import annotations

from starlette.responses import Response

from timbra.core.errors import ServiceError
from timbra.documents.build import DocumentServices
from timbra.documents.stored_cfdi_serializers import (
    ADDENDA,
    CANCELLATION,
    PDF,
    XML,
    addenda_of,
    stored_cfdi_answer,
)
from timbra.web.framework.base_url import base_url, verification_pages
from timbra.web.framework.operation import Operation, OperationAccess, Parameter
from timbra.web.framework.request_context import RequestContext, json_response

FILES = "/datawarehouse/v1/files"
# A document that others wrote must not run in a browser as a page of this server.
GUARDED = {
    "Content-Security-Policy": "default-src 'none'; sandbox",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "private, no-store",
    "Referrer-Policy": "no-referrer",
}


async def live(request: RequestContext, services: DocumentServices) -> Response:
    """Answer with the record of one stamp, with links to its files."""
    stored = await request.pools.run_database(services.storage.read, request.caller, request.parameters["uuid"])
    if request.environment.is_production and not request.environment.public_url:
        # The Host header is the client's: a link for it would carry the signature to any host.
        raise ServiceError("TB4006", "Los enlaces a los archivos necesitan TIMBRA_PUBLIC_URL.")
    base = base_url(request)

    def link(name: str) -> str:
        return base + services.signed_links.sign(f"{FILES}/{stored.record.uuid}/{name}")

    def answer() -> object:
        return stored_cfdi_answer(stored, link, f"{base}{request.scope['path']}")

    return json_response(await request.pools.run_database(answer))


async def file(request: RequestContext, services: DocumentServices) -> Response:
    """Answer with one file of a stored CFDI, by its signed link.

    Raises:
        ServiceError: "TB4041" when the CFDI has no such file, and those of the check of the link.
    """
    uuid, name = request.parameters["uuid"].lower(), request.parameters["name"].lower()
    await request.pools.run_database(
        services.signed_links.check,
        f"{FILES}/{uuid}/{name}",
        request.query("expires") or "",
        request.query("signature") or "",
    )
    record = await request.pools.run_database(services.storage.of_any_account, uuid)
    if name == PDF:
        # The request counts against the account that made the link.
        printed = await services.printing.print_stored(str(record.account_id), record, verification_pages(request))
        return _file(printed.pdf, "application/pdf", printed.file_name)
    if name == XML:
        return _file(record.cfdi, "application/xml", f"{uuid}.xml")
    content: bytes | None = None
    if name == CANCELLATION:
        content = await request.pools.run_database(services.storage.cancellation, record)
    elif name == ADDENDA:
        content = await request.pools.run_database(lambda: addenda_of(services.storage.parse(record)))
    if content is None:
        raise ServiceError("TB4041")
    return _file(content, "application/xml", f"{uuid}-{name}")


def _file(content: bytes, media_type: str, name: str) -> Response:
    headers = GUARDED | {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(content, headers=headers, media_type=media_type)


OPERATIONS = (
    Operation(
        name="storage-live",
        method="GET",
        paths=("/datawarehouse/v1/live/{uuid}",),
        endpoint=live,
        summary="One stored CFDI or retención, with links to its XML and PDF",
        description="The links need no token and last 72 hours.",
        tag="storage",
        answer="StoredCfdi",
    ),
    Operation(
        name="storage-file",
        method="GET",
        paths=(f"{FILES}/{{uuid}}/{{name}}",),
        endpoint=file,
        summary="A file of a stored CFDI, by its link",
        tag="storage",
        answer="file",
        media_types=("application/xml", "application/pdf"),
        access=OperationAccess.PUBLIC,
        parameters=(
            Parameter("expires", "query", "When the link expires, Unix time in seconds.", required=True),
            Parameter("signature", "query", "Signature of the path and the expiry.", required=True),
        ),
    ),
)
