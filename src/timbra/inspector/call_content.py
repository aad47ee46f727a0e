"""What is stored of a call: its row, and headers, bodies and finding without secrets."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from html import unescape
from typing import Any, Final

import orjson

from timbra.cfdi.header_reader import DocumentHeader
from timbra.cfdi.rfc import is_rfc
from timbra.core.text import storable
from timbra.inspector.bodies import RecordedBody, is_xml, record_body, xml_in
from timbra.inspector.masking import mask_headers, mask_query, mask_text
from timbra.inspector.store import ApiCall
from timbra.rejections.log import place_of
from timbra.web.captured_call import CapturedCall

MAX_TEXT: Final = 2_000
CONTENT_TYPE: Final = "content-type"
_UUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_BEFORE_UUID = ('"uuid":"', 'UUID=\\"', 'UUID="')
"""Text before the folio fiscal of an answer: in JSON, in XML inside of JSON, and in XML."""
_ROOT = re.compile(r"<(?:[\w.-]+:)?(?:Comprobante|Retenciones)\s[^>]*")
_NUMBER = re.compile(r"""\s(Serie|Folio|FolioInt)=["']([^"'<]*)""")
_PARTIES = (
    re.compile(r"""<(?:[\w.-]+:)?Emisor\s[^>]*?\b(?:Rfc|RfcE|RFCEmisor)=["']([^"'<]*)"""),
    re.compile(r"""<(?:[\w.-]+:)?(?:Receptor|Nacional)\s[^>]*?\b(?:Rfc|RfcR|RFCRecep)=["']([^"'<]*)"""),
)
_FIRST_CHARACTERS = 64 * 1024
Pairs = Sequence[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class CallContent:
    """The stored content of a call.

    Attributes:
        user: The user of the token.
        query: The query string.
        detail: Detail of the error; empty without one.
        place: Path of the finding in the document; None without one.
        found, expected: Of the finding.
    """

    user: str
    query: str
    request_headers: Pairs
    response_headers: Pairs
    request: RecordedBody
    response: RecordedBody
    detail: str = ""
    place: str | None = None
    found: str | None = None
    expected: str | None = None

    @property
    def request_xml(self) -> str | None:
        """The XML document of the request; None without one."""
        return xml_in(self.request, header_value(self.request_headers, CONTENT_TYPE))

    @property
    def response_xml(self) -> str | None:
        """The XML document of the answer; None without one."""
        return xml_in(self.response, header_value(self.response_headers, CONTENT_TYPE))


def content_of(at: datetime, call: CapturedCall) -> tuple[ApiCall, bytes]:
    """Return the row of a call and its content, both without secrets. `at`: Wall instant of the answer."""
    request_headers, response_headers = mask_headers(call.request_headers), mask_headers(call.response_headers)
    path = storable(mask_text(call.path), MAX_TEXT)
    request = record_body(call.request_body, call.request_bytes, header_value(request_headers, CONTENT_TYPE), call.path)
    response = record_body(
        call.response_body, call.response_bytes, header_value(response_headers, CONTENT_TYPE), call.path
    )
    error = call.error
    place = None if error is None else place_of(error)
    content = CallContent(
        user=call.user,
        query=storable(mask_query(call.query.decode("latin-1")), MAX_TEXT),
        request_headers=[(storable(name), storable(value, MAX_TEXT)) for name, value in request_headers],
        response_headers=[(storable(name), storable(value, MAX_TEXT)) for name, value in response_headers],
        request=request,
        response=response,
        detail=_masked(error.detail if error else None) or "",
        place=_masked(place.path) if place else None,
        found=_masked(place.found) if place else None,
        expected=_masked(place.expected) if place else None,
    )
    header = document_header(content, call.path)
    row = ApiCall(
        account_id=call.account_id,
        at=at,
        request_id=call.request_id,
        method=storable(call.method, 20),
        path=path,
        operation=call.operation,
        status=call.status,
        code=call.code,
        microseconds=call.microseconds,
        request_bytes=call.request_bytes,
        response_bytes=call.response_bytes,
        issuer_rfc=header.issuer_rfc,
        receiver_rfc=header.receiver_rfc,
        keywords=_keywords(call, path, content, header),
    )
    return row, orjson.dumps(content)


def read_content(stored: bytes) -> CallContent:
    values: dict[str, Any] = orjson.loads(stored)
    for name in ("request", "response"):
        values[name] = RecordedBody(**values[name])
        values[f"{name}_headers"] = [(key, value) for key, value in values[f"{name}_headers"]]
    return CallContent(**values)


def header_value(headers: Pairs, name: str) -> str:
    """Return the value of a header; empty when it is absent.

    Args:
        headers: Names and values.
        name: Name in lower case.
    """
    return next((value for key, value in headers if key.lower() == name), "")


def _masked(text: str | None) -> str | None:
    return None if text is None else storable(mask_text(text), MAX_TEXT)


def document_header(content: CallContent, path: str) -> DocumentHeader:
    """Return parties, serie and folio of the document of a request: XML, JSON, or an RFC in the path."""
    text = content.request.text
    start = text.find("<")
    beginning = text[start : start + _FIRST_CHARACTERS] if start >= 0 else ""
    xml = beginning if is_xml(beginning) else content.request_xml
    if xml is not None:
        return _xml_header(xml[:_FIRST_CHARACTERS])
    for document in _json_documents(text):
        issuer = _rfc(document.get("Emisor")) or _rfc(document)
        if issuer:
            serie, folio = (storable(str(document.get(name) or ""), 50) for name in ("Serie", "Folio"))
            return DocumentHeader(issuer, _rfc(document.get("Receptor")), serie, folio)
    segments = (segment.upper() for segment in path.split("/"))
    return DocumentHeader(next((segment for segment in segments if is_rfc(segment)), ""))


def _xml_header(beginning: str) -> DocumentHeader:
    """Return parties, serie and folio by the first elements and attributes of these names.

    The values are for the filters of a list only: a parser would cost more than the rest of the recording.
    """
    root = _ROOT.search(beginning)
    names = dict(_NUMBER.findall(root[0])) if root else {}
    parties = [pattern.search(beginning) for pattern in _PARTIES]
    issuer, receiver = (found[1] if found and is_rfc(found[1]) else "" for found in parties)
    serie, folio = names.get("Serie", ""), names.get("Folio") or names.get("FolioInt", "")
    return DocumentHeader(issuer, receiver, storable(unescape(serie), 50), storable(unescape(folio), 50))


def _json_documents(text: str) -> Iterator[Mapping[str, Any]]:
    if text[:1] != "{":
        return
    try:
        content = orjson.loads(text)
    except orjson.JSONDecodeError:
        return
    if isinstance(content, dict):
        yield content
        yield from (value for value in content.values() if isinstance(value, dict))


def _rfc(party: object) -> str:
    if not isinstance(party, dict):
        return ""
    rfc = str(party.get("Rfc") or party.get("rfc") or "").upper()
    return rfc if is_rfc(rfc) else ""


def uuid_in(text: str) -> str:
    """Return the folio fiscal of an answer; empty without one."""
    for marker in _BEFORE_UUID:
        place = text.find(marker)
        if place >= 0 and (found := _UUID.match(text, place + len(marker))) is not None:
            return found[0]
    return ""


def _keywords(call: CapturedCall, path: str, content: CallContent, header: DocumentHeader) -> str:
    """Return what the search finds a call by, in lower case."""
    message = ""
    if call.code and content.response.text[:1] == "{":
        answered = next(iter(_json_documents(content.response.text)), {})
        message = f"{answered.get('message') or ''} {answered.get('messageDetail') or ''}"
    words = (
        path,
        content.query,
        call.request_id,
        call.code,
        header.issuer_rfc,
        header.receiver_rfc,
        f"{header.serie}{header.folio}",
        f"{header.serie} {header.folio}",
        uuid_in(content.response.text),
        message,
    )
    return storable(" ".join(word for word in words if word.strip()).lower(), MAX_TEXT)
