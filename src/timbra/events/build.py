"""Construction of what records events."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import structlog

from timbra.container import Container
from timbra.container.build import fiscal_clock
from timbra.core.errors import ServiceError
from timbra.core.features import features
from timbra.database.build import opened_database
from timbra.events.audit.audit import Audit
from timbra.events.audit.counts import KEY_USED, UseCounter
from timbra.events.audit.recorder import AuditRecorder
from timbra.events.consumers import Consumer, IsRead, read_by
from timbra.events.dispatcher import EventDispatcher
from timbra.events.email import EmailOutbox
from timbra.events.recorder import EventRecorder


def event_consumers(container: Container) -> Sequence[Consumer]:
    """Build the consumers of the event log, which features declare."""
    return [build(container) for feature in features() for build in feature.load(feature.consumers, "CONSUMERS")]


def event_dispatcher(container: Container) -> EventDispatcher:
    """Build what turns new events into the work of their consumers."""
    return EventDispatcher(container.get(opened_database), container.get(event_consumers), container.wall)


def dispatch_events(container: Container) -> None:
    """Turn new events into the work of their consumers."""
    container.get(event_dispatcher).run()


def is_event_read(container: Container) -> IsRead:
    """Return whether a consumer reads the events of a kind of an account."""
    return read_by(lambda: container.get(event_consumers))


def email_outbox(container: Container) -> EmailOutbox:
    """Build the outbox of e-mails."""
    return EmailOutbox(container.get(opened_database), container.get(fiscal_clock), container.wall)


def event_recorder(container: Container) -> EventRecorder:
    """Build the event log, for events that belong to no other change."""
    return EventRecorder(container.get(opened_database), container.wall, container.get(fiscal_clock))


def audit_writer(container: Container) -> Audit:
    """Build what writes events of the audit log."""
    return Audit(container.wall, container.get(fiscal_clock))


def audit_recorder(container: Container) -> AuditRecorder:
    """Build what writes events of the audit log that belong to no other change."""
    return AuditRecorder(container.get(opened_database), container.get(audit_writer))


def use_counter(container: Container) -> UseCounter:
    """Build the counter of logins, and of uses of tokens and keys, for the audit log."""
    counter = UseCounter(container.get(opened_database), container.wall, container.get(fiscal_clock))
    container.closing.callback(_flush, counter)
    return counter


def signature_counter(container: Container) -> Callable[[str], None]:
    """Return a function that counts a use of the key of the provider's certificate of a number."""
    counter = container.get(use_counter)
    return lambda number: counter.count(KEY_USED, None, "", number)


def _flush(counter: UseCounter) -> None:
    """Write the counts of uses since the last run of the job; they are lost when the database is unreachable."""
    try:
        counter.flush()
    except ServiceError as error:
        structlog.get_logger("timbra.audit").warning("uses lost", code=error.code, detail=error.detail)


SERVICES = {EventRecorder: event_recorder, AuditRecorder: audit_recorder}
