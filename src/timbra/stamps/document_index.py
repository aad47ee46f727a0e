"""The words of stamped documents, by which the search finds them, and their amounts; written after the stamps.

While the server stamps, no words are written: the process for deliveries writes them when few stamps come, and a search
those that are missing.

When several nodes write, cursors are committed out of order. A cursor that is missing between others is looked up again
until `LAG` has passed; the stored progress stays before it until then.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal, InvalidOperation
from itertools import pairwise
from typing import Any

from sqlalchemy import ColumnElement, delete, select, update

from timbra.core.clock import Clock
from timbra.database.codec import decode
from timbra.database.database import Database
from timbra.database.tables.search import DOCUMENT_AMOUNT, STAMP_WORD, STAMP_WORD_PROGRESS
from timbra.database.tables.stamps import STAMP

LAG = timedelta(minutes=3)
"""Longer than the timeouts of any transaction (`timbra.database.timeouts`)."""
AT_ONCE = 64
"""Stamps of one transaction: it holds SQLite's write lock for few milliseconds."""
IDLE_RATE = 10.0
"""Stamps per second up to which the server is idle."""
MAX_WAITING = 50_000
"""Stamps without words beyond which the job writes words although the server stamps, so that a search stays short."""
LONGEST_REST = 0.05
"""The longest pause between two transactions, in seconds."""
MAX_RUN = 20_000
"""Stamps of one run of the job."""
MAX_GAP = 1_000
"""Missing cursors that are looked up again; a larger gap is that of deleted stamps."""
NAME = "documents"
"""The name `words` is that of programs that wrote no amounts; its progress is not continued."""
AFTER = "\U0010ffff"
"""Sorts after every character of a word."""
S, W, P = STAMP.c, STAMP_WORD.c, STAMP_WORD_PROGRESS.c
SHORTEST_PERIOD = 0.5
"""Seconds for which the rate of stamps is at least counted, so that a few at once do not end the idle time."""
_NEWEST = select(S.cursor).order_by(S.cursor.desc()).limit(1)
_PROGRESS = select(P.indexed).where(P.name == NAME)
_INSERT = "INSERT INTO stamp_word (account_id, word, cursor) VALUES (?, ?, ?) ON CONFLICT DO NOTHING"
_INSERT_ARRAYS = (
    "INSERT INTO stamp_word (account_id, word, cursor) SELECT * FROM unnest(%s::bigint[], %s::text[], %s::bigint[]) "
    "ON CONFLICT DO NOTHING"
)

MILLION = 1_000_000
MOST = 10**24
"""Millionths beyond the largest total, of 18 digits before the point."""
_AMOUNT = "INSERT INTO document_amount (cursor, account_id, currency, units, millionths) VALUES (?, ?, ?, ?, ?) "
_UPDATE = (
    "ON CONFLICT (cursor) DO UPDATE SET account_id = excluded.account_id, currency = excluded.currency, "
    "units = excluded.units, millionths = excluded.millionths"
)
_AMOUNT_ARRAYS = (
    "INSERT INTO document_amount (cursor, account_id, currency, units, millionths) "
    "SELECT * FROM unnest(%s::bigint[], %s::bigint[], %s::text[], %s::bigint[], %s::integer[]) "
)


@dataclass(frozen=True, slots=True)
class IndexedDocument:
    """What the index has of a document.

    Attributes:
        paid: What a payment paid, in the currency; None for another document, whose amount is the total.
    """

    words: Sequence[str]
    currency: str
    paid: Decimal | None = None


Read = Callable[[bytes], IndexedDocument]
"""Reads a stored document."""
DAMAGED = IndexedDocument((), "")
"""A damaged document is found by its columns; its own page shows the error."""


def _always() -> bool:
    return True


class DocumentIndex:
    """Writes the words and the amounts of stamps.

    Args:
        database: The database.
        read: Reads a document.
        wall: Wall time.
    """

    def __init__(self, database: Database, read: Read, wall: Clock) -> None:
        self._database = database
        self._read = read
        self._wall = wall
        self._lock = threading.Lock()
        # SQLite commits in the order of the cursors.
        self._is_ordered = database.dialect == "sqlite"
        self._reached = 0
        self._seen: tuple[int, float] | None = None
        self._missing: dict[int, datetime] = {}

    def index_when_idle(self) -> int:
        """Write missing words while few stamps come; for a periodic job that runs every few seconds.

        While more than `IDLE_RATE` stamps a second come, this is one query of the newest cursor, unless more than
        `MAX_WAITING` stamps have no words: then it writes the excess.

        Returns:
            Number of stamps.
        """
        if self._seen is None:
            with self._lock:
                self._progress()
        is_idle = self._is_idle()
        waiting = self._newest() - self._reached
        limit = MAX_RUN if is_idle else min(waiting - MAX_WAITING, MAX_RUN)
        if limit <= 0:
            return 0
        return self.index(limit, rest=1.0, goes_on=self._is_idle if is_idle else _always)

    def catch_up(self, seconds: float) -> bool:
        """Write missing words before a search.

        Args:
            seconds: Time after which no further transaction begins.

        Returns:
            Whether every stamp of the moment of the call has its words.
        """
        newest, deadline = self._newest(), time.monotonic() + seconds
        self.index(MAX_WAITING + MAX_RUN, goes_on=lambda: time.monotonic() < deadline)
        return self._reached >= newest

    def index(self, limit: int = MAX_RUN, rest: float = 0.0, goes_on: Callable[[], bool] = _always) -> int:
        """Write the words of stamps that have none.

        Args:
            limit: Maximum number of stamps.
            rest: Pause after each transaction, as a multiple of its time: requests have the processor meanwhile.
            goes_on: Called after each transaction; the method returns when it returns False.

        Returns:
            Number of stamps.
        """
        with self._lock:
            progress = self._progress()
            indexed = self._write_late()
            while indexed < limit and (rows := self._rows(S.cursor > self._reached)):
                begun = time.monotonic()
                self._note_gaps([row.cursor for row in rows])
                indexed += self._write(rows)
                self._reached = rows[-1].cursor
                if not goes_on():
                    break
                if rest:
                    time.sleep(min(rest * (time.monotonic() - begun), LONGEST_REST))
            self._advance(progress)
        return indexed

    def is_complete(self) -> bool:
        """Whether every stamp is indexed, by the stored progress."""
        with self._database.read() as connection:
            indexed = connection.execute(_PROGRESS).scalar() or 0
            return not connection.execute(select(S.cursor).where(S.cursor > indexed).limit(1)).first()

    def _newest(self) -> int:
        with self._database.read() as connection:
            return connection.execute(_NEWEST).scalar() or 0

    def _is_idle(self) -> bool:
        """Whether at most `IDLE_RATE` stamps a second came since the previous call; False for the first one."""
        newest, now = self._newest(), time.monotonic()
        before, self._seen = self._seen, (newest, now)
        return before is not None and newest - before[0] <= IDLE_RATE * max(now - before[1], SHORTEST_PERIOD)

    def _rows(self, condition: ColumnElement[bool]) -> Sequence[Any]:
        query = select(S.cursor, S.account_id, S.total, S.cfdi).where(condition).order_by(S.cursor).limit(AT_ONCE)
        with self._database.read() as connection:
            return connection.execute(query).all()

    def _write_late(self) -> int:
        """Write the words of the stamps that were committed after later ones; return how many stamps."""
        if not self._missing:
            return 0
        # A range has two parameters; the missing cursors can be more than a statement may have.
        cursors = select(S.cursor).where(S.cursor.between(min(self._missing), max(self._missing)))
        with self._database.read() as connection:
            late = sorted(self._missing.keys() & connection.execute(cursors).scalars())
        return sum(
            self._write(self._rows(S.cursor.in_(late[start : start + AT_ONCE])))
            for start in range(0, len(late), AT_ONCE)
        )

    def _note_gaps(self, cursors: Sequence[int]) -> None:
        """Remember the cursors that are missing before each of these, all after `_reached`."""
        if self._is_ordered:
            return
        now = self._wall.now()
        for before, cursor in pairwise((self._reached, *cursors)):
            if cursor - before <= MAX_GAP:
                self._missing.update(dict.fromkeys(range(before + 1, cursor), now))

    def _write(self, rows: Sequence[Any]) -> int:
        """Write the words and amounts of stamps; return how many stamps."""
        documents = [(row, self._document(row.cfdi)) for row in rows]
        # In the order of the key: neighbours go into one page of the index.
        words = sorted((row.account_id, word, row.cursor) for row, document in documents for word in document.words)
        amounts = [(row.cursor, row.account_id, *_amount(row.total, document)) for row, document in documents]
        with self._database.write() as connection:
            for one_by_one, arrays, values in (
                (_INSERT, _INSERT_ARRAYS, words),
                (_AMOUNT + _UPDATE, _AMOUNT_ARRAYS + _UPDATE, amounts),
            ):
                if values and self._database.dialect == "postgresql":
                    connection.exec_driver_sql(arrays, tuple(list(column) for column in zip(*values, strict=True)))
                elif values:
                    connection.exec_driver_sql(one_by_one, values)
        for row in rows:
            self._missing.pop(row.cursor, None)
        return len(rows)

    def _document(self, stored: bytes) -> IndexedDocument:
        try:
            return self._read(decode(stored))
        except ValueError:
            return DAMAGED

    def _progress(self) -> int:
        """Return the stored progress; after a reset removed the newest stamps, the cursor of the newest one."""
        with self._database.read() as connection:
            indexed = connection.execute(_PROGRESS).scalar() or 0
            newest = connection.execute(_NEWEST).scalar() or 0
        if newest < max(indexed, self._reached):
            with self._database.write() as connection:
                connection.execute(delete(STAMP_WORD).where(W.cursor > newest))
                connection.execute(delete(DOCUMENT_AMOUNT).where(DOCUMENT_AMOUNT.c.cursor > newest))
                connection.execute(update(STAMP_WORD_PROGRESS).where(P.name == NAME).values(indexed=newest))
            self._reached = indexed = newest
            self._missing.clear()
        # SQLite gives cursors of deleted stamps again: the stored progress alone is right, see `rewind_progress`.
        self._reached = indexed if self._is_ordered else max(self._reached, indexed)
        return indexed

    def _advance(self, progress: int) -> None:
        """Store the highest cursor up to which every stamp is indexed."""
        now = self._wall.now()
        self._missing = {cursor: since for cursor, since in self._missing.items() if now - since < LAG}
        settled = min(self._missing, default=self._reached + 1) - 1
        if settled <= progress:
            return
        is_current = P.indexed == progress if self._is_ordered else P.indexed < settled
        row = self._database.insert(STAMP_WORD_PROGRESS).values(name=NAME, indexed=settled)
        later = row.on_conflict_do_update(index_elements=[P.name], set_={"indexed": settled}, where=is_current)
        with self._database.write() as connection:
            connection.execute(later)


def _amount(total: str, document: IndexedDocument) -> tuple[str, int | None, int | None]:
    """Return currency, units and millionths of the amount; the numbers are None when it cannot be read."""
    try:
        amount = Decimal(total) if document.paid is None else document.paid
        scaled = int(amount.scaleb(6)) if document.currency and amount.is_finite() else None
    except (InvalidOperation, OverflowError):
        scaled = None
    if scaled is None or not 0 <= scaled < MOST:
        return document.currency, None, None
    return document.currency, *divmod(scaled, MILLION)


def has_words(account_id: int | None, words: Sequence[str]) -> list[ColumnElement[bool]]:
    """Return the conditions that a stamp has, for each word, one that begins with it.

    Args:
        words: Words of a search, see `timbra.cfdi.search_words`.
    """
    return [
        S.cursor.in_(select(W.cursor).where(W.account_id == account_id, W.word >= word, W.word < word + AFTER))
        for word in words
    ]
