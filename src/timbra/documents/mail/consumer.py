"""The consumer of the event log that writes the e-mails of stamped documents."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Connection, Text, and_, cast

from timbra.database.database import Database
from timbra.database.tables.mail import EMAIL_OUTBOX
from timbra.database.tables.stamps import EVENT
from timbra.events.consumers import Consumer, Write
from timbra.events.event_log import Event

SINCE = 1
"""Programs that wrote the e-mails with their stamp left no recipients in the event."""


def email_consumer(database: Database) -> Consumer:
    def fan_out(_connection: Connection, events: Sequence[Event]) -> Write | None:
        rows = [row for event in events for row in _rows(event)]
        return (lambda connection: _insert(database, connection, rows)) if rows else None

    # The columns of an event are few, and most stamps are mailed to nobody.
    mailed = and_(EVENT.c.kind == "stamped", cast(EVENT.c.body, Text).contains('"mail_to":'))
    return Consumer("email", SINCE, mailed, fan_out)


def _rows(event: Event) -> list[dict[str, object]]:
    recipients = event.body.get("mail_to", ())
    assert isinstance(recipients, Sequence)  # noqa: S101
    return [
        {
            "uuid": event.subject,
            "recipient": recipient,
            "account_id": event.account_id,
            "created_at": event.at,
            "due_at": event.at,
            "attempts": 0,
            "failure": "",
        }
        for recipient in recipients
    ]


def _insert(database: Database, connection: Connection, rows: Sequence[dict[str, object]]) -> None:
    connection.execute(database.insert(EMAIL_OUTBOX).on_conflict_do_nothing(), rows)
