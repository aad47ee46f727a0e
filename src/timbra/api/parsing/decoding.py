"""What a client uploaded, decoded: XML that may be base64, and text that may be Latin-1."""

from __future__ import annotations

import binascii

from timbra.errors import ServiceError

BOM = b"\xef\xbb\xbf"
BLANKS = b" \t\r\n"
UNREADABLE = (
    "Error al leer el documento XML. La estructura del documento no es un Xml valido y/o "
    "la codificación del documento no es UTF8. "
)


def xml_bytes(content: bytes, *, base64: bool) -> bytes:
    """The XML that was uploaded.

    base64: the path said so, then nothing else is accepted (301). Otherwise XML is taken as it is, and what does not
    begin with `<` is tried as base64; what is neither goes on unchanged, for the reader to tell where it fails.
    Raises ServiceError `xml-missing` for blank content.
    """
    text = content.removeprefix(BOM).strip(BLANKS)
    if not text:
        raise ServiceError("xml-missing")
    if text.startswith(b"<") and not base64:
        return content
    decoded = _from_base64(text)
    if decoded is None:
        if base64:
            raise ServiceError("301", UNREADABLE + "La ruta pide base64 y el contenido no lo es.")
        return content
    if not decoded.strip(BLANKS):
        raise ServiceError("xml-missing")
    return decoded


def _from_base64(text: bytes) -> bytes | None:
    try:
        return binascii.a2b_base64(text.translate(None, BLANKS), strict_mode=True)
    except binascii.Error:
        return None


def decoded_text(content: bytes) -> str:
    """Text in UTF-8 (with or without BOM), or in Latin-1 when it is not UTF-8: one client sends that."""
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode("latin-1")
