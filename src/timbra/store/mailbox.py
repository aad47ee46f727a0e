"""Letters: stamped CFDI that are to be mailed; taken under a lease, deleted once delivered, put off or given up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, Connection, and_, delete, func, select, tuple_, update

from timbra.clock import Clock, WallClock
from timbra.store.database import Database
from timbra.store.events import Event, append_event
from timbra.store.tables.mail import LETTER

LEASE = timedelta(minutes=5)
"""Longer than the slowest delivery of one letter."""
KEY = (LETTER.c.uuid, LETTER.c.recipient)
COLUMNS = (*KEY, LETTER.c.account_id, LETTER.c.created_at, LETTER.c.due_at, LETTER.c.attempts, LETTER.c.failure)


@dataclass(frozen=True, slots=True)
class Letter:
    """A CFDI for a recipient. due_at: None once nobody tries any more. attempts: how often it was taken.

    failure: why the last attempt failed, empty before the first one.
    """

    uuid: str
    recipient: str
    account_id: int
    created_at: datetime
    due_at: datetime | None
    attempts: int
    failure: str


class Mailbox:
    """Several workers may empty it at once: what one has taken, others do not see until its lease is over.

    Delivery is at least once. What becomes of a letter is written to the event log: `mailed` or `mail-given-up`.
    """

    def __init__(self, database: Database, fiscal: Clock, wall: Clock | None = None) -> None:
        self._database = database
        self._fiscal = fiscal
        self._wall = wall or WallClock()

    def take(self) -> Letter | None:
        """The letter that is due for the longest time, None when none is; only a look while there is nothing to do."""
        now = self._wall.now()
        due = select(*KEY).where(LETTER.c.due_at <= now).order_by(LETTER.c.due_at, *KEY).limit(1)
        with self._database.read() as connection:
            if connection.execute(due).first() is None:
                return None
        taken = (
            update(LETTER)
            .where(tuple_(*KEY).in_(due.with_for_update(skip_locked=True)))
            .values(due_at=now + LEASE, attempts=LETTER.c.attempts + 1)
            .returning(*COLUMNS)
        )
        with self._database.write() as connection:
            row = connection.execute(taken).first()
        return None if row is None else Letter(*row)

    def delivered(self, letter: Letter) -> None:
        """Forgets a letter that has arrived."""
        with self._database.write() as connection:
            connection.execute(delete(LETTER).where(_is(letter)))
            self._tell(connection, "mailed", letter, {})

    def put_off(self, letter: Letter, at: datetime, failure: str) -> None:
        """Tries again from the wall instant `at` on."""
        with self._database.write() as connection:
            connection.execute(update(LETTER).where(_is(letter)).values(due_at=at, failure=failure))

    def give_up(self, letter: Letter, failure: str) -> None:
        """Keeps the letter for people to see; nobody tries any more until it is `revived`."""
        with self._database.write() as connection:
            connection.execute(update(LETTER).where(_is(letter)).values(due_at=None, failure=failure))
            self._tell(connection, "mail-given-up", letter, {"attempts": letter.attempts, "failure": failure})

    def letters(self, limit: int = 100, *, account_id: int | None = None, given_up: bool = False) -> Sequence[Letter]:
        """What is not delivered, oldest first: of one account or all; all or only what was given up."""
        query = select(*COLUMNS).order_by(LETTER.c.created_at, *KEY).limit(limit)
        if account_id is not None:
            query = query.where(LETTER.c.account_id == account_id)
        if given_up:
            query = query.where(LETTER.c.due_at.is_(None))
        with self._database.read() as connection:
            return [Letter(*row) for row in connection.execute(query)]

    def stranded(self) -> int:
        """How many letters were given up."""
        with self._database.read() as connection:
            return connection.execute(select(func.count()).where(LETTER.c.due_at.is_(None))).scalar_one()

    def revive(self, uuid: str | None = None) -> int:
        """Tries again at once what was given up, of one CFDI or all of them; how many letters that are."""
        stranded = LETTER.c.due_at.is_(None)
        chosen = stranded if uuid is None else and_(stranded, LETTER.c.uuid == uuid.lower())
        with self._database.write() as connection:
            return connection.execute(update(LETTER).where(chosen).values(due_at=self._wall.now(), attempts=0)).rowcount

    def _tell(self, connection: Connection, kind: str, letter: Letter, body: dict[str, object]) -> None:
        told = {"to": letter.recipient, **body}
        append_event(
            connection,
            Event(self._wall.now(), self._fiscal.now(), letter.account_id, kind, letter.uuid, "", told),
        )


def _is(letter: Letter) -> ColumnElement[bool]:
    return and_(LETTER.c.uuid == letter.uuid, LETTER.c.recipient == letter.recipient)
