"""Events of webhooks: their body, and their insert with a delivery for each endpoint."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from itertools import starmap
from typing import TypeAlias
from uuid import uuid4

import orjson
from sqlalchemy import Connection, func, insert, select

from timbra.database.membership import rows_in
from timbra.database.tables.accounts import ACCOUNT
from timbra.database.tables.core import IDENTITY
from timbra.database.tables.webhooks import WEBHOOK, WEBHOOK_DELIVERY, WEBHOOK_EVENT
from timbra.webhooks.kinds import read_kinds

EVENT = WEBHOOK_EVENT.c


@dataclass(frozen=True, slots=True)
class WebhookEvent:
    """A stored event.

    Attributes:
        subject: A folio in lower case, a batch, the number of a certificate; empty without one.
        body: The JSON that endpoints get.
    """

    id: str
    account_id: int
    kind: str
    subject: str
    created_at: datetime
    body: str


@dataclass(frozen=True, slots=True)
class Occurrence:
    """What happened.

    Attributes:
        kind: One of `KINDS`.
        subject: See `WebhookEvent`.
        at: Wall instant.
        content: The member `data.object`: small, without XML and without secrets.
    """

    account_id: int
    kind: str
    subject: str
    at: datetime
    content: Mapping[str, object]


NewEvent: TypeAlias = tuple[WebhookEvent, Sequence[str]]
"""An event, and the endpoints that get it."""


def new_event_id() -> str:
    """Return the identifier of a new event, by which receivers recognise a repetition."""
    return f"evt_{uuid4().hex}"


def event_text(event_id: str, occurrence: Occurrence, *, environment: str, account: str, sequence: int) -> str:
    """Return the body of an event.

    Args:
        occurrence: What happened.
        environment: A name of `timbra.core.environments`.
        account: The user name of the account.
        sequence: The position of the event among those of its subject, from 1.
    """
    body = {
        "id": event_id,
        "type": occurrence.kind,
        "created": occurrence.at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ"),
        "mode": environment,
        "account": account,
        "sequence": sequence,
        "data": {"object": dict(occurrence.content)},
    }
    return orjson.dumps(body).decode()


def new_events(connection: Connection, occurrences: Sequence[Occurrence]) -> list[NewEvent]:
    """Return events with the endpoints that subscribe to them; those without one are left out. Only reads.

    An endpoint gets what happens after it was created, also when the event log is read late.
    """
    accounts = sorted({occurrence.account_id for occurrence in occurrences})
    subscribers: dict[tuple[int, str], list[tuple[str, datetime]]] = {}
    query = select(WEBHOOK.c.id, WEBHOOK.c.account_id, WEBHOOK.c.events, WEBHOOK.c.created_at).where(WEBHOOK.c.enabled)
    for row in rows_in(connection, query.order_by(WEBHOOK.c.id), WEBHOOK.c.account_id, accounts):
        for kind in read_kinds(row.events):
            subscribers.setdefault((row.account_id, kind), []).append((row.id, row.created_at))
    told = []
    for occurrence in occurrences:
        found = subscribers.get((occurrence.account_id, occurrence.kind), ())
        if webhooks := [webhook for webhook, created_at in found if created_at <= occurrence.at]:
            told.append((occurrence, webhooks))
    return events_for(connection, told)


def events_for(connection: Connection, told: Sequence[tuple[Occurrence, Sequence[str]]]) -> list[NewEvent]:
    """Return an event for each occurrence and its endpoints. Only reads."""
    if not told:
        return []
    users = dict(_users(connection, {occurrence.account_id for occurrence, _ in told}))
    environment = connection.execute(select(IDENTITY.c.value).where(IDENTITY.c.name == "environment")).scalar()
    known = _counts(connection, {occurrence.subject for occurrence, _ in told if occurrence.subject})

    def event(occurrence: Occurrence, webhooks: Sequence[str]) -> NewEvent:
        event_id, subject = new_event_id(), (occurrence.account_id, occurrence.subject)
        known[subject] += 1
        body = event_text(
            event_id,
            occurrence,
            environment=environment or "",
            account=users.get(occurrence.account_id, ""),
            sequence=known[subject] if occurrence.subject else 1,
        )
        account_id, kind, at = occurrence.account_id, occurrence.kind, occurrence.at
        return WebhookEvent(event_id, account_id, kind, occurrence.subject, at, body), webhooks

    return list(starmap(event, told))


def insert_events(connection: Connection, events: Sequence[NewEvent]) -> None:
    """Insert events and a delivery for each of their endpoints."""
    if not events:
        return
    connection.execute(insert(WEBHOOK_EVENT), [asdict(event) for event, _ in events])
    deliveries = [
        {
            "event_id": event.id,
            "webhook_id": webhook,
            "created_at": event.created_at,
            "due_at": event.created_at,
            "attempts": 0,
            "failure": "",
        }
        for event, webhooks in events
        for webhook in webhooks
    ]
    connection.execute(insert(WEBHOOK_DELIVERY), deliveries)


def publish(connection: Connection, occurrence: Occurrence) -> bool:
    """Insert an event for the endpoints that subscribe to it; return whether there is one."""
    events = new_events(connection, [occurrence])
    insert_events(connection, events)
    return bool(events)


def insert_event(connection: Connection, occurrence: Occurrence, webhooks: Sequence[str]) -> WebhookEvent:
    """Insert an event and its deliveries for these endpoints."""
    [new] = events_for(connection, [(occurrence, webhooks)])
    insert_events(connection, [new])
    return new[0]


def find_event(connection: Connection, event_id: str) -> WebhookEvent | None:
    """Return an event; None when it is unknown or its retention has ended."""
    row = connection.execute(select(WEBHOOK_EVENT).where(EVENT.id == event_id)).one_or_none()
    return None if row is None else WebhookEvent(*tuple(row))


def _users(connection: Connection, accounts: Collection[int]) -> Iterator[tuple[int, str]]:
    query = select(ACCOUNT.c.id, ACCOUNT.c.user)
    return ((row.id, row.user) for row in rows_in(connection, query, ACCOUNT.c.id, sorted(accounts)))


def _counts(connection: Connection, subjects: Collection[str]) -> Counter[tuple[int, str]]:
    """Return how many events of each account and subject there are."""
    query = select(EVENT.account_id, EVENT.subject, func.count().label("number"))
    query = query.group_by(EVENT.account_id, EVENT.subject)
    rows = rows_in(connection, query, EVENT.subject, sorted(subjects))
    return Counter({(row.account_id, row.subject): row.number for row in rows})
