"""The one table from error codes to HTTP answers, and the JSON body of an error.

Published clients read the body of 200, 400 and 401 only, so nearly every error is 400, whatever the code says.
"""

from __future__ import annotations

from timbra.errors import ServiceError
from timbra.messages import MESSAGES, full_message
from timbra.messages.literal import LITERAL
from timbra.text import storable

DEFAULT_STATUS = 400

STATUS: dict[str, int] = {
    "AU2002": 401,
    "AU4000": 401,
    "AU4101": 401,
    "TB4010": 401,
    "TB4011": 401,
    "TB4040": 404,
    "TB4041": 404,
    "authority-down": 503,
    "token-parts": 401,
    "token-signature": 401,
    "user-has-stamps": 500,
    "user-unknown": 404,
    "user-unlimited": 500,
}

UNCONTROLLED = "CO1000"
OUT_OF_REACH = frozenset({UNCONTROLLED, "authority-down"})
"""Codes of a server, not a caller, for which 503 is the answer while it passes."""
DETAIL = "{detail}"

INTERNAL = frozenset(
    {
        "document-damaged",
        "list-damaged",
        "master-key-invalid",
        "signature-faulty",
        "signer-unavailable",
        "snapshot-damaged",
        "snapshot-missing",
        "snapshot-source",
        "stamp-unreadable",
        "trust-refused",
        "vault-damaged",
        "vault-key-unknown",
    }
)
"""What is wrong with the server itself: the log tells it, the caller gets CO1000."""


def known(error: ServiceError) -> ServiceError:
    """The error itself, or CO1000 without any detail when its code is internal or has no sentence."""
    shown = (error.code in LITERAL or error.code in MESSAGES) and error.code not in INTERNAL
    return error if shown else ServiceError(UNCONTROLLED, retry_after=error.retry_after)


def status_of(error: ServiceError) -> int:
    """The HTTP status: 503 and 429 for what passes by itself (`retry_after` given), else as the table says."""
    if error.retry_after is not None:
        return 503 if error.code in OUT_OF_REACH else 429
    return STATUS.get(error.code, DEFAULT_STATUS)


def envelope(error: ServiceError, data: object = None) -> dict[str, object]:
    """The body of an error, in the key order that clients have always seen. error: of a known code."""
    message, detail = full_message(error.code), None if error.detail is None else storable(error.detail)
    if detail is not None and DETAIL in message:
        message, detail = message.replace(DETAIL, detail), None
    return {
        "message": message,
        "messageDetail": detail,
        "data": data,
        "status": "error",
    }
