"""What an archive of a period has: stamps with their documents, events, and the acuses of deliveries."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import false, or_, select

from timbra.core.periods import Period
from timbra.database.codec import decode
from timbra.database.damaged_values import LARGEST
from timbra.database.database import Database
from timbra.database.tables.accounts import ACCOUNT
from timbra.database.tables.stamps import STAMP
from timbra.delivery.receptions import StoredReception, receptions_between
from timbra.events.event_log import Event, events_between

PAGE = 1000


@dataclass(frozen=True, slots=True)
class ArchivedStamp:
    """A stamp with its document.

    Attributes:
        fecha: Fecha, as written.
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
    fecha: str
    cursor: int
    document: bytes
    is_damaged: bool = False


class ArchiveQueries:
    """Reads the database for archives."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def documents(self, period: Period) -> Iterator[ArchivedStamp]:
        """Yield the stamps of a period, by account and time. `period`: Fiscal instants."""
        with self._database.read() as connection:
            accounts = connection.execute(select(ACCOUNT.c.id).order_by(ACCOUNT.c.id)).scalars().all()
        for account in accounts:
            yield from self._documents_of(account, period)

    def events(self, period: Period, prefixes: Sequence[str] = ()) -> Iterator[Event]:
        """See `events_between`."""
        return events_between(self._database, period, prefixes)

    def receptions(self, period: Period) -> Iterator[StoredReception]:
        """See `receptions_between`."""
        return receptions_between(self._database, period)

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
                column.fecha,
                column.cursor,
                column.cfdi,
            ).where(column.account_id == account, column.stamped_at >= period.since, column.stamped_at < period.until)
            if after is not None:
                at, cursor = after
                behind = column.cursor.between(cursor + 1, LARGEST) if cursor < LARGEST else false()
                query = query.where(or_(column.stamped_at > at, (column.stamped_at == at) & behind))
            with self._database.read() as connection:
                rows = connection.execute(query.order_by(column.stamped_at, column.cursor).limit(PAGE)).all()
            if not rows:
                return
            yield from (ArchivedStamp(*row[:9], *_document(row.cfdi)) for row in rows)
            after = (rows[-1].stamped_at, rows[-1].cursor)


def _document(stored: bytes) -> tuple[bytes, bool]:
    """Return a document, or its damaged stored bytes, and whether it is damaged."""
    try:
        return decode(stored), False
    except ValueError:
        return stored, True
