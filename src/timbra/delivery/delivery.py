"""Delivery of stored stamps from the outbox to the authority, with retry, backoff and dead letters."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from threading import Event, Thread
from typing import Protocol

import structlog

from timbra.core.errors import ServiceError
from timbra.database.batches import is_transient, run_isolated
from timbra.delivery.deliveries import AuthorityOutbox, OutboxDelivery
from timbra.delivery.pace import BESIDE_REQUESTS, DeliveryPace
from timbra.events.outbox import describe
from timbra.events.retry import RetrySchedule
from timbra.sat.port import Authority

LOG = structlog.get_logger(__name__)
RENEWED_LEASE = timedelta(seconds=10)
"""Term of a lease that its process renews: after it another process repeats what a killed one was sending."""
RENEW_SECONDS = RENEWED_LEASE.total_seconds() / 4
LOCAL_FAILURES = frozenset({"signer-unavailable", "signature-faulty"})
"""Codes of a device that does not sign the login: the authority was not asked."""


class DirectDelivery(Protocol):
    """An authority whose tables are in the database of the outbox: the simulated one."""

    def deliver_due(self, outbox: AuthorityOutbox, limit: int) -> int:
        """Deliver stamps that are due and end their deliveries, in one transaction; return how many were due."""
        ...


def deliver_pending(
    outbox: AuthorityOutbox,
    authority: Authority,
    pause: Callable[[float], None] = time.sleep,
    pace: DeliveryPace = BESIDE_REQUESTS,
    stopping: Event | None = None,
    direct: DirectDelivery | None = None,
) -> int:
    """Deliver the stamps that are due. Several processes may call this at the same time.

    A batch is delivered directly, in one transaction. Without `direct`, and when it fails, the batch is leased,
    delivered and completed by a few statements each; when that fails, in halves down to single stamps. The pace of a
    process that serves requests has a pause after each batch. While the authority is unreachable, deliveries are
    retried with exponential backoff (2, 4, 8 ... seconds, at most an hour) until the attempts of the outbox are
    exhausted. A stamp that fails for any other reason becomes a dead letter immediately; the others of its batch are
    delivered.

    Args:
        authority: receives the stamps.
        pause: sleeps for a number of seconds.
        pace: size of a batch and pause after it.
        stopping: set when the process is to end; the function then returns after the batch in progress.
        direct: delivers a batch in one transaction; None for an authority outside of the database.

    Returns:
        The number of delivered stamps.
    """
    delivered, goes_on = 0, True
    while goes_on and not (stopping and stopping.is_set()):
        begun = time.monotonic()
        number, goes_on = _deliver_batch(outbox, authority, pace.batch, direct)
        delivered += number
        if goes_on and pace.rest:
            pause(min(pace.rest * (time.monotonic() - begun), pace.longest_rest))
    return delivered


def _deliver_batch(
    outbox: AuthorityOutbox, authority: Authority, limit: int, direct: DirectDelivery | None
) -> tuple[int, bool]:
    """Deliver one batch, directly if possible; return what `_deliver_leased` returns."""
    if direct is not None:
        try:
            number = direct.deliver_due(outbox, limit)
        except Exception as error:
            if is_transient(error):
                _reschedule(outbox, outbox.lease(limit), describe(error))
                return 0, False
            LOG.warning("batch is delivered under leases", reason=describe(error))
        else:
            return number, number == limit
    return _deliver_leased(outbox, authority, limit)


def _deliver_leased(outbox: AuthorityOutbox, authority: Authority, limit: int) -> tuple[int, bool]:
    """Deliver one batch under leases.

    Returns:
        The number of delivered stamps, and whether others may be due.
    """
    deliveries = outbox.lease(limit)
    result = run_isolated(deliveries, lambda batch: authority.deliver_all([delivery.subject for delivery in batch]))
    outbox.complete(result.done)
    for delivery, error in result.failed:
        mark_dead(outbox, delivery, error)
    if result.interruption is not None:
        _reschedule(outbox, result.left, describe(result.interruption))
    return len(result.done), len(deliveries) == limit and result.interruption is None


@contextmanager
def renewed(outbox: AuthorityOutbox, deliveries: Sequence[OutboxDelivery], seconds: float) -> Iterator[None]:
    """Renew the leases of deliveries every so many seconds during the block."""
    ended = Event()

    def renew() -> None:
        while not ended.wait(seconds):
            try:
                outbox.renew(deliveries, RENEWED_LEASE)
            except ServiceError as error:
                LOG.warning("leases were not renewed", reason=describe(error))

    thread = Thread(target=renew, name="leases", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def mark_dead(outbox: AuthorityOutbox, delivery: OutboxDelivery, error: Exception) -> None:
    """Make a delivery a dead letter and log it."""
    reason = describe(error)
    LOG.error("delivery is a dead letter", kind=delivery.kind, subject=delivery.subject, reason=reason)
    outbox.mark_dead(delivery, reason)


def _reschedule(outbox: AuthorityOutbox, deliveries: Sequence[OutboxDelivery], reason: str) -> None:
    LOG.warning("deliveries rescheduled", stamps=len(deliveries), reason=reason)
    for delivery in deliveries:
        retry(outbox, delivery, reason)


def retry(
    outbox: AuthorityOutbox, delivery: OutboxDelivery, reason: str, schedule: RetrySchedule | None = None
) -> None:
    """Plan the next attempt, see `Outbox.retry`, and log a dead letter."""
    if not outbox.retry(delivery, reason, schedule):
        LOG.error("delivery is a dead letter", kind=delivery.kind, subject=delivery.subject, reason=reason)
