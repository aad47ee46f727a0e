"""Common functions of the signed requests: parse the root, check values, build the root."""

from __future__ import annotations

import re
from typing import NoReturn

from lxml import etree

from timbra.cfdi.document import DocumentParser, ParserLimits
from timbra.cfdi.uuid_text import canonical_uuid
from timbra.errors import ServiceError

CANCELACFD = "http://cancelacfd.sat.gob.mx"
MAX_FOLIOS = 500
MAX_REQUEST_BYTES = 512 * 1024
# Canonical XML sorts the namespaces of an element: a limit bounds the work.
MAX_NAMESPACES = 64
_PARSER = DocumentParser(ParserLimits(MAX_REQUEST_BYTES, max_depth=16, max_attributes=32))
_FECHA = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,7})?(Z|[+-][0-9]{2}:[0-9]{2})?\Z")
_NAMESPACES = {
    None: CANCELACFD,
    "xsd": "http://www.w3.org/2001/XMLSchema",
    "xsi": "http://www.w3.org/2001/XMLSchema-instance",
}


def read_root(xml: bytes, name: str) -> etree._Element:
    """The root of a request. ServiceError("request-unreadable") for what is no such document within the limits."""
    try:
        root = _PARSER.parse(xml).root
    except ServiceError as cause:
        raise ServiceError("request-unreadable", cause.detail) from cause
    if xml.count(b"xmlns") > MAX_NAMESPACES:
        reject_request(f"El documento declara más de {MAX_NAMESPACES} espacios de nombres.")
    if root.tag != tag(name):
        reject_request(f"La raíz debe ser {name} de {CANCELACFD}.")
    return root


def new_root(name: str, **attributes: str) -> etree._Element:
    """The root of a request."""
    # The stubs know no default namespace.
    root = etree.Element(tag(name), nsmap=_NAMESPACES)  # type: ignore[arg-type]
    for key, value in attributes.items():
        root.set(key, value)
    return root


def require_fecha(root: etree._Element) -> None:
    """ServiceError("request-unreadable") when the root carries no date and time."""
    if not _FECHA.match(root.get("Fecha") or ""):
        reject_request("La Fecha está mal formada.")


def parse_folio(text: str) -> str:
    """The folio in lower case. ServiceError("folio-invalid")."""
    uuid = canonical_uuid(text.strip())
    if uuid is None:
        raise ServiceError("folio-invalid", f"El folio {text[:40]!r} no es un UUID.")
    return uuid


def require_folio_count(count: int) -> None:
    """ServiceError("folios-many") for more than SAT takes at once, "request-empty" for none."""
    if count == 0:
        raise ServiceError("request-empty", "La solicitud no trae folios.")
    if count > MAX_FOLIOS:
        raise ServiceError("folios-many", f"La solicitud trae {count} folios; el máximo es {MAX_FOLIOS}.")


def reject_request(detail: str) -> NoReturn:
    raise ServiceError("request-unreadable", detail)


def tag(name: str) -> str:
    return f"{{{CANCELACFD}}}{name}"
