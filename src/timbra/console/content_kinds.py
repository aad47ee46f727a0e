"""Files that are no XML, recognized by their first bytes."""

from __future__ import annotations

from timbra.console.language import translate
from timbra.core.errors import ServiceError

HEAD_BYTES = 4096
SIGNATURES = {
    b"%PDF-": "pdf",
    b"\x89PNG\r\n\x1a\n": "png",
    b"\xff\xd8\xff": "jpeg",
    b"PK\x03\x04": "zip",
    b"\x1f\x8b": "gzip",
    b"{": "json",
}
SENTENCES = {
    "pdf": "This is a PDF; give the XML.",
    "png": "This is a PNG image; give the XML.",
    "jpeg": "This is a JPEG image; give the XML.",
    "zip": "This is a ZIP archive; give it a name that ends in .zip, or give the XML.",
    "gzip": "This is a gzip file; give the XML.",
    "json": "This is JSON; give the XML.",
    "text": "This is text, not XML; give the XML.",
}
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_XML_STARTS = (b"<", b"\xff\xfe", b"\xfe\xff")


def require_xml(content: bytes) -> None:
    """Reject content that is clearly no XML; the parser rejects the rest.

    Raises:
        ServiceError: "source-not-xml", whose detail names what the content is.
    """
    kind = kind_of(content)
    if kind is not None:
        raise ServiceError("source-not-xml", translate(SENTENCES[kind]))


def kind_of(content: bytes) -> str | None:
    """Return a key of `SENTENCES` for content that is no XML; None for empty content, and for what may be XML."""
    head = content[:HEAD_BYTES].removeprefix(_BYTE_ORDER_MARK).lstrip()
    for signature, kind in SIGNATURES.items():
        if head.startswith(signature):
            return kind
    # XML in UTF-16 has NUL bytes.
    return "text" if head and b"\0" not in head and not head.startswith(_XML_STARTS) else None
