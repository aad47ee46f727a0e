"""Errors as callers read them: public codes and their Spanish texts."""

from __future__ import annotations

import logging

from timbra.core.errors import ServiceError
from timbra.core.metrics import INTERNAL_ERRORS, MetricsRegistry
from timbra.core.text import storable
from timbra.messages.codes import CONDITION_CODES, FAILED
from timbra.messages.literal import LITERAL
from timbra.rules.reference.messages import MESSAGES, full_message, sentence

# Of the standard library: programs without a configured log write its errors to standard error.
log = logging.getLogger("timbra.documents")

INTERNAL_ERROR = FAILED
DETAIL_PLACEHOLDER = "{detail}"

INTERNAL_CODES = frozenset(
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
"""Codes of faults of this server: they are logged, and the caller gets CO1000 instead."""


def to_public_error(error: ServiceError) -> ServiceError:
    """Return the error, or CO1000 without detail when its code is internal or has no message."""
    is_public = (error.code in LITERAL or error.code in MESSAGES) and error.code not in INTERNAL_CODES
    return error if is_public else ServiceError(INTERNAL_ERROR, retry_after=error.retry_after)


def document_error(error: Exception, document: str, metrics: MetricsRegistry | None = None) -> ServiceError:
    """Return why one document of many failed, for its row.

    A defect of this program is logged with its traceback and counted; the caller goes on with the next document.

    Args:
        error: What the work with the document raised.
        document: Its name in the log.
        metrics: Counts defects; None in a program without metrics.
    """
    if isinstance(error, ServiceError):
        public, code = to_public_error(error), error.code
    else:
        public, code = ServiceError(INTERNAL_ERROR), INTERNAL_ERROR
    if public is not error:
        log.error("document failed because of a defect of the program: %s", document, exc_info=error)
        if metrics is not None:
            metrics.count(INTERNAL_ERRORS, (code,))
    return public


def to_coded_error(error: ServiceError, otherwise: str = FAILED) -> ServiceError:
    """Return a public error as clients parse it: a condition without a code or literal text becomes a detail.

    Args:
        error: A public error, see `to_public_error`.
        otherwise: The code of a condition that `timbra.messages.codes` has none for.

    Returns:
        The error itself, or one with a code, and the sentence of the condition at the beginning of its detail.
    """
    if error.code in LITERAL or not error.code.islower():
        return error
    code = CONDITION_CODES.get(error.code, otherwise)
    detail = " ".join(filter(None, (sentence(error.code), error.detail)))
    return ServiceError(code, detail, data=error.data, retry_after=error.retry_after, location=error.location)


def texts_of(error: ServiceError) -> tuple[str, str | None]:
    """Return message and detail of a public error, see `to_public_error`."""
    message, detail = full_message(error.code), None if error.detail is None else storable(error.detail)
    if detail is not None and DETAIL_PLACEHOLDER in message:
        return message.replace(DETAIL_PLACEHOLDER, detail), None
    return message, detail
