"""The query parameter `limit` of lists."""

from __future__ import annotations

from timbra.core.errors import ServiceError
from timbra.web.framework.operation import Parameter

DEFAULT_LIMIT = 50


def read_limit(text: str | None, largest: int) -> int:
    """Return the number of records that a list may have.

    Args:
        text: Value of the parameter; absent or empty for `DEFAULT_LIMIT`.
        largest: Greatest value that is accepted.

    Raises:
        ServiceError: "TB4005" when the text is not a whole number from 1 to the greatest value.
    """
    if not text:
        return DEFAULT_LIMIT
    if text.isascii() and text.isdigit() and len(text) <= len(str(largest)) and 1 <= int(text) <= largest:
        return int(text)
    raise ServiceError("TB4005", f"El parámetro limit es un entero de 1 a {largest}.")


def limit_parameter(largest: int) -> Parameter:
    """Return the declaration of the parameter for a list of at most that many records."""
    return Parameter("limit", "query", f"1 to {largest}; {DEFAULT_LIMIT} by default.")
