"""Construction of the outboxes of deliveries, and their jobs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from timbra.container import Container
from timbra.container.build import fiscal_clock
from timbra.database.build import opened_database
from timbra.delivery.consumer import DELIVERIES
from timbra.delivery.delivered_events import DeliveredEvents
from timbra.delivery.deliveries import AuthorityOutbox, Backlog
from timbra.delivery.ports import authority_work
from timbra.delivery.receptions import DeliveryState, ReceptionRepository
from timbra.events.build import dispatch_events, email_outbox, is_event_read
from timbra.events.consumers import Consumer
from timbra.events.event_log import FORMAT
from timbra.web.server.feature_jobs import FeatureJobs, by_holder
from timbra.web.server.periodic_jobs import PeriodicJob


def authority_outbox(container: Container) -> AuthorityOutbox:
    """Build the outbox of deliveries to the authority."""
    get = container.get
    attempts = container.settings.delivery_attempts
    return AuthorityOutbox(get(opened_database), container.wall, attempts, get(delivered_events))


def delivered_events(container: Container) -> DeliveredEvents:
    """Build what appends the events of deliveries."""
    return DeliveredEvents(container.get(is_event_read), container.wall, container.get(fiscal_clock))


def reception_repository(container: Container) -> ReceptionRepository:
    """Build the answers of the authority to deliveries; a sandbox answers none, its ledger has the stamps."""
    return ReceptionRepository(container.get(opened_database), container.get(delivered_events))


def delivery_state(container: Container) -> Callable[[str], DeliveryState]:
    """Return a function that returns the state of the delivery of a stamp, by its folio."""
    return container.get(reception_repository).state_of


def delivery_backlog(container: Container) -> Callable[[], Backlog]:
    """Return a function that counts the pending deliveries of the outbox, and the dead letters of both outboxes."""
    outbox, email = container.get(authority_outbox), container.get(email_outbox)

    def count() -> Backlog:
        backlog, emails = outbox.backlog(), email.dead_count()
        return replace(backlog, dead={**backlog.dead, "letter": emails}) if emails else backlog

    return count


def event_consumer(_container: Container) -> Consumer:
    """Return the consumer of the event log that writes the deliveries of stamps."""
    return DELIVERIES


def _worker_jobs(container: Container) -> list[PeriodicJob]:
    return [PeriodicJob("queue", 0.5, container.get(authority_work).measure_queue, idle_seconds=4)]


def _delivery_jobs(container: Container) -> list[PeriodicJob]:
    work = container.get(authority_work)
    return [
        # A lease for each format: a program of before, which may deliver for all nodes, has fewer consumers.
        by_holder(container, "events", 0.5, partial(dispatch_events, container), lease=f"events {FORMAT}"),
        by_holder(container, "deliver", 0.5, work.deliver),
        # Not with the deliveries: a cancellation service that does not answer must not delay them.
        by_holder(container, "resend", 1, work.resend),
        by_holder(container, "refresh", 1, work.refresh),
    ]


CONSUMERS = (event_consumer,)
JOBS = FeatureJobs(worker=_worker_jobs, delivery=_delivery_jobs)
