"""The request headers of stamping: customid and email."""

from __future__ import annotations

import re
from collections.abc import Mapping

from timbra.api.parsing.decoding import decoded_text
from timbra.errors import ServiceError

LONGEST_CUSTOM_ID = 300
MOST_ADDRESSES = 10
_ADDRESS = re.compile(r"[^@\s,;<>\"()]+@[^@\s,;<>\"().]+(?:\.[^@\s,;<>\"().]+)+")


def custom_id(headers: Mapping[str, str]) -> str | None:
    """The whole value as an opaque id, None when absent or blank. ServiceError TB4005 beyond 300 characters."""
    value = _text(headers.get("customid"))
    if len(value) > LONGEST_CUSTOM_ID:
        raise ServiceError("TB4005", f"El header customid tiene más de {LONGEST_CUSTOM_ID} caracteres.")
    return value or None


def emails(headers: Mapping[str, str]) -> tuple[str, ...]:
    """The addresses of a comma list, at most ten. ServiceError `email-invalid` or `email-too-many`."""
    value = _text(headers.get("email"))
    addresses = tuple(address.strip() for address in value.split(",")) if value else ()
    if len(addresses) > MOST_ADDRESSES:
        raise ServiceError("email-too-many")
    if not all(map(is_address, addresses)):
        raise ServiceError("email-invalid")
    return addresses


def is_address(text: str) -> bool:
    """Whether it has the form of an e-mail address."""
    return _ADDRESS.fullmatch(text) is not None


def _text(value: str | None) -> str:
    """A header value, which arrives as Latin-1, read as UTF-8 where it is."""
    return decoded_text(value.encode("latin-1")).strip() if value else ""
