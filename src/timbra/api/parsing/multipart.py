"""The `xml` part of a multipart body, read from the raw bytes and as tolerant as real clients need.

Accepted (RFC 2046 and what clients send): quoted or bare boundary, text before the first and after the last delimiter
(one client nests a multipart and declares the inner boundary only), no line end after the last delimiter, part headers
in any order, unquoted parameters, any or no file name. Bare LF is accepted wherever CRLF is due.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from timbra.errors import ServiceError

MAX_BOUNDARY = 200
MAX_PARTS = 32
MAX_HEADER_BYTES = 8192

_PARAMETER = re.compile(rb';\s*([^\s=;"]+)[ \t]*=[ \t]*(?:"((?:[^"\\]|\\.)*)"|([^\s;"]*))', re.DOTALL)
_QUOTED_PAIR = re.compile(rb"\\(.)", re.DOTALL)
_DISPOSITION = re.compile(rb"(?:\A|\n)content-disposition[ \t]*:([^\n]*(?:\n[ \t][^\n]*)*)", re.IGNORECASE)
_BLANK_LINE = re.compile(rb"\r?\n\r?\n")
_EMPTY_LINE = re.compile(rb"\r?\n")
_LINE_END = re.compile(rb"[ \t]*(?:\r?\n|\Z)")


def xml_part(body: bytes, content_type: str) -> bytes:
    """The content of the part named `xml`, untouched.

    Raises ServiceError: `xml-missing` when no such part is there or it is empty, `TB4003` when the body is no complete
    multipart of the declared boundary or carries two such parts.
    """
    boundary = declared_boundary(content_type)
    if not body:
        raise ServiceError("xml-missing")
    found: bytes | None = None
    for headers, content in _parts(body, boundary):
        if _part_name(headers) != b"xml":
            continue
        if found is not None:
            raise _malformed("La petición trae dos partes con el nombre xml.")
        found = content
    if not found:
        raise ServiceError("xml-missing")
    return found


def declared_boundary(content_type: str) -> bytes:
    """The boundary that a Content-Type declares; ServiceError `xml-missing` when it is no multipart at all."""
    if not content_type[:10].lower() == "multipart/":
        raise ServiceError(
            "xml-missing", "Se espera el tipo de contenido multipart/form-data con una parte de nombre xml."
        )
    boundary = _parameter(content_type.encode("latin-1", "replace"), b"boundary") or b""
    if not 0 < len(boundary) <= MAX_BOUNDARY:
        raise _malformed("El tipo de contenido no declara un boundary válido.")
    return boundary


def _parts(body: bytes, boundary: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Every (header block, content) up to the closing delimiter."""
    delimiter = b"--" + boundary
    start, closing = _delimiter_line(body, delimiter, 0)[1:]
    for _ in range(MAX_PARTS):
        if closing:
            return
        content_start, headers = _header_block(body, start)
        end, start, closing = _delimiter_line(body, delimiter, content_start)
        yield headers, body[content_start:end]
    if not closing:
        raise _malformed(f"La petición trae más de {MAX_PARTS} partes.")


def _delimiter_line(body: bytes, delimiter: bytes, position: int) -> tuple[int, int, bool]:
    """The next line that is the delimiter: where the content before it ends, where it ends, whether it closes."""
    begin = position
    while (found := body.find(delimiter, begin)) >= 0:
        begin = found + 1
        if found > 0 and body[found - 1] != 0x0A:
            continue
        after = found + len(delimiter)
        closing = body.startswith(b"--", after)
        line_end = _LINE_END.match(body, after + 2 if closing else after)
        if line_end is None or (not closing and line_end.end() == len(body) and body[-1] != 0x0A):
            continue
        return max(position, _before_line_end(body, found)), line_end.end(), closing
    raise _malformed("El cuerpo multipart está incompleto: falta la línea del boundary declarado.")


def _before_line_end(body: bytes, position: int) -> int:
    """`position` without the line end just before it."""
    if body[position - 2 : position] == b"\r\n":
        return position - 2
    return max(position - 1, 0)


def _header_block(body: bytes, start: int) -> tuple[int, bytes]:
    """Where the content of a part starts, and the header lines before it."""
    if (leading := _EMPTY_LINE.match(body, start)) is not None:
        return leading.end(), b""
    blank = _BLANK_LINE.search(body, start, start + MAX_HEADER_BYTES)
    if blank is None:
        raise _malformed("Los encabezados de una parte no terminan o son demasiado largos.")
    return blank.end(), body[start : blank.start()]


def _part_name(headers: bytes) -> bytes | None:
    disposition = _DISPOSITION.search(headers)
    return _parameter(disposition[1], b"name") if disposition else None


def _parameter(header: bytes, name: bytes) -> bytes | None:
    """The value of a header parameter, quoted or bare; names compare without case."""
    for match in _PARAMETER.finditer(header):
        if match[1].lower() == name:
            return match[3] if match[2] is None else _QUOTED_PAIR.sub(rb"\1", match[2])
    return None


def _malformed(detail: str) -> ServiceError:
    return ServiceError("TB4003", detail)
