"""HTTP status by error code, and the JSON envelope of an error.

Published clients read the body of 200, 400 and 401 only; therefore nearly every error has status 400.
"""

from __future__ import annotations

from timbra.core.errors import ServiceError
from timbra.messages.literal import DETAIL_CODES
from timbra.rules.reference.messages import full_message
from timbra.web.envelopes import RejectionContent
from timbra.web.public_errors import INTERNAL_CODES, INTERNAL_ERROR, texts_of, to_public_error

__all__ = ["INTERNAL_CODES", "INTERNAL_ERROR", "contract_status_of", "envelope", "status_of", "to_public_error"]

DEFAULT_STATUS = 400

STATUS_BY_CODE: dict[str, int] = {
    "AU2002": 401,
    "AU2003": 401,
    "AU4000": 401,
    "AU4101": 401,
    "TB4010": 401,
    "TB4011": 401,
    "TB4012": 401,
    "TB4040": 404,
    "TB4041": 404,
    "TB4042": 404,
    "authority-down": 503,
    "token-parts": 401,
    "token-signature": 401,
    "user-has-stamps": 500,
    "user-unlimited": 500,
}

UNAVAILABLE_CODES = frozenset({INTERNAL_ERROR, "authority-down"})
"""Codes of temporary failures of a server: status 503 with `Retry-After`."""


def contract_status_of(error: ServiceError, public_error: ServiceError) -> int:
    """Return the HTTP status of an error in the vendor's operations.

    Args:
        error: The error after `to_contract_error`.
        public_error: The error before it. Another error got a code of the contract, whose status is always 400:
            clients do not read the body of 429 and 503.
    """
    return status_of(public_error) if error is public_error else DEFAULT_STATUS


def status_of(error: ServiceError) -> int:
    """Return the HTTP status: 503 or 429 when a retry may succeed (`retry_after`), else the one of the table."""
    if error.retry_after is not None:
        return 503 if error.code in UNAVAILABLE_CODES else 429
    return STATUS_BY_CODE.get(error.code, DEFAULT_STATUS)


def envelope(error: ServiceError) -> dict[str, object]:
    """Build the body of an error response; the order of its keys is part of the interface.

    Args:
        error: A public error, see `to_public_error`. Its `data` is part of the body only as a `RejectionContent`.
    """
    message, detail = texts_of(error)
    if error.code in DETAIL_CODES:
        detail = full_message(DETAIL_CODES[error.code])
    content = error.data if isinstance(error.data, RejectionContent) else RejectionContent(None)
    return {
        "message": message,
        "messageDetail": content.detail or detail,
        "data": content.data,
        "status": "error",
    }
