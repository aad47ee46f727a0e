"""Queries of the reports that a provider hands over. They read whole periods; none runs while a request waits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from operator import itemgetter
from typing import Any

from sqlalchemy import Row, func, or_, select

from timbra.core.periods import Period
from timbra.database.database import Database
from timbra.database.tables.accounts import ACCOUNT, CSD, INFINITE_TOKEN
from timbra.database.tables.audit import AUDIT_EVENT
from timbra.database.tables.logins import KNOWN_ORIGIN
from timbra.database.tables.operations import ARCHIVE, MANIFEST
from timbra.database.tables.provider import KEY_USE
from timbra.database.tables.rejections import REJECTION
from timbra.database.tables.stamps import OUTBOX, STAMP
from timbra.delivery.consumer import unread_stamps
from timbra.delivery.receptions import StoredReception, receptions_between
from timbra.events.audit.events import AuditEvent, event_of
from timbra.events.event_log import Event, events_between
from timbra.events.exclusive import read_one_instant

PAGE = 1000


@dataclass(frozen=True, slots=True)
class AccountAccess:
    """An account and what gives access to it.

    Attributes:
        seen_at: About the last login; None when it is not known.
        tokens: Infinite tokens that are valid.
    """

    user: str
    role: str
    active: bool
    created_at: datetime
    deleted_at: datetime | None
    seen_at: datetime | None
    tokens: int


class ReportQueries:
    """Reads the database for reports."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def stamps(self, period: Period) -> Sequence[tuple[str, str, int]]:
        """Return the number of stamps of each issuer and kind (TipoDeComprobante, or R of retenciones)."""
        column = STAMP.c
        query = (
            select(column.issuer_rfc, column.kind, func.count())
            .where(column.account_id.in_(select(ACCOUNT.c.id)))
            .where(column.stamped_at >= period.since, column.stamped_at < period.until)
            .group_by(column.issuer_rfc, column.kind)
            .order_by(column.issuer_rfc, column.kind)
        )
        with self._database.read() as connection:
            return [(issuer, kind, count) for issuer, kind, count in connection.execute(query)]

    def rejections(self, period: Period) -> Sequence[tuple[str, str, int]]:
        """Return the number of rejections by operation and code."""
        column = REJECTION.c
        query = (
            select(column.operation, column.code, func.count())
            .where(column.at >= period.since, column.at < period.until)
            .group_by(column.operation, column.code)
            .order_by(column.operation, column.code)
        )
        with self._database.read() as connection:
            return [(operation, code, count) for operation, code, count in connection.execute(query)]

    def audit_events(self, period: Period) -> Iterator[AuditEvent]:
        """Yield the events of the audit log of a period in their order. `period`: Wall instants."""
        after, column = 0, AUDIT_EVENT.c
        while True:
            query = select(AUDIT_EVENT).where(column.id > after, column.at >= period.since, column.at < period.until)
            with self._database.read() as connection:
                rows = connection.execute(query.order_by(column.id).limit(PAGE)).all()
            if not rows:
                return
            yield from map(event_of, rows)
            after = rows[-1].id

    def access(self, now: datetime) -> Sequence[AccountAccess]:
        """Return every account, the deleted ones included."""
        column, token = ACCOUNT.c, INFINITE_TOKEN.c
        seen = select(func.max(KNOWN_ORIGIN.c.seen_at)).where(KNOWN_ORIGIN.c.account_id == column.id)
        alive = select(func.count()).where(
            token.account_id == column.id,
            token.revoked_at.is_(None),
            or_(token.expires_at.is_(None), token.expires_at > now),
        )
        query = select(
            column.user,
            column.role,
            column.active,
            column.created_at,
            column.deleted_at,
            seen.scalar_subquery(),
            alive.scalar_subquery(),
        ).order_by(column.id)
        with self._database.read() as connection:
            return [AccountAccess(*row) for row in connection.execute(query)]

    def certificates(self) -> Sequence[tuple[str, str, str, datetime, datetime, bool]]:
        """Return RFC, number, user, validity and whether it is active, of each CSD of the vault."""
        column = CSD.c
        query = (
            select(column.rfc, column.number, ACCOUNT.c.user, column.valid_from, column.valid_to, column.active)
            .join(ACCOUNT, ACCOUNT.c.id == column.account_id)
            .order_by(column.rfc, column.number)
        )
        with self._database.read() as connection:
            return [tuple(row) for row in connection.execute(query)]

    def pending_deliveries(self) -> Sequence[tuple[str, str, datetime, int, bool, str]]:
        """Return kind, subject, time of creation, attempts, whether it is dead, and reason of each delivery."""
        column = OUTBOX.c
        query = select(column.kind, column.subject, column.created_at, column.attempts, column.dead, column.reason)
        with self._database.read() as connection:
            read_one_instant(connection)
            new = connection.execute(unread_stamps(connection))
            unread = [("stamp", row.subject, row.at, 0, False, "") for row in new]
            rows = [(*row[:5], row[5] or "") for row in connection.execute(query)]
        return sorted((*rows, *unread), key=itemgetter(2))

    def events(self, period: Period, prefixes: Sequence[str] = ()) -> Iterator[Event]:
        """See `events_between`."""
        return events_between(self._database, period, prefixes)

    def receptions(self, period: Period) -> Iterator[StoredReception]:
        """See `receptions_between`."""
        return receptions_between(self._database, period)

    def manifests(self) -> Sequence[tuple[str, datetime, datetime, str, str]]:
        """Return issuer, day of the signature, registration, file and SHA-256 of each manifest, by issuer."""
        column = MANIFEST.c
        query = select(
            column.issuer_rfc, column.signed_at, column.registered_at, column.file_name, column.digest
        ).order_by(column.issuer_rfc)
        with self._database.read() as connection:
            return [tuple(row) for row in connection.execute(query)]

    def archives(self) -> Sequence[Row[Any]]:
        """Return the rows of `archive`, oldest month first."""
        query = select(ARCHIVE).order_by(ARCHIVE.c.first_day, ARCHIVE.c.name)
        with self._database.read() as connection:
            return connection.execute(query).all()

    def key_uses(self, since: date, until: date) -> Sequence[tuple[str, str, int]]:
        """Return day, certificate number and signatures of the provider's keys, both days included."""
        column = KEY_USE.c
        query = select(column.day, column.number, column.signatures)
        query = query.where(column.day.between(since.isoformat(), until.isoformat()))
        with self._database.read() as connection:
            return [tuple(row) for row in connection.execute(query.order_by(column.day, column.number))]
