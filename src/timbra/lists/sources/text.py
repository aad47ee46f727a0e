"""Conversion of the content of a list to UTF-8."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator

MIME_HEADER = b"Content-Type: text/plain"
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
LONGEST_HEADER = 512
TWICE_ENCODED = (("Ã\x91", "Ñ"), ("Ã‘", "Ñ"))
"""Ñ whose UTF-8 was read as Latin-1 or Windows-1252 and encoded again."""
_LATIN_1 = "timbra-latin-1"


def _as_latin_1(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeDecodeError):
        raise error
    return error.object[error.start : error.end].decode("latin-1"), error.end


codecs.register_error(_LATIN_1, _as_latin_1)


_HTML = re.compile(
    rb"\s*(?:\xef\xbb\xbf)?\s*(?:<!--.*?-->\s*)?<(?:!doctype\s+html|html|head|body)\b", re.IGNORECASE | re.DOTALL
)


def is_html(start: bytes) -> bool:
    """Whether a content begins as an HTML page, which servers send in place of a file."""
    return _HTML.match(start) is not None


def clean_text(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """Yield the pieces in UTF-8, without a leading MIME header or byte order mark.

    Bytes that are not UTF-8 are read as Latin-1: some lists had a single-byte Ñ among names in UTF-8.
    """
    decoder = codecs.getincrementaldecoder("utf-8")(_LATIN_1)
    for piece in _without_header(pieces):
        yield repaired(decoder.decode(piece)).encode()
    yield decoder.decode(b"", final=True).encode()


def repaired(text: str) -> str:
    """Return the text with every Ñ that was encoded twice replaced by Ñ."""
    if "Ã" not in text:
        return text
    for wrong, right in TWICE_ENCODED:
        text = text.replace(wrong, right)
    return text


def _without_header(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """Yield the pieces without the header of `openssl smime -text`: a Content-Type line and an empty line."""
    start = b""
    while len(start) < LONGEST_HEADER and (piece := next(pieces, b"")):
        start += piece
    if start.startswith(MIME_HEADER):
        for blank in (b"\r\n\r\n", b"\n\n"):
            if 0 <= start.find(blank) < LONGEST_HEADER:
                start = start.partition(blank)[2]
                break
    yield start.removeprefix(BYTE_ORDER_MARK)
    yield from pieces
