"""Events for webhooks: their body, and their insert in the transaction of what they tell."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

import orjson
from sqlalchemy import Connection, Row, func, insert, select

from timbra.database.tables.accounts import ACCOUNT
from timbra.database.tables.core import IDENTITY
from timbra.database.tables.webhooks import WEBHOOK, WEBHOOK_DELIVERY, WEBHOOK_EVENT
from timbra.events.kinds import read_kinds

EVENT, DELIVERY = WEBHOOK_EVENT.c, WEBHOOK_DELIVERY.c


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


def publish(connection: Connection, occurrence: Occurrence) -> bool:
    """Insert an event and its deliveries for the endpoints that subscribe to its kind; nothing when none does.

    Args:
        connection: The write transaction of the change.
        occurrence: What happened.

    Returns:
        Whether an endpoint gets the event.
    """
    webhooks = [
        row.id for row in _enabled(connection, occurrence.account_id) if occurrence.kind in read_kinds(row.events)
    ]
    if webhooks:
        insert_event(connection, occurrence, webhooks)
    return bool(webhooks)


def insert_event(connection: Connection, occurrence: Occurrence, webhooks: Sequence[str]) -> WebhookEvent:
    """Insert an event and its deliveries for these endpoints."""
    account = connection.execute(select(ACCOUNT.c.user).where(ACCOUNT.c.id == occurrence.account_id)).scalar()
    environment = connection.execute(select(IDENTITY.c.value).where(IDENTITY.c.name == "environment")).scalar()
    event_id = new_event_id()
    body = event_text(
        event_id,
        occurrence,
        environment=environment or "",
        account=account or "",
        sequence=_next_sequence(connection, occurrence),
    )
    event = WebhookEvent(event_id, occurrence.account_id, occurrence.kind, occurrence.subject, occurrence.at, body)
    connection.execute(
        insert(WEBHOOK_EVENT).values(
            id=event.id,
            account_id=event.account_id,
            kind=event.kind,
            subject=event.subject,
            created_at=event.created_at,
            body=event.body,
        )
    )
    rows = [
        {
            "event_id": event_id,
            "webhook_id": webhook,
            "created_at": occurrence.at,
            "due_at": occurrence.at,
            "attempts": 0,
            "failure": "",
        }
        for webhook in webhooks
    ]
    connection.execute(insert(WEBHOOK_DELIVERY), rows)
    return event


def find_event(connection: Connection, event_id: str) -> WebhookEvent | None:
    """Return an event; None when it is unknown or its retention has ended."""
    row = connection.execute(select(WEBHOOK_EVENT).where(EVENT.id == event_id)).one_or_none()
    return None if row is None else WebhookEvent(*tuple(row))


def _enabled(connection: Connection, account_id: int) -> Sequence[Row[*tuple[Any, ...]]]:
    query = select(WEBHOOK.c.id, WEBHOOK.c.events).where(WEBHOOK.c.account_id == account_id, WEBHOOK.c.enabled)
    return connection.execute(query).all()


def _next_sequence(connection: Connection, occurrence: Occurrence) -> int:
    if not occurrence.subject:
        return 1
    query = select(func.count()).where(EVENT.subject == occurrence.subject, EVENT.account_id == occurrence.account_id)
    return connection.execute(query).scalar_one() + 1
