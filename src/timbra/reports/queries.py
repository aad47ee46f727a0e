"""Queries of the reports that a provider hands over. They read whole periods; none runs while a request waits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime

from sqlalchemy import func, or_, select

from timbra.database.codec import decode
from timbra.database.database import Database
from timbra.database.tables.accounts import ACCOUNT, CSD, INFINITE_TOKEN
from timbra.database.tables.audit import AUDIT_EVENT
from timbra.database.tables.logins import KNOWN_ORIGIN
from timbra.database.tables.provider import KEY_USE, RECEPTION
from timbra.database.tables.rejections import REJECTION
from timbra.database.tables.stamps import EVENT, OUTBOX, STAMP
from timbra.delivery.receptions import StoredReception
from timbra.events.audit.events import AuditEvent, event_of
from timbra.events.event_log import NUMBERED, Event

PAGE = 1000


@dataclass(frozen=True, slots=True)
class Period:
    """A period of instants.

    Attributes:
        since: Its first instant.
        until: Its end, exclusive.
    """

    since: datetime
    until: datetime


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


@dataclass(frozen=True, slots=True)
class ArchivedStamp:
    """A stamp with its document.

    Attributes:
        document: The XML; the stored bytes as they are when they are damaged.
        is_damaged: Whether the document cannot be decompressed.
    """

    uuid: str
    account_id: int
    stamped_at: datetime
    kind: str
    issuer_rfc: str
    receiver_rfc: str
    total: str
    document: bytes
    is_damaged: bool = False


class ReportQueries:
    """Reads the database for reports and archives."""

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

    def events(self, period: Period, prefixes: Sequence[str] = ()) -> Iterator[Event]:
        """Yield the events of a period in their order.

        Args:
            period: Wall instants.
            prefixes: How the kinds begin; empty for all events.
        """
        after = 0
        kinds = [EVENT.c.kind.startswith(prefix, autoescape=True) for prefix in prefixes]
        while True:
            query = NUMBERED.where(EVENT.c.id > after, EVENT.c.at >= period.since, EVENT.c.at < period.until)
            if kinds:
                query = query.where(or_(*kinds))
            with self._database.read() as connection:
                rows = connection.execute(query.order_by(EVENT.c.id).limit(PAGE)).all()
            if not rows:
                return
            yield from (Event(*row[1:]) for row in rows)
            after = rows[-1].id

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

    def newest_events(self, kind: str, subjects: Sequence[str], limit: int) -> Sequence[Event]:
        """Return the newest events of a kind, newest first.

        Args:
            subjects: The subjects; empty for all.
            limit: The maximum number.
        """
        query = NUMBERED.where(EVENT.c.kind == kind).order_by(EVENT.c.id.desc()).limit(limit)
        if subjects:
            query = query.where(EVENT.c.subject.in_(subjects))
        with self._database.read() as connection:
            return [Event(*row[1:]) for row in connection.execute(query)]

    def documents(self, period: Period) -> Iterator[ArchivedStamp]:
        """Yield the stamps of a period, by account and time. `period`: Fiscal instants."""
        with self._database.read() as connection:
            accounts = connection.execute(select(ACCOUNT.c.id).order_by(ACCOUNT.c.id)).scalars().all()
        for account in accounts:
            yield from self._documents_of(account, period)

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
        query = select(
            column.kind, column.subject, column.created_at, column.attempts, column.dead, column.reason
        ).order_by(column.created_at)
        with self._database.read() as connection:
            return [(*row[:5], row[5] or "") for row in connection.execute(query)]

    def receptions(self, period: Period) -> Iterator[StoredReception]:
        """Yield the answers of the SAT to deliveries, with their acuses, by the time of the acuse."""
        column = RECEPTION.c
        after: tuple[datetime, str] | None = None
        while True:
            query = select(RECEPTION).where(
                column.acknowledged_at >= period.since, column.acknowledged_at < period.until
            )
            if after is not None:
                at, uuid = after
                later = (column.acknowledged_at == at) & (column.uuid > uuid)
                query = query.where(or_(column.acknowledged_at > at, later))
            with self._database.read() as connection:
                rows = connection.execute(query.order_by(column.acknowledged_at, column.uuid).limit(PAGE)).all()
            if not rows:
                return
            yield from (StoredReception(**row._asdict()) for row in rows)
            after = (rows[-1].acknowledged_at, rows[-1].uuid)

    def key_uses(self, since: date, until: date) -> Sequence[tuple[str, str, int]]:
        """Return day, certificate number and signatures of the provider's keys, both days included."""
        column = KEY_USE.c
        query = select(column.day, column.number, column.signatures)
        query = query.where(column.day.between(since.isoformat(), until.isoformat()))
        with self._database.read() as connection:
            return [tuple(row) for row in connection.execute(query.order_by(column.day, column.number))]

    def _documents_of(self, account: int, period: Period) -> Iterator[ArchivedStamp]:
        column = STAMP.c
        after: tuple[datetime, int] | None = None
        while True:
            query = select(
                column.uuid,
                column.account_id,
                column.stamped_at,
                column.kind,
                column.issuer_rfc,
                column.receiver_rfc,
                column.total,
                column.cfdi,
                column.cursor,
            ).where(column.account_id == account, column.stamped_at >= period.since, column.stamped_at < period.until)
            if after is not None:
                at, cursor = after
                query = query.where(or_(column.stamped_at > at, (column.stamped_at == at) & (column.cursor > cursor)))
            with self._database.read() as connection:
                rows = connection.execute(query.order_by(column.stamped_at, column.cursor).limit(PAGE)).all()
            if not rows:
                return
            yield from (ArchivedStamp(*row[:7], *_document(row.cfdi)) for row in rows)
            after = (rows[-1].stamped_at, rows[-1].cursor)


def _document(stored: bytes) -> tuple[bytes, bool]:
    """Return a document, or its damaged stored bytes, and whether it is damaged."""
    try:
        return decode(stored), False
    except ValueError:
        return stored, True
