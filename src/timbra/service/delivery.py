"""Stored stamps reach the authority: the outbox is emptied, failures are put off and tried again."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from datetime import timedelta

import structlog

from timbra.authority.port import Authority
from timbra.clock import Clock
from timbra.errors import ServiceError
from timbra.store.outbox import Delivery, Outbox

LOG = structlog.get_logger(__name__)
# Small, and followed by a rest, so that the thread that delivers lets the others in again and again.
BATCH = 16
REST = 3.0
LONGEST_REST = 0.1
"""Rest after a batch, as a multiple of its time, and at most, in seconds."""
LONGEST_WAIT = timedelta(hours=1)
SILENT = "authority-down"


def deliver_pending(
    outbox: Outbox, authority: Authority, wall: Clock, pause: Callable[[float], None] = time.sleep
) -> int:
    """Delivers what is due; how many stamps that were. Several workers may do it at once.

    After each batch it leaves the processor to the requests for three times as long as the batch took: a delivery may
    be late, an answer should not. pause: how it waits.

    What the authority did not take is tried again after 2, 4, 8 ... seconds, at most an hour, until the outbox gives
    it up. A batch that is refused for other reasons than silence is tried one by one: the others must not suffer.
    """
    delivered = 0
    while deliveries := outbox.pending(BATCH):
        begun = time.monotonic()
        taken, silent = _deliver(outbox, authority, wall, deliveries)
        delivered += taken
        if silent:
            break
        pause(min(REST * (time.monotonic() - begun), LONGEST_REST))
    return delivered


def _deliver(outbox: Outbox, authority: Authority, wall: Clock, deliveries: Sequence[Delivery]) -> tuple[int, bool]:
    """How many the authority took, and whether it is out of reach."""
    try:
        authority.deliver_all([delivery.subject for delivery in deliveries])
    except ServiceError as error:
        silent = error.code == SILENT or error.retry_after is not None
        if len(deliveries) > 1 and not silent:
            return sum(_deliver(outbox, authority, wall, [one])[0] for one in deliveries), False
        LOG.warning("delivery put off", stamps=len(deliveries), code=error.code)
        for delivery in deliveries:
            _put_off(outbox, wall, delivery, error.code)
        return 0, silent
    outbox.done(deliveries)
    return len(deliveries), False


def _put_off(outbox: Outbox, wall: Clock, delivery: Delivery, code: str) -> None:
    if delivery.attempts >= outbox.most_attempts:
        LOG.error("delivery given up", kind=delivery.kind, subject=delivery.subject, code=code)
    outbox.retry(delivery, wall.now() + wait_after(delivery.attempts))


def wait_after(attempts: int) -> timedelta:
    """How long to leave the authority alone after so many attempts in vain."""
    return min(timedelta(seconds=2 ** min(attempts, 12)), LONGEST_WAIT)
