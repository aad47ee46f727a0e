"""The event log and the audit log as tests read them."""

from __future__ import annotations

from sqlalchemy import select
from tests.support.store_records import MovableClock

from timbra.database.database import Database
from timbra.database.tables.audit import AUDIT_EVENT
from timbra.database.tables.stamps import EVENT
from timbra.delivery.consumer import DELIVERIES
from timbra.events.audit.events import AuditEvent, event_of
from timbra.events.dispatcher import EventDispatcher
from timbra.events.event_log import NUMBERED, Event


def list_events(database: Database) -> list[Event]:
    """Return all events, oldest first."""
    with database.read() as connection:
        return [Event(*row[1:]) for row in connection.execute(NUMBERED.order_by(EVENT.c.id))]


def list_audit_events(database: Database, kind: str = "") -> list[AuditEvent]:
    """Return the events of the audit log, of one kind or all, oldest first."""
    with database.read() as connection:
        rows = connection.execute(select(AUDIT_EVENT).order_by(AUDIT_EVENT.c.id)).all()
    return [event_of(row) for row in rows if kind in ("", row.kind)]


def write_deliveries(database: Database) -> None:
    """Write the deliveries of new stamps into the outbox."""
    EventDispatcher(database, [DELIVERIES], MovableClock()).run()
