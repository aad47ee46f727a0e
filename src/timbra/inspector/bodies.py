"""Recorded bodies: the text of a request or an answer without secrets, and the XML document in it."""

from __future__ import annotations

import re
from base64 import b64decode
from binascii import Error
from dataclasses import dataclass
from typing import Final

import orjson

from timbra.core.text import storable
from timbra.inspector.masking import MASK, is_private_key, is_secret_name, mask_json, mask_query, mask_text

MAX_PARTS: Final = 32
MAX_PART_HEADER: Final = 4096
KEY_FILE = re.compile(r"\.(key|pfx|p12|pem)$", re.IGNORECASE)
_BOUNDARY = re.compile(r'boundary\s*=\s*(?:"([^"]{1,200})"|([^\s;"]{1,200}))', re.IGNORECASE)
_PARAMETER = re.compile(r'\b(name|filename)\s*=\s*(?:"([^"]*)"|\'([^\']*)\'|([^\s;"]+))', re.IGNORECASE)
_BLANK_LINE = re.compile(rb"\r?\n\r?\n")
_XML_START = re.compile(r"(?:<\?xml|<(?:[\w.-]+:)?[A-Za-z])")


@dataclass(frozen=True, slots=True)
class RecordedBody:
    """A body as it is stored.

    Attributes:
        text: The text without secrets; empty without a body, and for one that is not text.
        size: Number of bytes of the body.
        is_cut: Whether only its start was recorded.
        is_masked: Whether a part of it was hidden.
        is_binary: Whether it is not text, so that nothing of it is stored.
    """

    text: str = ""
    size: int = 0
    is_cut: bool = False
    is_masked: bool = False
    is_binary: bool = False


def record_body(content: bytes, size: int, content_type: str, path: str) -> RecordedBody:
    """Return a body without secrets.

    Args:
        content: The body, or its start.
        size: Number of bytes of the whole body.
        content_type: Value of the header `Content-Type`.
    """
    if not content:
        return RecordedBody(size=size)
    is_cut = len(content) < size
    kind = content_type.partition(";")[0].strip().lower()
    if kind.startswith("multipart/") and (boundary := _BOUNDARY.search(content_type)):
        masked = _mask_multipart(content, (boundary[1] or boundary[2]).encode("latin-1", "replace"))
        text = content.decode("utf-8", "replace")
    else:
        decoded = _decode(content)
        if decoded is None:
            return RecordedBody(size=size, is_cut=is_cut, is_binary=True)
        text, masked = decoded, _mask(decoded, kind, path)
    return RecordedBody(storable(masked), size, is_cut, is_masked=MASK in masked and masked != text)


def xml_in(body: RecordedBody, content_type: str) -> str | None:
    """Return the XML document of a request or of an answer; None when it has none that is complete.

    It is the body itself, the first part of a multipart body that is XML, or the member of a JSON body that is XML, as
    text or in base64.
    """
    if body.is_cut or not body.text:
        return None
    if (boundary := _BOUNDARY.search(content_type)) is not None:
        parts = body.text.split(f"--{boundary[1] or boundary[2]}")
        contents = (re.split(r"\r?\n\r?\n", part, maxsplit=1)[-1].rstrip("\r\n") for part in parts[1:])
        return next((content for content in contents if is_xml(content)), None)
    if is_xml(body.text):
        return body.text
    try:
        content = orjson.loads(body.text)
    except orjson.JSONDecodeError:
        return None
    return _xml_member(content)


def is_xml(text: str) -> bool:
    """Whether a text begins like an XML document."""
    return _XML_START.match(text.lstrip("\ufeff \t\r\n")) is not None


def _xml_member(content: object) -> str | None:
    """Return the XML among the members of a JSON object, or of its member `data`."""
    if not isinstance(content, dict):
        return None
    data = content.get("data")
    values = [*(data.values() if isinstance(data, dict) else ()), *content.values()]
    return next((xml for value in values if (xml := _xml_text(value)) is not None), None)


def _xml_text(value: object) -> str | None:
    if not isinstance(value, str) or len(value) < 8:
        return None
    if is_xml(value):
        return value
    if not value.startswith(("PD94", "PGNm", "PHJl", "PENh", "PEFj", "77u/")):
        return None
    try:
        decoded = b64decode(value).decode("utf-8")
    except (Error, ValueError):
        return None
    return decoded if is_xml(decoded) else None


def _mask(text: str, kind: str, path: str) -> str:
    if kind == "application/x-www-form-urlencoded":
        return mask_query(text)
    start = text.lstrip("\ufeff \t\r\n")[:1]
    if start in ("{", "[", '"') or "json" in kind:
        return mask_json(text)
    return mask_text(text) if start == "<" or not _carries_keys(path) else MASK


def _carries_keys(path: str) -> bool:
    """Whether the bodies of a route have keys or passwords; then an unreadable body is hidden as a whole."""
    return any(word in path.lower() for word in ("certificat", "csd", "pfx", "authenticate", "user", "token", "cancel"))


def _decode(content: bytes) -> str | None:
    """Return the text of a body; None for one that is not text."""
    start = content.lstrip(b"\xef\xbb\xbf \t\r\n")[:1]
    if b"\0" in content[:1024] or is_private_key(content):
        return None
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        # The cut may be inside of a character; documents in another encoding are text too.
        is_text = start in (b"<", b"{", b"[") or error.start >= len(content) - 3
        return content.decode("utf-8", "replace") if is_text else None


def _mask_multipart(content: bytes, boundary: bytes) -> str:
    delimiter = b"--" + boundary
    first, *parts = content.split(delimiter, MAX_PARTS)
    shown = [mask_text(first.decode("utf-8", "replace"))]
    shown += [_mask_part(part) for part in parts]
    return delimiter.decode("utf-8", "replace").join(shown)


def _mask_part(part: bytes) -> str:
    blank = _BLANK_LINE.search(part, 0, MAX_PART_HEADER)
    if blank is None:
        # The end of the body, or a part whose headers cannot be read: it is shown only when it is short.
        return mask_text(part.decode("utf-8", "replace")) if len(part) <= 8 else f"\r\n{MASK}"
    head, value = part[: blank.end()].decode("utf-8", "replace"), part[blank.end() :]
    parameters = {match[1].lower(): match[2] or match[3] or match[4] or "" for match in _PARAMETER.finditer(head)}
    name, file_name = parameters.get("name", ""), parameters.get("filename", "")
    content = value.removesuffix(b"\n").removesuffix(b"\r")
    if is_secret_name(name) or KEY_FILE.search(file_name) or is_private_key(content):
        return f"{head}{MASK}\r\n"
    text = _decode(content)
    if text is None:
        return f"{head}[{len(content)} bytes]\r\n"
    masked = mask_json(text) if text.lstrip()[:1] in ("{", "[") else mask_text(text)
    return mask_text(head) + masked + value[len(content) :].decode("latin-1")
