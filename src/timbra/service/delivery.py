"""Stored stamps reach the authority: the outbox is emptied, failures are put off and tried again."""

from __future__ import annotations

from datetime import timedelta

import structlog

from timbra.authority.port import Authority
from timbra.clock import Clock
from timbra.errors import ServiceError
from timbra.store.outbox import Outbox

LOG = structlog.get_logger(__name__)
# Small, so that the thread that delivers lets the others in again and again.
BATCH = 64
LONGEST_WAIT = timedelta(hours=1)


def deliver_pending(outbox: Outbox, authority: Authority, wall: Clock) -> int:
    """Delivers what is due; how many stamps that were. Several workers may do it at once.

    What the authority did not take is tried again after 2, 4, 8 ... seconds, at most an hour.
    """
    delivered = 0
    while deliveries := outbox.pending(BATCH):
        try:
            authority.deliver_all([delivery.subject for delivery in deliveries])
        except ServiceError as error:
            LOG.warning("delivery put off", stamps=len(deliveries), code=error.code)
            for delivery in deliveries:
                outbox.retry(delivery, wall.now() + wait_after(delivery.attempts))
            return delivered
        outbox.done(deliveries)
        delivered += len(deliveries)
    return delivered


def wait_after(attempts: int) -> timedelta:
    """How long to leave the authority alone after so many attempts in vain."""
    return min(timedelta(seconds=2 ** min(attempts, 12)), LONGEST_WAIT)
