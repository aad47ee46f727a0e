"""The request headers `customid` and `email` of stamping."""

from __future__ import annotations

from collections.abc import Mapping

from timbra.core.errors import ServiceError
from timbra.core.text import is_email_address
from timbra.web.parsing.decoding import decode_text

MAX_CUSTOM_ID_LENGTH = 300
MAX_ADDRESSES = 10


def custom_id(headers: Mapping[str, str]) -> str | None:
    """Return the custom id, an opaque text; None when absent or blank.

    Args:
        headers: Values by lower-case name.

    Raises:
        ServiceError: "TB4005" when it is longer than `MAX_CUSTOM_ID_LENGTH` characters.
    """
    value = _text(headers.get("customid"))
    if len(value) > MAX_CUSTOM_ID_LENGTH:
        raise ServiceError("TB4005", f"El header customid tiene más de {MAX_CUSTOM_ID_LENGTH} caracteres.")
    return value or None


def emails(headers: Mapping[str, str]) -> tuple[str, ...]:
    """Return the e-mail addresses, which the header separates by commas.

    Args:
        headers: Values by lower-case name.

    Raises:
        ServiceError: "email-too-many" for more than `MAX_ADDRESSES`; "email-invalid" for a malformed address.
    """
    value = _text(headers.get("email"))
    addresses = tuple(address.strip() for address in value.split(",")) if value else ()
    if len(addresses) > MAX_ADDRESSES:
        raise ServiceError("email-too-many")
    if not all(map(is_email_address, addresses)):
        raise ServiceError("email-invalid")
    return addresses


def _text(value: str | None) -> str:
    """Decode a header value, which ASGI passes as Latin-1, as UTF-8 if it is valid."""
    return decode_text(value.encode("latin-1")).strip() if value else ""
