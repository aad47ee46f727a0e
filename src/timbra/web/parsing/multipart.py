"""Parsing of multipart bodies from raw bytes, tolerant of the deviations of real clients.

Accepted (RFC 2046 and what clients send): quoted or bare boundary, text before the first and after the last delimiter
(one client nests a multipart and declares the inner boundary only), no line end after the last delimiter, part headers
in any order, parameters without quotes or in single ones, any or no file name. Names of parts match without case. Bare
LF is accepted wherever CRLF is due.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from mmap import mmap

from timbra.core.errors import ServiceError
from timbra.core.text import storable

MAX_BOUNDARY = 200
MAX_PARTS = 32
MAX_HEADER_BYTES = 8192
MAX_FILE_NAME = 200
Bytes = bytes | mmap

_PARAMETER = re.compile(
    rb';\s*([^\s=;"]+)[ \t]*=[ \t]*(?:"((?:[^"\\]|\\.)*)"|(\'[^\']*\'(?=\s*(?:;|\Z))|[^\s;"]*))', re.DOTALL
)
_QUOTED_PAIR = re.compile(rb"\\(.)", re.DOTALL)
_SINGLE_QUOTED = re.compile(rb"\A'(.*)'\Z", re.DOTALL)
_DISPOSITION = re.compile(rb"(?:\A|\n)content-disposition[ \t]*:([^\n]*(?:\n[ \t][^\n]*)*)", re.IGNORECASE)
_BLANK_LINE = re.compile(rb"\r?\n\r?\n")
_EMPTY_LINE = re.compile(rb"\r?\n")
_LINE_END = re.compile(rb"[ \t]*(?:\r?\n|\Z)")


def xml_part(body: bytes, content_type: str) -> bytes:
    """Return the content of the part named `xml`, unchanged.

    Args:
        content_type: The Content-Type header, with the boundary.

    Raises:
        ServiceError: "xml-missing" when the part is missing or empty; "TB4003" when the body is not a complete
            multipart body of the declared boundary, or has two such parts.
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
    """Return the boundary that a Content-Type declares.

    Raises:
        ServiceError: "xml-missing" when the type is not multipart; "TB4003" when the boundary is missing or too long.
    """
    if not content_type[:10].lower() == "multipart/":
        raise ServiceError(
            "xml-missing", "Se espera el tipo de contenido multipart/form-data con una parte de nombre xml."
        )
    boundary = _parameter(content_type.encode("latin-1", "replace"), b"boundary") or b""
    if not 0 < len(boundary) <= MAX_BOUNDARY:
        raise _malformed("El tipo de contenido no declara un boundary válido.")
    return boundary


def part_places(body: Bytes, content_type: str) -> dict[str, tuple[int, int]]:
    """Return start and end of the content of each part of a body, by name in lower case; for bodies in a mapped file.

    Args:
        content_type: The Content-Type header, with the boundary.

    Raises:
        ServiceError: As `xml_part`; "TB4003" for two parts of one name, too.
    """
    places: dict[str, tuple[int, int]] = {}
    for headers, start, end in _part_bounds(body, declared_boundary(content_type)):
        name = _part_name(headers).decode("utf-8", "replace")
        if name in places:
            raise _malformed(f"La petición trae dos partes con el nombre {storable(name, 40)}.")
        places[name] = start, end
    return places


def file_places(body: Bytes, content_type: str) -> list[tuple[str, tuple[int, int]]]:
    """Return file name, and start and end of the content, of each part, in their order; several may have one name.

    Args:
        content_type: The Content-Type header, with the boundary.

    Raises:
        ServiceError: As `xml_part`.
    """
    found: list[tuple[str, tuple[int, int]]] = []
    for headers, start, end in _part_bounds(body, declared_boundary(content_type)):
        name = _part_parameter(headers, b"filename") or _part_name(headers)
        found.append((storable(name.decode("utf-8", "replace"), MAX_FILE_NAME), (start, end)))
    return found


def part_file_name(body: Bytes, content_type: str, part: str) -> str:
    """Return the file name that a part declares; empty without one."""
    for headers, _, _ in _part_bounds(body, declared_boundary(content_type)):
        if _part_name(headers) == part.encode():
            return storable(_part_parameter(headers, b"filename").decode("utf-8", "replace"), MAX_FILE_NAME)
    return ""


def _parts(body: bytes, boundary: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Yield the header block and the content of each part, up to the closing delimiter."""
    for headers, start, end in _part_bounds(body, boundary):
        yield headers, body[start:end]


def _part_bounds(body: Bytes, boundary: bytes) -> Iterator[tuple[bytes, int, int]]:
    """Yield the header block, and start and end of the content, of each part, up to the closing delimiter."""
    delimiter = b"--" + boundary
    start, closing = _delimiter_line(body, delimiter, 0)[1:]
    for _ in range(MAX_PARTS):
        if closing:
            return
        content_start, headers = _header_block(body, start)
        end, start, closing = _delimiter_line(body, delimiter, content_start)
        yield headers, content_start, end
    if not closing:
        raise _malformed(f"La petición trae más de {MAX_PARTS} partes.")


def _delimiter_line(body: Bytes, delimiter: bytes, position: int) -> tuple[int, int, bool]:
    """Find the next delimiter line.

    Returns:
        The end of the content before the line, the end of the line, and whether it is the closing delimiter.
    """
    begin = position
    while (found := body.find(delimiter, begin)) >= 0:
        begin = found + 1
        if found > 0 and body[found - 1] != 0x0A:
            continue
        after = found + len(delimiter)
        closing = body[after : after + 2] == b"--"
        line_end = _LINE_END.match(body, after + 2 if closing else after)
        if line_end is None or (not closing and line_end.end() == len(body) and body[-1] != 0x0A):
            continue
        return max(position, _before_line_end(body, found)), line_end.end(), closing
    raise _malformed("El cuerpo multipart está incompleto: falta la línea del boundary declarado.")


def _before_line_end(body: Bytes, position: int) -> int:
    """Return `position` less the line end that precedes it."""
    if body[position - 2 : position] == b"\r\n":
        return position - 2
    return max(position - 1, 0)


def _header_block(body: Bytes, start: int) -> tuple[int, bytes]:
    """Return the start of the content of a part, and the header lines before it."""
    if (leading := _EMPTY_LINE.match(body, start)) is not None:
        return leading.end(), b""
    blank = _BLANK_LINE.search(body, start, start + MAX_HEADER_BYTES)
    if blank is None:
        raise _malformed("Los encabezados de una parte no terminan o son demasiado largos.")
    return blank.end(), body[start : blank.start()]


def _part_name(headers: bytes) -> bytes:
    return _part_parameter(headers, b"name").lower()


def _part_parameter(headers: bytes, name: bytes) -> bytes:
    """Return a parameter of Content-Disposition without its quotes; empty without one."""
    disposition = _DISPOSITION.search(headers)
    value = _parameter(disposition[1], name) if disposition else None
    return b"" if value is None else _SINGLE_QUOTED.sub(rb"\1", value)


def _parameter(header: bytes, name: bytes) -> bytes | None:
    """Return the value of a header parameter without double quotes; its name matches without case.

    Single quotes stay: they may be part of a boundary.
    """
    for match in _PARAMETER.finditer(header):
        if match[1].lower() == name:
            return match[3] if match[2] is None else _QUOTED_PAIR.sub(rb"\1", match[2])
    return None


def _malformed(detail: str) -> ServiceError:
    return ServiceError("TB4003", detail)
