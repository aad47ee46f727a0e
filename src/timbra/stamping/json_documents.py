"""JSON bodies of the routes that issue: a document as JSON, or XML inside JSON."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import quote

import structlog

from timbra.cfdi.from_json import JsonConversion, JsonDocuments
from timbra.core.errors import ServiceError
from timbra.stamping.models import DocumentKind
from timbra.stamping.services import StampingServices
from timbra.web.framework.request_context import RequestContext
from timbra.web.injection import Groups
from timbra.web.parsing.decoding import xml_bytes
from timbra.web.parsing.json_body import json_object, lower_keys

JSON_CFDI = "application/jsontoxml"
IGNORED_KEYS_HEADER = "X-Timbra-Ignored-Keys"
HEADER_SAFE = "/[]:@#-_."
"""Characters of a path that the header shows as they are; others are percent-encoded."""
MAX_REPORTED_KEYS = 20

log: structlog.stdlib.BoundLogger = structlog.get_logger("timbra.api")


async def json_document(
    request: RequestContext, services: StampingServices, kind: DocumentKind, *, base64: bool
) -> bytes:
    """Return the XML of a JSON body; a costly one is converted in a child process.

    Args:
        request: the request; a header of its response names the keys that are not part of the document.
        kind: the kind of document of the route.
        base64: whether XML inside JSON is base64 by the path.

    Raises:
        ServiceError: see `convert_json`.
    """
    body = await request.body()
    is_document = request.content_type.lower().startswith(JSON_CFDI)
    if services.processes is None or not services.processes.is_costly(body):
        conversion = convert_json(services.json_documents, kind, body, is_document=is_document, base64=base64)
    else:
        account = str(request.caller.account_id)
        conversion = await services.processes.run(
            account, None, convert_in_child, kind, body, is_document, base64, size=len(body)
        )
    if conversion.ignored_keys:
        _report_ignored_keys(request, conversion.ignored_keys)
    return conversion.xml


def convert_in_child(
    groups: Groups, kind: DocumentKind, body: bytes, is_document: bool, base64: bool
) -> JsonConversion:
    """Convert a JSON body; runs in the child."""
    services: StampingServices = groups[StampingServices]()
    return convert_json(services.json_documents, kind, body, is_document=is_document, base64=base64)


def convert_json(
    documents: JsonDocuments, kind: DocumentKind, body: bytes, *, is_document: bool, base64: bool
) -> JsonConversion:
    """Return the XML of a JSON body.

    Args:
        documents: converts documents that are written as JSON.
        is_document: whether the Content-Type says that the body is such a document; otherwise it may be XML in `data`.
        base64: whether XML in `data` is base64.

    Raises:
        ServiceError: those of the conversion; "TB4004" for other bodies than JSON.
    """
    if not is_document:
        members = json_object(body)
        if {name.lower() for name in members} == {"data"}:
            return JsonConversion(_unwrapped(members, base64=base64), ())
    return documents.retencion(body) if kind is DocumentKind.RETENCIONES else documents.invoice(body)


def _report_ignored_keys(request: RequestContext, keys: Sequence[str]) -> None:
    """Name the keys that are not part of the document in a response header and in the request log."""
    shown = [quote(key, safe=HEADER_SAFE) for key in keys[:MAX_REPORTED_KEYS]]
    request.response_headers[IGNORED_KEYS_HEADER] = ", ".join(shown)
    log.info("json keys ignored", count=len(keys), keys=shown)


def _unwrapped(members: dict[str, object], *, base64: bool) -> bytes:
    """The XML of `{"data": ...}`, as text or base64 by the same rules as an uploaded file."""
    data = lower_keys(members)["data"]
    if not isinstance(data, str):
        raise ServiceError("xml-missing")
    return xml_bytes(data.encode("utf-8", "surrogatepass"), base64=base64)
