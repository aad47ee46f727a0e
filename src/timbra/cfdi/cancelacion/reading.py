"""Common functions of the signed requests: parse the root, check values, build the root."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NoReturn

from lxml import etree

from timbra.cfdi.document import RETENCIONES1, DocumentParser, ParserLimits
from timbra.cfdi.uuid_text import canonical_uuid
from timbra.core.errors import ServiceError

CANCELACFD = "http://cancelacfd.sat.gob.mx"
CANCELARETENCION = "http://cancelaretencion.sat.gob.mx"
"""Namespace of the SAT's acuses for retenciones; some programs write requests with it too."""
RETENCIONES_NAMESPACES = (RETENCIONES1, CANCELARETENCION)
"""Namespaces of requests for retenciones of any version, the one that is written first.

Source: Anexo 20 of RMF, rubro II.C.
"""
MAX_FOLIOS = 500
MAX_REQUEST_BYTES = 512 * 1024
MAX_NAMESPACES = 64
"""Limit that bounds the work of canonical XML, which sorts the namespaces of every element."""
_PARSER = DocumentParser(ParserLimits(MAX_REQUEST_BYTES, max_depth=16, max_attributes=32))
_FECHA = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,7})?(Z|[+-][0-9]{2}:[0-9]{2})?\Z")
_NAMESPACES = {
    "xsd": "http://www.w3.org/2001/XMLSchema",
    "xsi": "http://www.w3.org/2001/XMLSchema-instance",
}


def read_root(xml: bytes, name: str, namespaces: Sequence[str] = (CANCELACFD,)) -> etree._Element:
    """Parse a request and return its root.

    Args:
        xml: at most `MAX_REQUEST_BYTES`.
        name: local name that the root must have.
        namespaces: namespaces of which the root must have one.

    Raises:
        ServiceError: "request-unreadable" when it is not such a document or exceeds a limit.
    """
    try:
        root = _PARSER.parse(xml).root
    except ServiceError as cause:
        raise ServiceError("request-unreadable", cause.detail) from cause
    if xml.count(b"xmlns") > MAX_NAMESPACES:
        reject_request(f"El documento declara más de {MAX_NAMESPACES} espacios de nombres.")
    if root.tag not in [tag(name, namespace) for namespace in namespaces]:
        reject_request(f"La raíz debe ser {name} de {namespaces[0]}; es {root.tag[:200]}.")
    return root


def new_root(name: str, namespace: str = CANCELACFD, **attributes: str) -> etree._Element:
    """Create the root of a request with these attributes."""
    # The type stubs do not allow a default namespace.
    root = etree.Element(tag(name, namespace), nsmap={None: namespace, **_NAMESPACES})  # type: ignore[dict-item]
    for key, value in attributes.items():
        root.set(key, value)
    return root


def require_fecha(root: etree._Element) -> None:
    """Raise ServiceError("date-invalid") when the root has no valid Fecha."""
    if not _FECHA.match(root.get("Fecha") or ""):
        raise ServiceError("date-invalid", "La Fecha está mal formada.")


def parse_folio(text: str) -> str:
    """Return the folio in lower case; ServiceError("folio-invalid") when the text is not a UUID."""
    uuid = canonical_uuid(text.strip())
    if uuid is None:
        raise ServiceError("folio-invalid", f"El folio {text[:40]!r} no es un UUID.")
    return uuid


def require_folio_count(count: int) -> None:
    """Raise ServiceError("request-empty") for no folios, "folios-many" for more than `MAX_FOLIOS`."""
    if count == 0:
        raise ServiceError("request-empty", "La solicitud no trae folios.")
    if count > MAX_FOLIOS:
        raise ServiceError("folios-many", f"La solicitud trae {count} folios; el máximo es {MAX_FOLIOS}.")


def reject_request(detail: str) -> NoReturn:
    """Raise ServiceError("request-unreadable") with a Spanish detail."""
    raise ServiceError("request-unreadable", detail)


def tag(name: str, namespace: str = CANCELACFD) -> str:
    """Return the qualified name of an element of a cancellation namespace."""
    return f"{{{namespace}}}{name}"
