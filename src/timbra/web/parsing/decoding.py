"""Decoding of uploaded content: XML that may be base64, and text that may be Latin-1."""

from __future__ import annotations

import binascii

from timbra.core.errors import ServiceError

BOM = b"\xef\xbb\xbf"
WHITESPACE = b" \t\r\n"
UNREADABLE = (
    "Error al leer el documento XML. La estructura del documento no es un Xml valido y/o "
    "la codificación del documento no es UTF8. "
)


def xml_bytes(content: bytes, *, base64: bool) -> bytes:
    """Return uploaded XML, decoded from base64 if necessary.

    Args:
        content: The uploaded bytes.
        base64: Whether the path of the operation requires base64. If not, content that does not begin with `<` is
            decoded when it is valid base64, and returned unchanged otherwise: the XML parser then reports the error.

    Raises:
        ServiceError: "xml-missing" for blank content; "301" when `base64` is set and the content is not base64.
    """
    text = content.removeprefix(BOM).strip(WHITESPACE)
    if not text:
        raise ServiceError("xml-missing")
    if text.startswith(b"<") and not base64:
        return content
    decoded = _from_base64(text)
    if decoded is None:
        if base64:
            raise ServiceError("301", UNREADABLE + "La ruta pide base64 y el contenido no lo es.")
        return content
    if not decoded.strip(WHITESPACE):
        raise ServiceError("xml-missing")
    return decoded


def _from_base64(text: bytes) -> bytes | None:
    try:
        return binascii.a2b_base64(text.translate(None, WHITESPACE), strict_mode=True)
    except binascii.Error:
        return None


def decode_text(content: bytes) -> str:
    """Decode text as UTF-8, with or without BOM, or as Latin-1 when it is not UTF-8, which one client sends."""
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode("latin-1")
