"""The kinds of events that an endpoint may subscribe to."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

STAMPED: Final = "cfdi.stamped"
REJECTED: Final = "cfdi.rejected"
DELIVERED: Final = "cfdi.delivered"
CANCELLATION_REQUESTED: Final = "cancellation.requested"
CANCELLATION_ACCEPTED: Final = "cancellation.accepted"
CANCELLATION_REJECTED: Final = "cancellation.rejected"
CANCELLATION_EXPIRED: Final = "cancellation.expired"
CANCELLATION_DONE: Final = "cancellation.done"
PENDING_CREATED: Final = "pending.created"
BATCH_DONE: Final = "batch.done"
CERTIFICATE_EXPIRING: Final = "certificate.expiring"
BALANCE_LOW: Final = "balance.low"
RECEIVED_CANCELLED: Final = "received.cancelled"
RECEIVED_PENDING: Final = "received.cancellation-pending"
RECEIVED_LISTED: Final = "received.article-69b"
RECEIVED_DIFFERENT: Final = "received.different"
WEBHOOK_DISABLED: Final = "webhook.disabled"
TEST: Final = "webhook.test"
"""Sent on request, to one endpoint, whatever it subscribes to."""

KINDS: Final = (
    STAMPED,
    REJECTED,
    DELIVERED,
    CANCELLATION_REQUESTED,
    CANCELLATION_ACCEPTED,
    CANCELLATION_REJECTED,
    CANCELLATION_EXPIRED,
    CANCELLATION_DONE,
    PENDING_CREATED,
    BATCH_DONE,
    CERTIFICATE_EXPIRING,
    BALANCE_LOW,
    RECEIVED_CANCELLED,
    RECEIVED_PENDING,
    RECEIVED_LISTED,
    RECEIVED_DIFFERENT,
    WEBHOOK_DISABLED,
)
DEFAULT_KINDS: Final = tuple(kind for kind in KINDS if kind != REJECTED)
"""Rejections are frequent: an endpoint gets them only when it asks for them."""


def write_kinds(kinds: Iterable[str]) -> str:
    """Return kinds as the database stores them: in the order of `KINDS`, separated by blanks."""
    chosen = frozenset(kinds)
    return " ".join(kind for kind in KINDS if kind in chosen)


def read_kinds(stored: str) -> tuple[str, ...]:
    """Return the kinds of a stored text."""
    return tuple(stored.split())
