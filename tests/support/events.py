"""The event log as tests read it."""

from __future__ import annotations

from sqlalchemy import select

from timbra.store.database.database import Database
from timbra.store.events.event_log import Event
from timbra.store.tables.stamps import EVENT


def list_events(database: Database) -> list[Event]:
    """Return all events, oldest first."""
    with database.read() as connection:
        return [Event(*row[1:]) for row in connection.execute(select(EVENT).order_by(EVENT.c.id))]
