"""The outbox of e-mails: stamped CFDI and their recipients. Its table is called `letter`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, and_

from timbra.core.clock import Clock
from timbra.database.database import Database
from timbra.database.tables.mail import EMAIL_OUTBOX
from timbra.events.event_log import Event, append_event
from timbra.events.outbox import Outbox
from timbra.events.retry import RetrySchedule, doubling

LEASE = timedelta(minutes=5)
"""Longer than the slowest delivery of one e-mail."""


@dataclass(frozen=True, slots=True)
class EmailDelivery:
    """A CFDI for a recipient.

    Attributes:
        uuid: The folio of the CFDI.
        due_at: Not before this wall instant; None for a dead letter.
        attempts: Number of leases, the current one included.
        reason: Why the last attempt failed; empty before the first failure.
    """

    uuid: str
    recipient: str
    account_id: int
    created_at: datetime
    due_at: datetime | None
    attempts: int
    reason: str


class EmailOutbox(Outbox[EmailDelivery]):
    """E-mails of the table `letter`. A row without `due_at` is a dead letter.

    The event log gets `mailed` for a sent e-mail and `mail-given-up` for a dead letter.
    """

    table = EMAIL_OUTBOX
    key = (EMAIL_OUTBOX.c.uuid, EMAIL_OUTBOX.c.recipient)
    subject = EMAIL_OUTBOX.c.uuid
    order = key
    reason = EMAIL_OUTBOX.c.failure
    lease_term = LEASE
    # Half a day until an e-mail is a dead letter.
    retry_schedule = RetrySchedule(doubling(timedelta(seconds=30), timedelta(hours=4)), 12)

    def __init__(self, database: Database, fiscal: Clock, wall: Clock | None = None) -> None:
        super().__init__(database, wall)
        self._fiscal = fiscal

    def lease(self, limit: int = 1, term: timedelta = LEASE) -> list[EmailDelivery]:
        """Lease e-mails that are due, oldest first."""
        return self._lease(limit, term)

    def list_pending(
        self, limit: int = 100, *, account_id: int | None = None, dead_only: bool = False
    ) -> list[EmailDelivery]:
        """Return e-mails that are not sent, of one account or of all, oldest first; dead letters included, or alone."""
        conditions = [] if account_id is None else [EMAIL_OUTBOX.c.account_id == account_id]
        return self._list(limit, dead_only, *conditions)

    @property
    def _is_dead(self) -> ColumnElement[bool]:
        return EMAIL_OUTBOX.c.due_at.is_(None)

    def _columns(self) -> Sequence[ColumnElement[Any]]:
        columns = EMAIL_OUTBOX.c
        return (*self.key, columns.account_id, columns.created_at, columns.due_at, columns.attempts, columns.failure)

    def _read(self, row: Row[Any]) -> EmailDelivery:
        return EmailDelivery(*tuple(row))

    def _key_of(self, delivery: EmailDelivery) -> tuple[str, str]:
        return delivery.uuid, delivery.recipient

    def _dead_values(self) -> Mapping[str, object]:
        return {"due_at": None}

    def _requeued_by(self, subject: str) -> ColumnElement[bool]:
        """The dead letters of a CFDI; the attempts of pending e-mails do not change."""
        return and_(self._is_dead, self.subject == subject)

    def _on_completed(self, connection: Connection, deliveries: Sequence[EmailDelivery]) -> None:
        for delivery in deliveries:
            self._append_event(connection, "mailed", delivery, {})

    def _on_dead(self, connection: Connection, delivery: EmailDelivery, reason: str) -> None:
        self._append_event(connection, "mail-given-up", delivery, {"attempts": delivery.attempts, "failure": reason})

    def _append_event(
        self, connection: Connection, kind: str, email: EmailDelivery, body: Mapping[str, object]
    ) -> None:
        content = {"to": email.recipient, **body}
        append_event(
            connection, Event(self._wall.now(), self._fiscal.now(), email.account_id, kind, email.uuid, "", content)
        )
