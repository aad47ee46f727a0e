"""Deletion of archived rows, a bounded number by each transaction. Nothing is deleted whose delivery is pending.

Stamps on PostgreSQL have a table for each month, which is emptied in one transaction.

What consumers of the event log have not read is read before what they write: an event may become work meanwhile.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sqlalchemy import ColumnElement, Connection, Select, String, cast, delete, exists, func, or_, select

from timbra.core.periods import Period
from timbra.database.database import Database
from timbra.database.tables.mail import EMAIL_OUTBOX
from timbra.database.tables.provider import RECEPTION
from timbra.database.tables.search import LISTED_DOCUMENT
from timbra.database.tables.stamps import CUSTOM_ID, EVENT, OUTBOX, STAMP
from timbra.events.consumers import Consumer
from timbra.events.dispatcher import set_apart, unread
from timbra.events.event_log import NUMBERED, Event, event_of
from timbra.stamps.document_sums import remove_listed
from timbra.stamps.partitions import StampMonths
from timbra.stamps.progress import rewind_progress

PAGE = 500


class PruningRepository:
    """Deletes stamps, acuses and events of one database.

    Attributes:
        months: The tables of stamps on PostgreSQL.
    """

    def __init__(self, database: Database, consumers: Sequence[Consumer], months: StampMonths) -> None:
        """Use a database. `consumers`: Those of the event log."""
        self.months = months
        self._database = database
        self._consumers = consumers

    def pending(self, uuids: Sequence[str]) -> set[str]:
        """Return those of some folios whose delivery to the authority or by e-mail is pending or dead."""
        with self._database.read() as connection:
            authority = select(OUTBOX.c.subject).where(OUTBOX.c.subject.in_(uuids))
            mail = select(EMAIL_OUTBOX.c.uuid).where(EMAIL_OUTBOX.c.uuid.in_(uuids))
            new = self._unread_subjects(connection).where(EVENT.c.subject.in_(uuids))
            return {folio for query in (new, authority, mail) for folio in connection.execute(query).scalars()}

    def delete_stamps(self, uuids: Sequence[str]) -> int:
        """Delete stamps with their customids, those with a pending delivery excepted; return how many."""
        with self._database.write() as connection:
            statement = delete(STAMP).where(STAMP.c.uuid.in_(uuids), ~self._needed(connection))
            deleted = connection.execute(statement.returning(STAMP.c.seal_hash, STAMP.c.cursor)).all()
            hashes = [row.seal_hash for row in deleted]
            connection.execute(delete(CUSTOM_ID).where(CUSTOM_ID.c.seal_hash.in_(hashes)))
            remove_listed(connection, LISTED_DOCUMENT.c.cursor.in_([row.cursor for row in deleted]))
            rewind_progress(connection)
        return len(hashes)

    def delete_month(self, table: str, cursors: Sequence[int]) -> int:
        """Delete most stamps of the table of a month, as `delete_stamps` does; return how many."""
        with self._database.read() as connection:
            needed = self._needed(connection)
        return self.months.remove(table, cursors, needed)

    def delete_receptions(self, uuids: Sequence[str]) -> int:
        """Delete the acuses of deliveries of stamps that do not exist any more; return how many."""
        has_stamp = exists().where(STAMP.c.uuid == RECEPTION.c.uuid)
        with self._database.write() as connection:
            return connection.execute(delete(RECEPTION).where(RECEPTION.c.uuid.in_(uuids), ~has_stamp)).rowcount

    def events(self, period: Period) -> Iterator[Sequence[tuple[int, Event]]]:
        """Yield pages of the events of a period with their numbers; without those that a consumer or delivery needs."""
        after = 0
        while True:
            query = NUMBERED.where(EVENT.c.id > after, EVENT.c.at >= period.since, EVENT.c.at < period.until)
            with self._database.read() as connection:
                query = query.where(~self._unread(connection))
                rows = connection.execute(query.order_by(EVENT.c.id).limit(PAGE)).all()
                subjects = [str(row.id) for row in rows]
                needed = set(
                    connection.execute(select(OUTBOX.c.subject).where(OUTBOX.c.subject.in_(subjects))).scalars()
                )
            if not rows:
                return
            after = rows[-1].id
            yield [(row.id, event_of(row)) for row in rows if str(row.id) not in needed]

    def delete_events(self, numbers: Sequence[int]) -> int:
        """Delete events by their numbers; return how many.

        Those that a consumer has not read or a pending delivery needs stay, and the newest one: SQLite would give its
        number again, which the consumers have read.
        """
        needed = exists().where(OUTBOX.c.subject == cast(EVENT.c.id, String))
        with self._database.write() as connection:
            newest = connection.execute(select(func.max(EVENT.c.id))).scalar()
            old = (EVENT.c.id.in_(numbers), EVENT.c.id != newest, ~self._unread(connection), ~needed)
            return connection.execute(delete(EVENT).where(*old)).rowcount

    def _needed(self, connection: Connection) -> ColumnElement[bool]:
        """Return the condition of the stamps that a consumer or a delivery needs."""
        return or_(
            STAMP.c.uuid.in_(self._unread_subjects(connection)),
            exists().where(OUTBOX.c.subject == STAMP.c.uuid),
            exists().where(EMAIL_OUTBOX.c.uuid == STAMP.c.uuid),
        )

    def _unread(self, connection: Connection) -> ColumnElement[bool]:
        """Return the condition of the events that a consumer reads and has not read, or that are its dead letters."""
        return or_(set_apart(*self._consumers), *(unread(connection, consumer) for consumer in self._consumers))

    def _unread_subjects(self, connection: Connection) -> Select[tuple[str]]:
        return select(EVENT.c.subject).where(self._unread(connection))
