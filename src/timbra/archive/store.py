"""Archives of each month: what was written where, what was pruned, and what failed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime

from sqlalchemy import select, update

from timbra.core.text import storable
from timbra.database.database import Database
from timbra.database.tables.operations import ARCHIVE
from timbra.database.tables.stamps import EVENT

MAX_FAILURE_LENGTH = 500


@dataclass(frozen=True, slots=True)
class ArchiveRecord:
    """The archive of a month; the columns of `archive`."""

    name: str
    first_day: str
    last_day: str
    place: str
    digest: str = ""
    documents: int = 0
    acuses: int = 0
    events: int = 0
    exported_at: datetime | None = None
    pruned_at: datetime | None = None
    failed_at: datetime | None = None
    failure: str = ""


class ArchiveRepository:
    """The archives of one database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def all(self) -> Sequence[ArchiveRecord]:
        """Return every record, oldest month first."""
        query = select(ARCHIVE).order_by(ARCHIVE.c.first_day, ARCHIVE.c.name)
        with self._database.read() as connection:
            return [ArchiveRecord(*row) for row in connection.execute(query)]

    def save(self, record: ArchiveRecord) -> None:
        """Store the record of an archive that was written and verified; it replaces an earlier one."""
        values = asdict(record)
        statement = self._database.insert(ARCHIVE).values(values)
        changed = {name: statement.excluded[name] for name in values if name != "name"}
        with self._database.write() as connection:
            connection.execute(statement.on_conflict_do_update(index_elements=[ARCHIVE.c.name], set_=changed))

    def record_failure(self, record: ArchiveRecord, at: datetime, failure: str) -> None:
        """Store why the last attempt failed; what is known of the archive stays.

        Args:
            record: The archive; its other values are used when it has no record yet.
            at: Wall instant.
            failure: A Spanish sentence.
        """
        failed = {"failed_at": at, "failure": storable(failure, MAX_FAILURE_LENGTH)}
        statement = self._database.insert(ARCHIVE).values({**asdict(record), **failed})
        with self._database.write() as connection:
            connection.execute(statement.on_conflict_do_update(index_elements=[ARCHIVE.c.name], set_=failed))

    def mark_pruned(self, name: str, at: datetime | None) -> None:
        """Store that a prune ended without a failure. `at`: When the last row was deleted; None while rows are left."""
        values = {"pruned_at": at, "failed_at": None, "failure": ""}
        with self._database.write() as connection:
            connection.execute(update(ARCHIVE).where(ARCHIVE.c.name == name).values(values))

    def first_event_at(self) -> datetime | None:
        """Return the wall instant of the oldest event; None without one. Every stamp has an event."""
        query = select(EVENT.c.at).order_by(EVENT.c.id).limit(1)
        with self._database.read() as connection:
            return connection.execute(query).scalar_one_or_none()
