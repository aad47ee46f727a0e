"""Events of the audit log: written in the transaction of the change, and read by filters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import datetime

import orjson
from sqlalchemy import ColumnElement, Connection, Row, insert, select

from timbra.core.text import storable
from timbra.database.tables.audit import AUDIT_EVENT, AUDIT_LINK, AUDIT_PENDING

EVENT, LINK = AUDIT_EVENT.c, AUDIT_LINK.c


@dataclass(frozen=True, slots=True)
class AuditEvent:
    """An event; the columns of `audit_event` without its number.

    Attributes:
        at: Wall instant.
        fiscal_at: The same moment in fiscal time.
        body: JSON text.
    """

    at: datetime
    fiscal_at: datetime
    kind: str
    actor_kind: str
    actor: str
    actor_account_id: int | None
    account_id: int | None
    subject: str
    address: str
    request_id: str
    body: str = "{}"


AUDIT_COLUMNS = tuple(field.name for field in fields(AuditEvent))
"""The columns of `audit_event` except its number."""


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """A stored event.

    Attributes:
        sequence: Its place in the chain; None before it is chained.
    """

    number: int
    event: AuditEvent
    sequence: int | None


@dataclass(frozen=True, slots=True)
class AuditFilter:
    """Conditions of a list of events; None and an empty text are no condition.

    Attributes:
        account_id: The account that the events are about.
        kind: A kind, or its beginning up to a dot, such as `token`.
        actor: A user name.
        subject: The subject.
        since, until: Wall instants; `until` is exclusive.
    """

    account_id: int | None = None
    kind: str = ""
    actor: str = ""
    subject: str = ""
    since: datetime | None = None
    until: datetime | None = None


def body_text(body: Mapping[str, object]) -> str:
    """Return the JSON text of a body: sorted keys, without blanks."""
    return orjson.dumps(body, option=orjson.OPT_SORT_KEYS | orjson.OPT_NON_STR_KEYS, default=str).decode()


def append_audit_event(connection: Connection, event: AuditEvent) -> int:
    """Insert an event within the transaction of its change; return its number. A later job chains it."""
    values = {name: getattr(event, name) for name in AUDIT_COLUMNS}
    for name in ("actor", "subject", "address", "request_id"):
        values[name] = storable(values[name])
    number: int = connection.execute(insert(AUDIT_EVENT).values(values).returning(EVENT.id)).scalar_one()
    connection.execute(insert(AUDIT_PENDING).values(event_id=number))
    return number


def audit_page(
    connection: Connection, conditions: AuditFilter, before: int | None = None, limit: int = 50
) -> Sequence[AuditEntry]:
    """Return the events that match, newest first.

    Args:
        connection: Any transaction.
        before: The number of the last event of the previous page; None for the first page.
        limit: Maximum number of events.
    """
    query = select(AUDIT_EVENT, LINK.sequence).outerjoin(AUDIT_LINK, LINK.event_id == EVENT.id)
    query = query.where(*_conditions(conditions))
    if before is not None:
        query = query.where(EVENT.id < before)
    return [entry_of(row) for row in connection.execute(query.order_by(EVENT.id.desc()).limit(limit))]


def last_event(connection: Connection, kind: str, subject: str) -> AuditEvent | None:
    """Return the newest event of a kind and subject."""
    query = select(AUDIT_EVENT).where(EVENT.kind == kind, EVENT.subject == subject)
    row = connection.execute(query.order_by(EVENT.id.desc()).limit(1)).one_or_none()
    return None if row is None else event_of(row)


def event_of(row: Row[tuple[object, ...]]) -> AuditEvent:
    """Return the event of a row that has the columns of `audit_event`."""
    return AuditEvent(*(getattr(row, name) for name in AUDIT_COLUMNS))


def entry_of(row: Row[tuple[object, ...]]) -> AuditEntry:
    """Return the entry of a row that has the columns of `audit_event` and the sequence."""
    return AuditEntry(row.id, event_of(row), row.sequence)


def _conditions(filters: AuditFilter) -> list[ColumnElement[bool]]:
    conditions: list[ColumnElement[bool]] = []
    if filters.account_id is not None:
        conditions.append(EVENT.account_id == filters.account_id)
    if filters.kind:
        exact = EVENT.kind == filters.kind
        conditions.append(exact if "." in filters.kind else EVENT.kind.startswith(f"{filters.kind}.", autoescape=True))
    if filters.actor:
        conditions.append(EVENT.actor == filters.actor)
    if filters.subject:
        conditions.append(EVENT.subject == filters.subject)
    if filters.since is not None:
        conditions.append(EVENT.at >= filters.since)
    if filters.until is not None:
        conditions.append(EVENT.at < filters.until)
    return conditions
