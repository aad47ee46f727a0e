"""What an archive of a period has: stamps with their documents, events, and the acuses of deliveries."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256

from sqlalchemy import LargeBinary, false, func, or_, select

from timbra.core.periods import Period
from timbra.database.codec import REFERENCE, decode_reference, is_reference
from timbra.database.damaged_values import LARGEST
from timbra.database.database import Database
from timbra.database.engines import without_statement_timeout
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
        stored: The stored bytes.
        document: The XML; the stored bytes when they are damaged; empty for one that is not read.
        sha256: Of the document.
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
    stored: bytes
    document: bytes
    sha256: bytes
    is_damaged: bool = False

    def is_read_from(self, archive: str) -> bool:
        """Whether the database has a reference to an archive in place of the document."""
        return is_reference(self.stored) and not self.is_damaged and decode_reference(self.stored).archive == archive


class ArchiveQueries:
    """Reads the database for archives."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def documents(self, period: Period, *, archive: str = "", only_stored: bool = False) -> Iterator[ArchivedStamp]:
        """Yield the stamps of a period, by account and time.

        Args:
            period: Fiscal instants.
            archive: Name of an archive whose documents are not read: the database has their SHA-256.
            only_stored: Whether stamps with a reference to an archive are left out.
        """
        with self._database.read() as connection:
            accounts = connection.execute(select(ACCOUNT.c.id).order_by(ACCOUNT.c.id)).scalars().all()
        for account in accounts:
            yield from self._documents_of(account, period, archive, only_stored=only_stored)

    def events(self, period: Period, prefixes: Sequence[str] = ()) -> Iterator[Event]:
        """See `events_between`."""
        return events_between(self._database, period, prefixes)

    def receptions(self, period: Period) -> Iterator[StoredReception]:
        """See `receptions_between`."""
        return receptions_between(self._database, period)

    def _documents_of(
        self, account: int, period: Period, archive: str, *, only_stored: bool
    ) -> Iterator[ArchivedStamp]:
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
            if only_stored:
                query = query.where(func.substr(column.cfdi, 1, 1, type_=LargeBinary) != REFERENCE)
            if after is not None:
                at, cursor = after
                behind = column.cursor.between(cursor + 1, LARGEST) if cursor < LARGEST else false()
                query = query.where(or_(column.stamped_at > at, (column.stamped_at == at) & behind))
            # Most stamps of a month may be left out.
            with self._database.read() as connection, without_statement_timeout(connection):
                rows = connection.execute(query.order_by(column.stamped_at, column.cursor).limit(PAGE)).all()
            if not rows:
                return
            yield from (ArchivedStamp(*row[:10], *self._document(row.cfdi, archive)) for row in rows)
            after = (rows[-1].stamped_at, rows[-1].cursor)

    def _document(self, stored: bytes, archive: str) -> tuple[bytes, bytes, bool]:
        """Return a document, or its damaged stored bytes, its SHA-256, and whether it is damaged."""
        try:
            if archive and is_reference(stored) and (place := decode_reference(stored)).archive == archive:
                return b"", bytes.fromhex(place.sha256), False
            document = self._database.document(stored)
        except ValueError:
            return stored, sha256(stored).digest(), True
        return document, sha256(document).digest(), False
