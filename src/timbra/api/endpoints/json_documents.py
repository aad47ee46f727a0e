"""JSON bodies of the routes that issue: a document as JSON, or XML inside JSON."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from urllib.parse import quote

import structlog

from timbra.api.framework.request_context import RequestContext
from timbra.api.parsing.decoding import xml_bytes
from timbra.api.parsing.json_body import json_object, lower_keys
from timbra.cfdi.from_json import JsonConversion
from timbra.errors import ServiceError

JSON_CFDI = "application/jsontoxml"
IGNORED_KEYS_HEADER = "X-Timbra-Ignored-Keys"
HEADER_SAFE = "/[]:@#-_."
"""Characters of a path that the header shows as they are; others are percent-encoded."""
MAX_REPORTED_KEYS = 20

log: structlog.stdlib.BoundLogger = structlog.get_logger("timbra.api")


async def json_document(request: RequestContext, convert: Callable[[bytes], JsonConversion], *, base64: bool) -> bytes:
    """Return the XML of a body; Content-Type, then the shape of the object, decides how it is written.

    Args:
        request: the request; a header of its response names the keys that are not part of the document.
        convert: converts a document that is written as JSON.
        base64: whether XML inside JSON is base64 by the path.

    Raises:
        ServiceError: those of the conversion; "TB4004" for other bodies than JSON, "xml-missing" for an empty object.
    """
    body = await request.body()
    if not request.content_type.lower().startswith(JSON_CFDI):
        members = json_object(body)
        if {name.lower() for name in members} == {"data"}:
            return _unwrapped(members, base64=base64)
        if not members:
            raise ServiceError("xml-missing", 'Falta el miembro "data", o los miembros del comprobante.')
    conversion = convert(body)
    if conversion.ignored_keys:
        _report_ignored_keys(request, conversion.ignored_keys)
    return conversion.xml


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
