"""The words of stamped documents, by which the search finds them; they are written after the stamps.

While the server stamps, no words are written: the process for deliveries writes them when few stamps come, and a search
those that are missing.

When several nodes write, cursors are committed out of order. A cursor that is missing between others is looked up again
until `LAG` has passed; the stored progress stays before it until then.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Any

from sqlalchemy import ColumnElement, delete, select, update

from timbra.core.clock import Clock
from timbra.database.codec import decode
from timbra.database.database import Database
from timbra.database.tables.search import STAMP_WORD, STAMP_WORD_PROGRESS
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
NAME = "words"
AFTER = "\U0010ffff"
"""Sorts after every character of a word."""
S, W, P = STAMP.c, STAMP_WORD.c, STAMP_WORD_PROGRESS.c
SHORTEST_PERIOD = 0.5
"""Seconds for which the rate of stamps is at least counted, so that a few at once do not end the idle time."""
_NEWEST = select(S.cursor).order_by(S.cursor.desc()).limit(1)
_INSERT = "INSERT INTO stamp_word (account_id, word, cursor) VALUES (?, ?, ?) ON CONFLICT DO NOTHING"
_INSERT_ARRAYS = (
    "INSERT INTO stamp_word (account_id, word, cursor) SELECT * FROM unnest(%s::bigint[], %s::text[], %s::bigint[]) "
    "ON CONFLICT DO NOTHING"
)

Words = Callable[[bytes], Iterable[str]]
"""Returns the words of a document."""


def _always() -> bool:
    return True


class StampWords:
    """Writes the words of stamps.

    Args:
        database: The database.
        words: Returns the words of a document.
        wall: Wall time.
    """

    def __init__(self, database: Database, words: Words, wall: Clock) -> None:
        self._database = database
        self._words = words
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
        """Whether every stamp has its words, by the stored progress."""
        with self._database.read() as connection:
            indexed = connection.execute(select(P.indexed)).scalar() or 0
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
        query = select(S.cursor, S.account_id, S.cfdi).where(condition).order_by(S.cursor).limit(AT_ONCE)
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
        """Write the words of stamps; return how many stamps."""
        # In the order of the key: neighbours go into one page of the index.
        values = sorted((row.account_id, word, row.cursor) for row in rows for word in self._words_of(row.cfdi))
        if values:
            with self._database.write() as connection:
                if self._database.dialect == "postgresql":
                    connection.exec_driver_sql(
                        _INSERT_ARRAYS, tuple(list(column) for column in zip(*values, strict=True))
                    )
                else:
                    connection.exec_driver_sql(_INSERT, values)
        for row in rows:
            self._missing.pop(row.cursor, None)
        return len(rows)

    def _words_of(self, stored: bytes) -> Iterable[str]:
        try:
            return self._words(decode(stored))
        except ValueError:
            return ()  # a damaged document is found by its columns; its own page shows the error

    def _progress(self) -> int:
        """Return the stored progress; after a reset removed the newest stamps, the cursor of the newest one."""
        with self._database.read() as connection:
            indexed = connection.execute(select(P.indexed)).scalar() or 0
            newest = connection.execute(_NEWEST).scalar() or 0
        if newest < max(indexed, self._reached):
            with self._database.write() as connection:
                connection.execute(delete(STAMP_WORD).where(W.cursor > newest))
                connection.execute(update(STAMP_WORD_PROGRESS).values(indexed=newest))
            self._reached = indexed = newest
            self._missing.clear()
        # SQLite gives cursors of deleted stamps again: the stored progress alone is right, see `rewind_progress`.
        self._reached = indexed if self._is_ordered else max(self._reached, indexed)
        return indexed

    def _advance(self, progress: int) -> None:
        """Store the highest cursor up to which every stamp has its words."""
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


def has_words(account_id: int | None, words: Sequence[str]) -> list[ColumnElement[bool]]:
    """Return the conditions that a stamp has, for each word, one that begins with it.

    Args:
        words: Words of a search, see `timbra.cfdi.search_words`.
    """
    return [
        S.cursor.in_(select(W.cursor).where(W.account_id == account_id, W.word >= word, W.word < word + AFTER))
        for word in words
    ]
