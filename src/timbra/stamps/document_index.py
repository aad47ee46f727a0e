"""The rows of stamped documents in lists and sums, and their words in searches; written after the stamps.

While the server stamps, no rows are written: the process for deliveries writes them when few stamps come, and a search
those that are missing. `timbra.stamps.search` reads the newest stamps besides, until they have rows.

When several nodes write, cursors are committed out of order. A cursor that is missing between others is looked up again
until `LAG` has passed; the stored progress stays before it until then.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import astuple, dataclass, fields
from datetime import datetime, timedelta
from decimal import Decimal, InvalidOperation
from itertools import chain, pairwise
from typing import Any

from sqlalchemy import ColumnElement, Connection, delete, select, update

from timbra.core.clock import Clock
from timbra.database.damaged_values import LARGEST
from timbra.database.database import Database
from timbra.database.membership import rows_in
from timbra.database.tables.column_types import DAMAGED_INSTANTS, to_microseconds
from timbra.database.tables.search import LISTED_DOCUMENT, STAMP_WORD, STAMP_WORD_PROGRESS
from timbra.database.tables.stamps import STAMP
from timbra.stamps.document_sums import NO_AMOUNT, add_to_sums, remove_listed

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
NAME = "listed"
"""The names `words` and `documents` are those of programs that wrote no such rows; their progress is not continued."""
S, W, P = STAMP.c, STAMP_WORD.c, STAMP_WORD_PROGRESS.c
SHORTEST_PERIOD = 0.5
"""Seconds for which the rate of stamps is at least counted, so that a few at once do not end the idle time."""
_IS_NUMBER = S.cursor < LARGEST
"""Not for a damaged cursor of SQLite that is a text, which sorts after every number."""
_NEWEST = select(S.cursor).where(_IS_NUMBER).order_by(S.cursor.desc()).limit(1)
PROGRESS = select(P.indexed).where(P.name == NAME)
"""Every stamp up to this cursor has its rows."""
_INSERT = "INSERT INTO stamp_word (account_id, word, cursor) VALUES (?, ?, ?) ON CONFLICT DO NOTHING"
_INSERT_ARRAYS = (
    "INSERT INTO stamp_word (account_id, word, cursor) SELECT * FROM unnest(%s::bigint[], %s::text[], %s::bigint[]) "
    "ON CONFLICT DO NOTHING"
)

MILLION = 1_000_000
MOST = 10**24
"""Millionths beyond the largest total, of 18 digits before the point."""
_OF_STAMP = (
    *("cursor", "account_id", "uuid", "stamped_at", "kind", "serie", "folio", "fecha"),
    *("issuer_rfc", "receiver_rfc", "total"),
)
"""Columns of a row that are those of the stamp."""
_STORED = select(*(S[name] for name in _OF_STAMP), S.cfdi).where(_IS_NUMBER)
_NUMBERS = {"account_id": 0, "cursor": 0, "stamped_at": DAMAGED_INSTANTS[0]}
_TYPES = {
    "cursor": "bigint",
    "account_id": "bigint",
    "stamped_at": "bigint",
    "units": "bigint",
    "millionths": "integer",
}
"""Types of columns on PostgreSQL; those of the others are text."""


@dataclass(frozen=True, slots=True)
class ListedRow:
    """A row of `listed_document`."""

    cursor: int
    account_id: int
    uuid: str
    stamped_at: datetime
    kind: str
    serie: str
    folio: str
    fecha: str
    issuer_rfc: str
    receiver_rfc: str
    total: str
    currency: str
    units: int
    millionths: int
    words: str


_NAMES = tuple(each.name for each in fields(ListedRow))
_FROM_ARRAYS = "SELECT * FROM unnest(" + ", ".join(f"%s::{_TYPES.get(name, 'text')}[]" for name in _NAMES) + ")"  # noqa: S608
_LIST = f"INSERT INTO listed_document ({', '.join(_NAMES)}) {{}} ON CONFLICT DO NOTHING RETURNING cursor"


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
    """Writes the rows and the words of stamps.

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
            indexed = connection.execute(PROGRESS).scalar() or 0
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
        query = _STORED.where(condition).order_by(S.cursor).limit(AT_ONCE)
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

    def list_documents(self, connection: Connection, uuids: Sequence[str]) -> None:
        """Write the rows and words of stamps that have none, by their folios, in a transaction.

        A row that another transaction has inserted and not committed is waited for.
        """
        listed = {
            row.uuid for row in rows_in(connection, select(LISTED_DOCUMENT.c.uuid), LISTED_DOCUMENT.c.uuid, uuids)
        }
        missing = [each for each in uuids if each not in listed]
        rows = sorted(rows_in(connection, _STORED, S.uuid, missing), key=lambda row: row.cursor)
        _insert(connection, self._documents(rows))

    def _write(self, rows: Sequence[Any]) -> int:
        """Write the rows and words of stamps; return how many stamps."""
        documents = self._documents(rows)
        with self._database.write(durable=False) as connection:
            _insert(connection, documents)
        for row in rows:
            self._missing.pop(row.cursor, None)
        return len(rows)

    def _documents(self, rows: Sequence[Any]) -> Sequence[tuple[Any, IndexedDocument]]:
        return [(row, self._document(row.cfdi)) for row in rows]

    def _document(self, stored: bytes) -> IndexedDocument:
        try:
            return self._read(self._database.document(stored))
        except ValueError:
            return DAMAGED

    def _progress(self) -> int:
        """Return the stored progress; after a reset removed the newest stamps, the cursor of the newest one."""
        with self._database.read() as connection:
            indexed = connection.execute(PROGRESS).scalar() or 0
            newest = connection.execute(_NEWEST).scalar() or 0
        if newest < max(indexed, self._reached):
            with self._database.write() as connection:
                connection.execute(delete(STAMP_WORD).where(W.cursor > newest))
                remove_listed(connection, LISTED_DOCUMENT.c.cursor > newest)
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
        with self._database.write(durable=False) as connection:
            connection.execute(later)


def _insert(connection: Connection, documents: Sequence[tuple[Any, IndexedDocument]]) -> None:
    """Insert the words and rows of stamps, in the order of the cursors, and add them to the sums."""
    # In the order of the key: neighbours go into one page of the index.
    words = sorted((row.account_id, word, row.cursor) for row, document in documents for word in document.words)
    listed = [listed_row(row, document) for row, document in documents]
    if words and connection.dialect.name == "postgresql":
        connection.exec_driver_sql(_INSERT_ARRAYS, tuple(map(list, zip(*words, strict=True))))
    elif words:
        connection.exec_driver_sql(_INSERT, words)
    new = _insert_listed(connection, listed)
    # A row that another process has written before is in the sums.
    add_to_sums(connection, [row for row in listed if row.cursor in new])


def listed_row(row: Any, document: IndexedDocument) -> ListedRow:
    """Return the row of a stamp. `row`: Its columns, with the instants as they are wanted."""
    units, millionths = _amount(row.total, document)
    return ListedRow(
        **{name: present(name, getattr(row, name)) for name in _OF_STAMP},
        currency=document.currency,
        units=units,
        millionths=millionths,
        words="".join(f" {word}" for word in document.words),
    )


def present(name: str, value: Any) -> Any:
    """Return the value of a column; of a damaged one that is NULL, one that a list can have."""
    if value is not None:
        return value
    return _NUMBERS.get(name, "")


def _insert_listed(connection: Connection, rows: Sequence[ListedRow]) -> set[int]:
    """Insert rows in the order of their cursors; return the cursors of those that were not there."""
    values = [_values(row) for row in rows]
    if not values:
        return set()
    if connection.dialect.name == "postgresql":
        arrays = tuple(map(list, zip(*values, strict=True)))
        inserted = connection.exec_driver_sql(_LIST.format(_FROM_ARRAYS), arrays)
    else:
        marks = ", ".join([f"({', '.join('?' * len(_NAMES))})"] * len(values))
        inserted = connection.exec_driver_sql(_LIST.format(f"VALUES {marks}"), tuple(chain.from_iterable(values)))
    return set(inserted.scalars())


def _values(row: ListedRow) -> tuple[object, ...]:
    """Return the stored values."""
    return tuple(to_microseconds(each) if isinstance(each, datetime) else each for each in astuple(row))


def _amount(total: str, document: IndexedDocument) -> tuple[int, int]:
    """Return units and millionths of the amount; `NO_AMOUNT` and 0 when it cannot be read."""
    try:
        amount = Decimal(total) if document.paid is None else document.paid
        scaled = int(amount.scaleb(6)) if document.currency and amount.is_finite() else None
    except (InvalidOperation, OverflowError):
        scaled = None
    return (NO_AMOUNT, 0) if scaled is None or not 0 <= scaled < MOST else divmod(scaled, MILLION)
