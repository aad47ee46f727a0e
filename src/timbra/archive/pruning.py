"""Deletion of archived rows, a bounded number by each transaction. Nothing is deleted whose delivery is pending."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sqlalchemy import String, cast, delete, exists, func, or_, select

from timbra.core.periods import Period
from timbra.database.database import Database
from timbra.database.tables.mail import EMAIL_OUTBOX
from timbra.database.tables.provider import RECEPTION
from timbra.database.tables.stamps import CUSTOM_ID, EVENT, OUTBOX, STAMP
from timbra.events.event_log import NUMBERED, Event
from timbra.stamps.progress import rewind_progress

PAGE = 500


class PruningRepository:
    """Deletes stamps, acuses and events of one database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def pending(self, uuids: Sequence[str]) -> set[str]:
        """Return those of some folios whose delivery to the authority or by e-mail is pending or dead."""
        with self._database.read() as connection:
            authority = select(OUTBOX.c.subject).where(OUTBOX.c.subject.in_(uuids))
            mail = select(EMAIL_OUTBOX.c.uuid).where(EMAIL_OUTBOX.c.uuid.in_(uuids))
            return {*connection.execute(authority).scalars(), *connection.execute(mail).scalars()}

    def delete_stamps(self, uuids: Sequence[str]) -> int:
        """Delete stamps with their customids, those with a pending delivery excepted; return how many."""
        pending = or_(
            exists().where(OUTBOX.c.subject == STAMP.c.uuid), exists().where(EMAIL_OUTBOX.c.uuid == STAMP.c.uuid)
        )
        statement = delete(STAMP).where(STAMP.c.uuid.in_(uuids), ~pending).returning(STAMP.c.seal_hash)
        with self._database.write() as connection:
            hashes = list(connection.execute(statement).scalars())
            connection.execute(delete(CUSTOM_ID).where(CUSTOM_ID.c.seal_hash.in_(hashes)))
            rewind_progress(connection)
        return len(hashes)

    def delete_receptions(self, uuids: Sequence[str]) -> int:
        """Delete the acuses of deliveries of stamps that do not exist any more; return how many."""
        has_stamp = exists().where(STAMP.c.uuid == RECEPTION.c.uuid)
        with self._database.write() as connection:
            return connection.execute(delete(RECEPTION).where(RECEPTION.c.uuid.in_(uuids), ~has_stamp)).rowcount

    def events(self, period: Period) -> Iterator[Sequence[tuple[int, Event]]]:
        """Yield pages of the events of a period with their numbers; without those that a pending delivery needs."""
        after = 0
        while True:
            query = NUMBERED.where(EVENT.c.id > after, EVENT.c.at >= period.since, EVENT.c.at < period.until)
            with self._database.read() as connection:
                rows = connection.execute(query.order_by(EVENT.c.id).limit(PAGE)).all()
                subjects = [str(row.id) for row in rows]
                needed = set(
                    connection.execute(select(OUTBOX.c.subject).where(OUTBOX.c.subject.in_(subjects))).scalars()
                )
            if not rows:
                return
            after = rows[-1].id
            yield [(row.id, Event(*row[1:])) for row in rows if str(row.id) not in needed]

    def delete_events(self, numbers: Sequence[int]) -> int:
        """Delete events by their numbers; return how many.

        Those that a pending delivery needs stay, and the newest one: SQLite would give its number again, which the
        consumers of the log have read.
        """
        needed = exists().where(OUTBOX.c.subject == cast(EVENT.c.id, String))
        with self._database.write() as connection:
            newest = connection.execute(select(func.max(EVENT.c.id))).scalar()
            old = (EVENT.c.id.in_(numbers), EVENT.c.id != newest, ~needed)
            return connection.execute(delete(EVENT).where(*old)).rowcount
