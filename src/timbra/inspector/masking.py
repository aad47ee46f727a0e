"""Removal of secrets from recorded headers, queries and texts: what it returns may be stored.

Names decide first: a header, parameter, JSON member, XML attribute or element whose name is that of a secret loses its
value. Content decides next: private keys are found in PEM and in base64, and access tokens by their form.
"""

from __future__ import annotations

import json
import re
from base64 import b64decode
from collections.abc import Iterable
from typing import Final
from urllib.parse import parse_qsl, quote

import orjson

MASK: Final = "[oculto]"
SECRET_HEADERS: Final = frozenset({"user"})
"""Headers that are hidden besides those with the name of a secret: login sends user and password in headers."""
_SECRET_NAME = re.compile(
    r"pass|pwd|contrase|secret|token|authoriz|cookie|credential|private|llave|pfx|p12|signature|api[-_.]?key"
    r"|(?:^|[^a-z])key$|b64key|_key$|[a-z]Key$|^key",
    re.IGNORECASE,
)
_SHORT_SECRET_NAMES = frozenset({"clave", "claveprivada", "pin", "PIN", "nip", "NIP", "ciec", "CIEC", "sig"})
"""Whole names; `Clave` and its compounds are public in the SAT's documents, such as those of a payroll."""
_PUBLIC_NAMES = frozenset({"idempotency-key", "keyinfo", "keyvalue", "keyname", "signaturevalue", "signaturemethod"})
_SHOWN_SCHEMES = frozenset({"bearer", "basic", "digest"})
_MAX_NAME = 80
_NO_VALUES = frozenset({"", "null", "true", "false"})

_PEM = re.compile(r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----.*?(?:-----END [A-Z0-9 ]*PRIVATE KEY-----|\Z)", re.DOTALL)
_BEARER = re.compile(r"\b(bearer|basic)\s+[\w.~+/=-]{6,}", re.IGNORECASE)
_JWT = re.compile(r"\beyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*)?")
_USER_OF_URL = re.compile(r"(://)[^/\s:@\"'<>]*:[^/\s@\"'<>]+@")
_FILE_START = re.compile(r"MI[A-Z]|LS0tLS1CRUdJTi")
"""Base64 of the start of every DER structure of more than 127 bytes, and of `-----BEGIN`."""
_PEM_KEY_START = re.compile(rb"-----BEGIN (?:[A-Z0-9 ]{0,20}PRIVATE KEY|PKCS12|PFX)-----")
_BASE64_RUN = re.compile(r"(?:[A-Za-z0-9+/_-]|\\/|\\[rn]|\s)+={0,2}")
_NOT_BASE64 = re.compile(r"\\[rn]|\\(?=/)|\s|=")
_BASE64_START = re.compile(r"(?:[A-Za-z0-9+/]{4})+")
_PREFIX_LENGTH = 64
_SECRET_WORDS = (
    "pass",
    "pwd",
    "contrase",
    "secret",
    "token",
    "authoriz",
    "cookie",
    "credential",
    "private",
    "llave",
    "pfx",
    "p12",
    "signature",
    "key",
    "clave",
    "pin",
    "nip",
    "ciec",
    "sig",
)
"""One of them is part of every name that `is_secret_name` recognizes, in lower case."""

_JSON_MEMBER = re.compile(r'"((?:[^"\\]|\\.){1,80})"\s*:\s*("(?:[^"\\]|\\.)*(?:"|\Z)|[^\s",\]}]+)', re.DOTALL)
_ASSIGNMENT = re.compile(r"([\w.-]{3,80})[\"']?\s*[=:]\s*(?!//)(\"[^\"]*(?:\"|\Z)|'[^']*(?:'|\Z)|[^\s&,;<>\"']+)")
_XML_ELEMENT = re.compile(r"(<(?:[\w.-]+:)?([\w.-]{3,80})(?:\s[^<>]*)?>)([^<]+)")


def is_secret_name(name: str) -> bool:
    """Whether a value of this name is a secret, such as `password`, `b64Key` or `X-Api-Key`."""
    if name in _SHORT_SECRET_NAMES:
        return True
    lower = name.lower()
    return lower not in _PUBLIC_NAMES and _SECRET_NAME.search(name[:_MAX_NAME]) is not None


def mask_headers(headers: Iterable[tuple[bytes, bytes]]) -> list[tuple[str, str]]:
    """Return the headers as text, in their order, without secrets."""
    return [_header(name.decode("latin-1"), value.decode("latin-1")) for name, value in headers]


def mask_query(query: str) -> str:
    """Return a query string, or a form of the same syntax, without secrets."""
    pairs = parse_qsl(query, keep_blank_values=True, max_num_fields=None)
    if not any(is_secret_name(name) or mask_text(value) != value for name, value in pairs):
        return query
    shown = [(name, MASK if is_secret_name(name) else mask_text(value)) for name, value in pairs]
    return "&".join(f"{quote(name)}={quote(value, safe='[]')}" for name, value in shown)


def mask_json(text: str) -> str:
    """Return JSON without secrets, unchanged when it has none; text that is not JSON is masked as far as it reads."""
    try:
        content = orjson.loads(text)
    except orjson.JSONDecodeError:
        return mask_text(_JSON_MEMBER.sub(_mask_member, text))
    try:
        masked = _mask_value(content)
    except RecursionError:
        return MASK
    return mask_text(text if masked == content else orjson.dumps(masked).decode())


def mask_text(text: str) -> str:
    """Return a text without private keys, access tokens, and XML values with the name of a secret."""
    if "PRIVATE KEY" in text:
        text = _PEM.sub(MASK, text)
    if "eyJ" in text:
        text = _JWT.sub(MASK, text)
    if "://" in text:
        text = _USER_OF_URL.sub(rf"\1{MASK}@", text)
    lower = text.lower()
    if "bearer" in lower or "basic" in lower:
        text = _BEARER.sub(rf"\1 {MASK}", text)
    for word in _SECRET_WORDS:
        if word in lower:
            text = _XML_ELEMENT.sub(_mask_element, _ASSIGNMENT.sub(_mask_assignment, text))
            break
    return _mask_base64_keys(text)


def is_private_key(der: bytes) -> bool:
    """Whether bytes begin like a private key or a PFX in DER.

    PKCS#1, PKCS#8, SEC 1 and PKCS#12 begin with a version; an encrypted PKCS#8 with the identifier of its algorithm. A
    certificate, a CMS and a signature of RSA begin otherwise.
    """
    inner = _sequence(der)
    if inner[:1] == b"\x02":
        return True
    return inner[:1] == b"\x30" and _sequence(inner)[:1] == b"\x06"


def _sequence(der: bytes) -> bytes:
    """Return the content of a DER sequence as far as it is there; empty when the bytes are none."""
    if len(der) < 2 or der[0] != 0x30:
        return b""
    length = der[1]
    return der[2:] if length < 0x80 else der[2 + (length & 0x0F) :]


def _header(name: str, value: str) -> tuple[str, str]:
    if name.lower() not in SECRET_HEADERS and not is_secret_name(name):
        return name, mask_text(value)
    scheme, space, _ = value.partition(" ")
    return name, f"{scheme} {MASK}" if space and scheme.lower() in _SHOWN_SCHEMES else MASK


def _mask_value(value: object) -> object:
    if isinstance(value, dict):
        return {
            name: MASK if is_secret_name(name) and _has_content(inner) else _mask_value(inner)
            for name, inner in value.items()
        }
    if isinstance(value, list):
        return [_mask_value(inner) for inner in value]
    return mask_text(value) if isinstance(value, str) and _may_hold_key(value) else value


def _has_content(value: object) -> bool:
    return not isinstance(value, bool) and value not in (None, "")


def _may_hold_key(text: str) -> bool:
    return "PRIVATE KEY" in text or _FILE_START.search(text) is not None


def _mask_member(match: re.Match[str]) -> str:
    try:
        name = str(json.loads(f'"{match[1]}"', strict=False))
    except ValueError:
        name = match[1]
    return f'"{match[1]}":"{MASK}"' if is_secret_name(name) else match[0]


def _mask_assignment(match: re.Match[str]) -> str:
    value = match[2].strip("\"'")
    if not is_secret_name(match[1]) or value in _NO_VALUES or value.startswith(MASK):
        return match[0]
    quoted = match[2][0] if match[2][0] in "\"'" else ""
    return f"{match[0][: match.start(2) - match.start()]}{quoted}{MASK}{quoted}"


def _mask_element(match: re.Match[str]) -> str:
    return f"{match[1]}{MASK}" if is_secret_name(match[2]) and match[3].strip() else match[0]


def _mask_base64_keys(text: str) -> str:
    """Replace every base64 text that begins like a private key, in DER or PEM, up to its end."""
    kept, position = [], 0
    for start in _FILE_START.finditer(text):
        begin = start.start()
        prefix = b"" if begin < position else _decode_prefix(text, begin)
        if not is_private_key(prefix) and _PEM_KEY_START.match(prefix) is None:
            continue
        run = _BASE64_RUN.match(text, begin)
        kept += [text[position:begin], MASK]
        position = run.end() if run else start.end()
    return "".join([*kept, text[position:]]) if kept else text


def _decode_prefix(text: str, begin: int) -> bytes:
    """Decode the first bytes of a base64 text, which may have line ends and escapes of JSON."""
    plain = _NOT_BASE64.sub("", text[begin : begin + 2 * _PREFIX_LENGTH])[:_PREFIX_LENGTH]
    found = _BASE64_START.match(plain.replace("-", "+").replace("_", "/"))
    return b64decode(found[0]) if found else b""
