"""The outbox of webhooks: one delivery for each event and endpoint."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, select, update

from timbra.database.tables.webhooks import WEBHOOK, WEBHOOK_DELIVERY
from timbra.events.outbox import Outbox
from timbra.events.retry import RetrySchedule

LEASE = timedelta(seconds=60)
"""Longer than the slowest attempt."""
WAITS = (
    timedelta(minutes=1),
    timedelta(minutes=5),
    timedelta(minutes=30),
    timedelta(hours=2),
    timedelta(hours=5),
    *[timedelta(hours=10)] * 6,
)
"""After each failed attempt; the last one is made less than 72 hours after the first."""


@dataclass(frozen=True, slots=True)
class WebhookDelivery:
    """An event for an endpoint.

    Attributes:
        due_at: Not before this wall instant; None for a dead letter.
        attempts: Number of leases, the current one included.
        failure: Why the last attempt failed; empty before the first failure.
    """

    event_id: str
    webhook_id: str
    created_at: datetime
    due_at: datetime | None
    attempts: int
    failure: str


class WebhookOutbox(Outbox[WebhookDelivery]):
    """Deliveries of the table `webhook_delivery`. A row without `due_at` is a dead letter."""

    table = WEBHOOK_DELIVERY
    key = (WEBHOOK_DELIVERY.c.event_id, WEBHOOK_DELIVERY.c.webhook_id)
    subject = WEBHOOK_DELIVERY.c.event_id
    order = key
    reason = WEBHOOK_DELIVERY.c.failure
    lease_term = LEASE
    retry_schedule = RetrySchedule(WAITS, len(WAITS) + 1, (0.9, 1.1))

    def lease(self, limit: int) -> list[WebhookDelivery]:
        """Lease deliveries that are due, oldest first; none of an endpoint that is paused after a failure."""
        paused = select(WEBHOOK.c.id).where(WEBHOOK.c.paused_until > self._wall.now())
        return self._lease(limit, LEASE, self.table.c.webhook_id.not_in(paused))

    def make_due_of(self, webhook_id: str) -> int:
        """See `Outbox.make_due`; the deliveries of one endpoint."""
        return self.make_due(self.table.c.webhook_id == webhook_id)

    def end_all(self, connection: Connection, webhook_id: str, reason: str) -> None:
        """Make the waiting deliveries of an endpoint dead letters, within the caller's transaction."""
        mine = (self.table.c.webhook_id == webhook_id, self.table.c.due_at.is_not(None))
        connection.execute(update(self.table).where(*mine).values(due_at=None, failure=reason))

    def resend(self, connection: Connection, webhook_id: str, event_id: str | None = None) -> int:
        """Deliver an event of an endpoint again, or all its dead letters for None, from now on; return how many.

        An event that was delivered already is inserted again, so that its receiver gets it once more.
        """
        now, columns = self._wall.now(), self.table.c
        values = {"due_at": now, "attempts": 0, "failure": ""}
        if event_id is None:
            dead = (columns.webhook_id == webhook_id, columns.due_at.is_(None))
            return connection.execute(update(self.table).where(*dead).values(values)).rowcount
        row = {"event_id": event_id, "webhook_id": webhook_id, "created_at": now, **values}
        statement = self._database.insert(self.table).values(row)
        statement = statement.on_conflict_do_update(index_elements=[*self.key], set_=values)
        connection.execute(statement)
        return 1

    @property
    def _is_dead(self) -> ColumnElement[bool]:
        return WEBHOOK_DELIVERY.c.due_at.is_(None)

    def _columns(self) -> Sequence[ColumnElement[Any]]:
        columns = WEBHOOK_DELIVERY.c
        return (*self.key, columns.created_at, columns.due_at, columns.attempts, columns.failure)

    def _read(self, row: Row[Any]) -> WebhookDelivery:
        return WebhookDelivery(*tuple(row))

    def _key_of(self, delivery: WebhookDelivery) -> tuple[str, str]:
        return delivery.event_id, delivery.webhook_id

    def _dead_values(self) -> Mapping[str, object]:
        return {"due_at": None}
