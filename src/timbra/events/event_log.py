"""The event log: history of stamps, deliveries, e-mails and cancellations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import datetime

from sqlalchemy import Connection, insert, select

from timbra.database.database import Database
from timbra.database.tables.stamps import EVENT, IS_CANCELLATION

FORMAT = 1
"""Of new events: their consumers read them from the log."""


@dataclass(frozen=True, slots=True)
class Event:
    """An event.

    Attributes:
        at: Wall instant.
        fiscal_at: The same moment in fiscal time.
        account_id: The account; None for an event without one.
        kind: A past participle such as `stamped`.
        subject: A folio, the number of a certificate, a user.
        request_id: The identifier of the HTTP request; empty without one.
        body: Further JSON without secrets.
    """

    at: datetime
    fiscal_at: datetime
    account_id: int | None
    kind: str
    subject: str
    request_id: str
    body: Mapping[str, object] = field(default_factory=dict)


COLUMNS = tuple(EVENT.c[item.name] for item in fields(Event))
NUMBERED = select(EVENT.c.id, *COLUMNS)
"""Rows of a number and the values of an `Event`."""


def append_event(connection: Connection, event: Event) -> int:
    """Insert an event within the transaction of its change; return its number."""
    number: int = connection.execute(insert(EVENT).values(_values(event)).returning(EVENT.c.id)).scalar_one()
    return number


def append_events(connection: Connection, events: Sequence[Event]) -> None:
    """Insert events within the transaction of their change, by one statement."""
    if events:
        connection.execute(insert(EVENT), [_values(event) for event in events])


def _values(event: Event) -> dict[str, object]:
    values = {column.name: getattr(event, column.name) for column in COLUMNS}
    return {**values, "body": dict(event.body), "format": FORMAT}


def event_by_number(database: Database, number: int) -> Event | None:
    with database.read() as connection:
        row = connection.execute(NUMBERED.where(EVENT.c.id == number)).one_or_none()
    return None if row is None else Event(*row[1:])


def cancellation_events(database: Database, uuid: str) -> Sequence[Event]:
    """Return the cancellation events of a CFDI in the order of fiscal time. The folio is in lower case."""
    rows = NUMBERED.where(EVENT.c.subject == uuid, IS_CANCELLATION).order_by(EVENT.c.fiscal_at, EVENT.c.id)
    with database.read() as connection:
        return [Event(*row[1:]) for row in connection.execute(rows)]
