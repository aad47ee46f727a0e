"""The outbox of notices: e-mails about the security of an account."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, Row

from timbra.database.database import Database
from timbra.database.tables.logins import NOTICE
from timbra.database.transaction import Transaction
from timbra.events.outbox import Outbox
from timbra.events.retry import RetrySchedule, doubling

LEASE = timedelta(minutes=5)


@dataclass(frozen=True, slots=True)
class Notice:
    """A notice to one recipient.

    Attributes:
        subject: The kind of the notice and the account; one notice of each subject waits at a time.
        body: The text of the e-mail.
        due_at: Not before this wall instant; None when it could not be sent.
        attempts: Number of leases, the current one included.
    """

    subject: str
    recipient: str
    account_id: int
    body: str
    created_at: datetime
    due_at: datetime | None
    attempts: int = 0


class NoticeOutbox(Outbox[Notice]):
    """E-mails of the table `notice`. A row without `due_at` is a dead letter."""

    table = NOTICE
    key = (NOTICE.c.subject, NOTICE.c.recipient)
    subject = NOTICE.c.subject
    order = key
    reason = NOTICE.c.failure
    lease_term = LEASE
    retry_schedule = RetrySchedule(doubling(timedelta(minutes=1), timedelta(hours=2)), 8)

    def lease(self) -> list[Notice]:
        """Lease the notice that is due longest; empty when none is due."""
        return self._lease(1, LEASE)

    @property
    def _is_dead(self) -> ColumnElement[bool]:
        return NOTICE.c.due_at.is_(None)

    def _columns(self) -> Sequence[ColumnElement[Any]]:
        columns = NOTICE.c
        return (*self.key, columns.account_id, columns.body, columns.created_at, columns.due_at, columns.attempts)

    def _read(self, row: Row[Any]) -> Notice:
        return Notice(*tuple(row))

    def _key_of(self, delivery: Notice) -> tuple[str, str]:
        return delivery.subject, delivery.recipient

    def _dead_values(self) -> Mapping[str, object]:
        return {"due_at": None}


def insert_notice(database: Database, transaction: Transaction, notice: Notice) -> None:
    """Insert a notice, unless one of the same subject and recipient waits."""
    columns = NOTICE.c
    statement = database.insert(NOTICE).values(
        subject=notice.subject,
        recipient=notice.recipient,
        account_id=notice.account_id,
        body=notice.body,
        created_at=notice.created_at,
        due_at=notice.due_at,
        attempts=notice.attempts,
        failure="",
    )
    # A notice that could not be sent makes place for the next one.
    replaced = {name: getattr(statement.excluded, name) for name in ("body", "created_at", "due_at", "attempts")}
    transaction.execute(
        statement.on_conflict_do_update(
            index_elements=[columns.subject, columns.recipient], set_=replaced, where=columns.due_at.is_(None)
        )
    )
