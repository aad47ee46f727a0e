"""Endpoints of webhooks, and the log of their deliveries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, and_, delete, func, insert, or_, select, union, update

from timbra.database.database import Database
from timbra.database.tables.webhooks import AREA, WEBHOOK, WEBHOOK_ATTEMPT, WEBHOOK_DELIVERY, WEBHOOK_EVENT
from timbra.webhooks.kinds import read_kinds, write_kinds
from timbra.webhooks.store.models import Attempt, DeliveryLine, Webhook

W, A, D, E = WEBHOOK.c, WEBHOOK_ATTEMPT.c, WEBHOOK_DELIVERY.c, WEBHOOK_EVENT.c
_ATTEMPT_COLUMNS = tuple(column for column in A if column is not A.id)


class WebhookRepository:
    """Rows of `webhook` and `webhook_attempt`. Every method runs in a transaction of the caller."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def list_of(self, connection: Connection, account_id: int) -> list[Webhook]:
        """Return the endpoints of an account, oldest first."""
        query = select(WEBHOOK).where(W.account_id == account_id).order_by(W.created_at, W.id)
        return [_read(row) for row in connection.execute(query)]

    def find(self, connection: Connection, webhook_id: str, account_id: int | None = None) -> Webhook | None:
        """Return an endpoint of an account, or of any account for None."""
        query = select(WEBHOOK).where(W.id == webhook_id)
        if account_id is not None:
            query = query.where(W.account_id == account_id)
        row = connection.execute(query).one_or_none()
        return None if row is None else _read(row)

    def save(self, connection: Connection, webhook: Webhook) -> None:
        """Insert or replace an endpoint; the caches of all processes are read again."""
        values = {name: getattr(webhook, name) for name in WEBHOOK.c.keys()}  # noqa: SIM118
        values["events"] = write_kinds(webhook.events)
        statement = self._database.insert(WEBHOOK).values(values)
        connection.execute(statement.on_conflict_do_update(index_elements=[W.id], set_=values))
        self._database.bump(connection, AREA)

    def delete(self, connection: Connection, webhook_id: str) -> None:
        """Delete an endpoint, its deliveries and its log."""
        for column in (D.webhook_id, A.webhook_id, W.id):
            connection.execute(delete(column.table).where(column == webhook_id))
        self._database.bump(connection, AREA)

    def disable(self, connection: Connection, webhook_id: str, reason: str) -> bool:
        """Disable an endpoint; return whether it was enabled. The caller bumps the version of the caches."""
        values = {"enabled": False, "disabled_reason": reason}
        return connection.execute(update(WEBHOOK).where(W.id == webhook_id, W.enabled).values(values)).rowcount > 0

    def record(self, connection: Connection, attempt: Attempt, values: Mapping[str, object]) -> None:
        """Append an attempt to the log, and set the values of its endpoint that follow from it.

        Args:
            connection: A write transaction.
            values: Columns of `webhook`; no cache depends on them.
        """
        row = {column.name: getattr(attempt, column.name) for column in _ATTEMPT_COLUMNS}
        connection.execute(insert(WEBHOOK_ATTEMPT).values(row))
        connection.execute(update(WEBHOOK).where(W.id == attempt.webhook_id).values(dict(values)))

    def lines(self, connection: Connection, webhook_id: str, limit: int) -> list[DeliveryLine]:
        """Return the delivery log of an endpoint, the newest events first."""
        attempted = select(A.event_id, func.max(A.id).label("last"), func.count().label("attempts"))
        attempts = attempted.where(A.webhook_id == webhook_id).group_by(A.event_id).subquery()
        mine = and_(D.event_id == E.id, D.webhook_id == webhook_id)
        query = (
            select(E.id, E.kind, E.subject, E.created_at, D.event_id, D.due_at, attempts.c.attempts, *_ATTEMPT_COLUMNS)
            .select_from(WEBHOOK_EVENT)
            .outerjoin(WEBHOOK_DELIVERY, mine)
            .outerjoin(attempts, attempts.c.event_id == E.id)
            .outerjoin(WEBHOOK_ATTEMPT, A.id == attempts.c.last)
            .where(or_(D.event_id.is_not(None), attempts.c.event_id.is_not(None)))
            .order_by(E.created_at.desc(), E.id)
            .limit(limit)
        )
        return [_line(tuple(row)) for row in connection.execute(query)]

    def attempts_of(self, connection: Connection, webhook_id: str, event_id: str) -> list[Attempt]:
        """Return the attempts to deliver an event to an endpoint, oldest first."""
        query = select(*_ATTEMPT_COLUMNS).where(A.webhook_id == webhook_id, A.event_id == event_id).order_by(A.id)
        return [Attempt(*tuple(row)) for row in connection.execute(query)]

    def has_event(self, connection: Connection, webhook_id: str, event_id: str) -> bool:
        """Whether an event was meant for an endpoint: it waits, is a dead letter, or was delivered."""
        queries = (
            select(D.event_id).where(D.webhook_id == webhook_id, D.event_id == event_id),
            select(A.event_id).where(A.webhook_id == webhook_id, A.event_id == event_id),
        )
        return any(connection.execute(query.limit(1)).first() is not None for query in queries)

    def meant(self, connection: Connection, account_id: int, subject: str) -> list[tuple[str, str]]:
        """Return the events of a subject, oldest first, each with every enabled endpoint that `has_event`."""
        mine = select(E.id).where(E.account_id == account_id, E.subject == subject)
        pairs = union(
            select(D.event_id, D.webhook_id).where(D.event_id.in_(mine)),
            select(A.event_id, A.webhook_id).where(A.event_id.in_(mine)),
        ).subquery()
        query = (
            select(pairs.c.event_id, pairs.c.webhook_id)
            .join(WEBHOOK_EVENT, E.id == pairs.c.event_id)
            .join(WEBHOOK, W.id == pairs.c.webhook_id)
            .where(W.enabled, W.account_id == account_id)
            .order_by(E.created_at, E.id, W.id)
        )
        return [(row.event_id, row.webhook_id) for row in connection.execute(query)]

    def expire(self, connection: Connection, before: datetime) -> int:
        """Delete events, deliveries and attempts of an earlier time; return the number of events."""
        connection.execute(delete(WEBHOOK_ATTEMPT).where(A.at < before))
        old = select(E.id).where(E.created_at < before)
        connection.execute(delete(WEBHOOK_DELIVERY).where(D.event_id.in_(old)))
        return connection.execute(delete(WEBHOOK_EVENT).where(E.created_at < before)).rowcount

    def sealed(self, connection: Connection) -> Sequence[Webhook]:
        """Return every endpoint, for the rotation of the master key."""
        return [_read(row) for row in connection.execute(select(WEBHOOK).order_by(W.id))]


def _read(row: Row[Any]) -> Webhook:
    values = dict(row._mapping)
    values["events"] = read_kinds(values["events"])
    return Webhook(**values)


def _line(row: tuple[Any, ...]) -> DeliveryLine:
    event_id, kind, subject, created_at, waiting, due_at, attempts, *attempt = row
    last = Attempt(*attempt) if attempt[0] is not None else None
    state = "delivered" if waiting is None else "failed" if due_at is None else "waiting"
    return DeliveryLine(event_id, kind, subject, created_at, state, attempts or 0, due_at, last)
