"""Recorded values as examples: without secrets, short, and the same in every recording."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from hashlib import sha256
from typing import Any
from uuid import UUID

from timbra.inspector.masking import MASK, mask_text

SECRET_MEMBERS = frozenset({"token", "accesstoken", "password", "b64key", "b64pfx", "secret", "signature"})
"""Names of members and parameters whose values are secrets, in lower case."""
SHORTENED_BASE64 = "[base64 abreviado]"
BINARY = "[archivo binario]"
SHORTENED_TEXT = "… [texto abreviado]"
MAX_TEXT = 1500
"""Characters of a text in an example."""
MAX_ITEMS = 2
"""Elements of a list in an example."""
_BASE64 = re.compile(r"[A-Za-z0-9+/]{80,}={0,2}")
SEAL_TAIL = "AbCd123="
FIXED: Mapping[str, object] = {"fe": SEAL_TAIL, "contentSizeBytes": 65536}
"""Values of members that are another in every recording, by their name: `fe` is the end of a seal."""
_SIGNATURE = re.compile(r"(<(?:\w+:)?(?:DigestValue|X509SerialNumber)>)[^<]+")
"""Elements of a signature whose content is another in every recording."""
_SEAL_TAIL = re.compile(r"(?<=fe=)[A-Za-z0-9+/=%]{8,14}")
_KEY_IN_SEAL = re.compile(rf"[A-Za-z0-9+/]+{re.escape(MASK)}")
"""A seal that was masked from the middle on, because it has the first letters of a private key by chance."""
_SERIES = "9900000100"


class StableNames:
    """Replaces random identifiers by others of the same form that depend on their order only."""

    def __init__(self) -> None:
        self._names: dict[str, str] = {}
        self._counts: dict[str, int] = {}

    def replace(self, text: str) -> str:
        """Return a text with the identifiers replaced; equal identifiers stay equal."""
        for kind, (pattern, make) in _IDENTIFIERS.items():
            text = pattern.sub(lambda match, kind=kind, make=make: self._name(kind, match[0], make), text)  # type: ignore[misc]
        return text

    def _name(self, kind: str, found: str, make: Callable[[str, int], str]) -> str:
        lower = found.lower()
        if lower not in self._names:
            self._counts[kind] = self._counts.get(kind, 0) + 1
            self._names[lower] = make(lower, self._counts[kind])
        name = self._names[lower]
        return name.upper() if found != lower and kind == "uuid" else name


def _digest(kind: str, number: int) -> str:
    return sha256(f"{kind} {number}".encode()).hexdigest()[:32]


def _uuid(_: str, number: int) -> str:
    return str(UUID(_digest("uuid", number), version=4))


def _prefixed(found: str, number: int) -> str:
    return f"{found.partition('_')[0]}_{_digest('identifier', number)}"


def _serial(_: str, number: int) -> str:
    return f"{_SERIES}{number:010d}"


_IDENTIFIERS: dict[str, tuple[re.Pattern[str], Callable[[str, int], str]]] = {
    "uuid": (re.compile(r"(?i)\b(?!00000000-)[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b"), _uuid),
    "identifier": (re.compile(r"\b(?:wh|evt|batch)_[0-9a-f]{32}\b"), _prefixed),
    "link": (re.compile(r"(?<=/portal/entregar/)[\w-]{43}"), lambda _, number: _digest("link", number)),
    "certificate": (re.compile(r"\b9900\d{16}\b"), _serial),
}
"""Pattern of random identifiers, and what makes the identifier of an example, by kind."""


def present(value: Any, names: StableNames) -> Any:
    """Return a JSON value as an example.

    Args:
        value: A value of JSON, or bytes, which examples do not show.
        names: Names of identifiers, the same for all examples.
    """
    return json.loads(names.replace(json.dumps(_present(value), ensure_ascii=False)))


def _present(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _member(name, inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [_present(inner) for inner in value[:MAX_ITEMS]]
    if isinstance(value, bytes):
        return BINARY
    return _text(value) if isinstance(value, str) else value


def _member(name: str, value: object) -> object:
    fixed = FIXED.get(name)
    if fixed is not None and value and isinstance(value, type(fixed)):
        return fixed
    if isinstance(value, str) and value and name.lower() in SECRET_MEMBERS:
        return MASK
    return _present(value)


def _text(text: str) -> str:
    if _BASE64.fullmatch(text):
        return SHORTENED_BASE64
    masked = _KEY_IN_SEAL.sub(SHORTENED_BASE64, mask_text(text))
    short = _SIGNATURE.sub(rf"\1{SHORTENED_BASE64}", _BASE64.sub(SHORTENED_BASE64, masked))
    short = _SEAL_TAIL.sub(SEAL_TAIL, short)
    return short if len(short) <= MAX_TEXT else short[:MAX_TEXT] + SHORTENED_TEXT
