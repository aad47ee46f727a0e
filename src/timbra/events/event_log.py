"""The event log: history of stamps, deliveries, e-mails and cancellations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, insert, or_, select

from timbra.core.periods import Period
from timbra.database.damaged_values import DamagedJson
from timbra.database.database import Database
from timbra.database.tables.column_types import DAMAGED_INSTANTS
from timbra.database.tables.stamps import EVENT, IS_CANCELLATION

FORMAT = 2
"""Of new events: their consumers read them from the log."""

PAGE = 1000


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

    def instant(self, name: str) -> datetime | None:
        """Return a value of the body; None for another type, as the further ones."""
        text = self.body.get(name)
        return datetime.fromisoformat(text) if isinstance(text, str) and text else None

    def number(self, name: str) -> int | None:
        value = self.body.get(name)
        return value if isinstance(value, int) else None

    def texts(self, name: str) -> list[str]:
        values = self.body.get(name)
        return [str(one) for one in values] if isinstance(values, list | tuple) else []


COLUMNS = tuple(EVENT.c[item.name] for item in fields(Event))
NUMBERED = select(EVENT.c.id, *COLUMNS)
"""Rows of a number and the values of an `Event`."""


def event_of(row: Sequence[Any]) -> Event:
    """Return the event of a row of `NUMBERED`; of a damaged one what can be read, so that the others are."""
    _, at, fiscal_at, account_id, kind, subject, request_id, body = row
    return Event(
        at or DAMAGED_INSTANTS[0],
        fiscal_at or DAMAGED_INSTANTS[0],
        account_id,
        kind,
        subject,
        request_id,
        body if isinstance(body, dict) else DamagedJson(),
    )


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
    return None if row is None else event_of(row)


def cancellation_events(database: Database, uuid: str) -> Sequence[Event]:
    """Return the cancellation events of a CFDI in the order of fiscal time. The folio is in lower case."""
    rows = NUMBERED.where(EVENT.c.subject == uuid, IS_CANCELLATION).order_by(EVENT.c.fiscal_at, EVENT.c.id)
    with database.read() as connection:
        return [event_of(row) for row in connection.execute(rows)]


def events_between(database: Database, period: Period, prefixes: Sequence[str] = ()) -> Iterator[Event]:
    """Yield the events of a period in their order.

    Args:
        period: Wall instants.
        prefixes: How the kinds begin; empty for all events.
    """
    after = 0
    kinds = [EVENT.c.kind.startswith(prefix, autoescape=True) for prefix in prefixes]
    while True:
        query = NUMBERED.where(EVENT.c.id > after, EVENT.c.at >= period.since, EVENT.c.at < period.until)
        if kinds:
            query = query.where(or_(*kinds))
        with database.read() as connection:
            rows = connection.execute(query.order_by(EVENT.c.id).limit(PAGE)).all()
        if not rows:
            return
        yield from (event_of(row) for row in rows)
        after = rows[-1].id


def newest_events(database: Database, kind: str, subjects: Sequence[str], limit: int) -> Sequence[Event]:
    """Return the newest events of a kind, newest first.

    Args:
        subjects: The subjects; empty for all.
        limit: The maximum number.
    """
    query = NUMBERED.where(EVENT.c.kind == kind).order_by(EVENT.c.id.desc()).limit(limit)
    if subjects:
        query = query.where(EVENT.c.subject.in_(subjects))
    with database.read() as connection:
        return [event_of(row) for row in connection.execute(query)]
