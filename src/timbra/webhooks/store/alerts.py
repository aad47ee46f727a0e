"""Conditions of accounts that webhooks tell once: certificates that expire, low balances."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from sqlalchemy import Connection, delete, insert, select

from timbra.database.tables.accounts import CSD
from timbra.database.tables.balances import BALANCE
from timbra.database.tables.webhooks import WEBHOOK, WEBHOOK_ALERT
from timbra.webhooks.kinds import BALANCE_LOW, CERTIFICATE_EXPIRING
from timbra.webhooks.store.events import Occurrence

ALERT = WEBHOOK_ALERT.c
_ACCOUNTS = select(WEBHOOK.c.account_id).where(WEBHOOK.c.enabled)


def known(connection: Connection, kind: str) -> set[tuple[int, str]]:
    """Return account and subject of the conditions that were told."""
    query = select(ALERT.account_id, ALERT.subject).where(ALERT.kind == kind)
    return {(row.account_id, row.subject) for row in connection.execute(query)}


def remember(connection: Connection, occurrence: Occurrence) -> None:
    """Record that a condition was told."""
    values = {
        "account_id": occurrence.account_id,
        "kind": occurrence.kind,
        "subject": occurrence.subject,
        "at": occurrence.at,
    }
    connection.execute(insert(WEBHOOK_ALERT).values(values))


def forget(connection: Connection, kind: str, ended: Iterable[tuple[int, str]]) -> None:
    """Delete conditions that ended, so that they are told again when they return."""
    for account_id, subject in ended:
        this = (ALERT.account_id == account_id, ALERT.kind == kind, ALERT.subject == subject)
        connection.execute(delete(WEBHOOK_ALERT).where(*this))


def expiring_certificates(connection: Connection, since: datetime, until: datetime, now: datetime) -> list[Occurrence]:
    """Return the active certificates whose validity ends in a period, of accounts with endpoints.

    Args:
        connection: Any transaction.
        since, until: The period, as fiscal instants.
        now: Wall instant.
    """
    expiring = (CSD.c.active, CSD.c.valid_to >= since, CSD.c.valid_to < until, CSD.c.account_id.in_(_ACCOUNTS))
    query = select(CSD.c.account_id, CSD.c.number, CSD.c.rfc, CSD.c.valid_to).where(*expiring)
    return [
        Occurrence(
            row.account_id,
            CERTIFICATE_EXPIRING,
            row.number,
            now,
            {"number": row.number, "rfc": row.rfc, "validTo": row.valid_to.strftime("%Y-%m-%dT%H:%M:%SZ")},
        )
        for row in connection.execute(query.order_by(CSD.c.account_id, CSD.c.number))
    ]


def low_balances(connection: Connection, below: int, now: datetime) -> list[Occurrence]:
    """Return the limited accounts with endpoints and fewer remaining stamps than `below`."""
    low = (BALANCE.c.remaining < below, ~BALANCE.c.unlimited, BALANCE.c.account_id.in_(_ACCOUNTS))
    query = select(BALANCE.c.account_id, BALANCE.c.remaining).where(*low).order_by(BALANCE.c.account_id)
    return [
        Occurrence(row.account_id, BALANCE_LOW, "", now, {"remaining": row.remaining, "threshold": below})
        for row in connection.execute(query)
    ]
