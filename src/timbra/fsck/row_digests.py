"""Digests of settled rows: a second source for every column that nothing else says.

A job writes the digest of each row after the row; triggers empty the digest of a row that a statement changes or
deletes, and the job makes it again. Bytes that change without a statement do not match their digest any more. Rows that
are only appended have one row of digests for 256 of them, five bytes each.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from hashlib import blake2b
from itertools import islice
from typing import Any, Final

import orjson
from sqlalchemy import (
    BigInteger,
    Column,
    Connection,
    Integer,
    LargeBinary,
    Row,
    Select,
    Table,
    and_,
    delete,
    func,
    insert,
    select,
    update,
)

from timbra.core.clock import Clock
from timbra.database.database import Database
from timbra.database.tables import METADATA
from timbra.database.tables.digests import DIGESTS_PER_ROW, ROW_DIGEST
from timbra.fsck.digest_triggers import SEPARATOR, create_triggers, existing_triggers, names_of
from timbra.fsck.reading import TableReader, Unreadable, raw

BY_NUMBER: Final[Mapping[str, str]] = {
    "stamp": "cursor",
    "event": "id",
    "stamp_movement": "id",
    "refusal": "id",
    "api_call": "id",
    "webhook_attempt": "id",
    "sandbox_mail": "id",
    "received_submission": "id",
}
"""Tables of appended rows, with the column of their growing number."""
BY_KEY: Final = frozenset(
    """
    account account_user approval archive audit_key audit_witness availability_day batch batch_chunk batch_item
    cancellation_query catalog_edition catalog_use confirmation csd download_package download_request efirma
    ended_session holder identity infinite_token invoice_draft invoice_entry key_use manifest passkey print_branding
    received_document received_issuer received_link received_mail_account received_package received_request
    received_sync received_xml reception reconciliation reconciliation_file reconciliation_part recovery_code
    sandbox_certificate sandbox_key sandbox_request sandbox_script sandbox_state sandbox_taxpayer secret
    signed_request totp validation_result validation_run webhook webhook_alert webhook_event
    """.split()  # noqa: SIM905
)
"""Tables with a digest for each row, by its key."""
WHOLE: Final = -1
"""Number of the row of a table that says that all of its rows have digests; its digests are `COMPLETE`."""
COMPLETE: Final = b"\x01"
AT_ONCE: Final = 64
"""Digests of one transaction: it holds SQLite's write lock for few milliseconds."""
MAX_RUN: Final = 50_000
"""Rows of one run of the job."""
LAG: Final = timedelta(minutes=3)
"""Longer than the timeouts of any transaction: a lower number may be committed until then (PostgreSQL)."""
SHORT, LONG = 4, 8
"""Bytes of a digest among others, and of one alone."""
G = ROW_DIGEST.c


def digest_of(row: Row[Any], size: int) -> bytes:
    """Return the digest of a row, of its values as the driver has them; a column that is NULL does not count."""
    values = {str(name): value for name, value in row._mapping.items() if value is not None}
    return blake2b(orjson.dumps(values, default=_hexadecimal, option=orjson.OPT_SORT_KEYS), digest_size=size).digest()


def _hexadecimal(value: object) -> str:
    return bytes(value).hex() if isinstance(value, bytes | memoryview) else repr(value)


def covered() -> Iterator[tuple[Table, str | None]]:
    """Yield the tables whose rows have digests, with the column of their growing number or None."""
    for place in sorted({*BY_NUMBER, *BY_KEY} & METADATA.tables.keys()):
        yield METADATA.tables[place], BY_NUMBER.get(place)


def columns_of(table: Table, dialect: str) -> Select[Any]:
    """Return the query of every column of a table, raw."""
    return select(*(raw(column, dialect) for column in table.c))


def key_of(table: Table, row: Row[Any]) -> str:
    """Return the key of a row as its trigger writes it."""
    parts = (row._mapping[column.name] for column in table.primary_key)
    return SEPARATOR.join(part.hex() if isinstance(part, bytes) else str(part) for part in parts)


def by_key(table: Table, key: str) -> Any:
    """Return the condition of the row with a key; one that no row has for another form."""
    parts = key.split(SEPARATOR)
    columns = list(table.primary_key)
    if len(parts) != len(columns):
        return None
    try:
        return and_(*(column == _part(column, part) for column, part in zip(columns, parts, strict=True)))
    except ValueError:
        return None


def _part(column: Column[Any], text: str) -> object:
    if isinstance(column.type, LargeBinary):
        return bytes.fromhex(text)
    return int(text) if isinstance(column.type, BigInteger | Integer) else text


def by_offset(digests: bytes) -> dict[int, bytes]:
    """Return the digests of appended rows by the rest of their number."""
    size = SHORT + 1
    return {digests[at]: digests[at + 1 : at + size] for at in range(0, len(digests), size)}


class DigestJob:
    """Writes the digests of one database; one process of all nodes does so.

    Args:
        database: The database.
        wall: Wall time.
        lag: How long a number may stay missing; nothing on SQLite, which commits in the order of the numbers.
    """

    def __init__(self, database: Database, wall: Clock, lag: timedelta | None = None) -> None:
        self._database = database
        self._wall = wall
        self._lag = lag if lag is not None else timedelta() if database.dialect == "sqlite" else LAG
        self._seen: dict[str, tuple[int, datetime]] = {}
        self._settled: dict[str, int] = {}
        self._lock = threading.Lock()
        self._is_prepared = False

    def run(self) -> int:
        """Write the digests of rows that have none; return of how many."""
        with self._lock:
            self._prepare()
            done = self._pending()
            for table, number in covered():
                done += self._fill(table) if number is None else self._append(table, table.c[number])
            return done + self._pending()

    def _prepare(self) -> None:
        """Create the triggers that are missing; once for each process.

        On PostgreSQL each table's in a transaction of its own, which waits for no second table.
        """
        if self._is_prepared:
            return
        with self._database.read() as connection:
            existing = existing_triggers(connection)
        missing = [each for each in covered() if not existing.issuperset(names_of(*each))]
        size = 1 if self._database.dialect == "postgresql" else len(missing)
        for start in range(0, len(missing), size or 1):
            with self._database.write() as connection:
                for table, number in missing[start : start + size]:
                    create_triggers(connection, table, number)
        self._is_prepared = True

    def _fill(self, table: Table) -> int:
        """Add an empty digest for each row from before its triggers; a row of the number -1 says that all have one."""
        whole = {"place": table.name, "number": WHOLE, "key": "", "digests": COMPLETE}
        with self._database.read() as connection:
            if connection.execute(select(G.place).where(G.place == table.name, G.number == WHOLE)).first():
                return 0
        done, rows = 0, TableReader(self._database).rows(list(table.primary_key), list(table.primary_key))
        while part := list(islice(rows, AT_ONCE)):
            empty = [
                {"place": table.name, "number": 0, "key": key_of(table, row), "digests": b""}
                for row in part
                if not isinstance(row, Unreadable)
            ]
            with self._database.write() as connection:
                connection.execute(self._database.insert(ROW_DIGEST).on_conflict_do_nothing(), empty)
            done += len(part)
        with self._database.write() as connection:
            connection.execute(self._database.insert(ROW_DIGEST).on_conflict_do_nothing(), [whole])
        return done

    def _pending(self) -> int:
        """Write the digests that triggers emptied."""
        done = 0
        query = select(G.place, G.number, G.key).where(func.length(G.digests) == 0).limit(AT_ONCE)
        while done < MAX_RUN:
            with self._database.read() as connection:
                if connection.execute(query.limit(1)).first() is None:
                    break
            with self._database.write() as connection:
                # A row that another transaction is changing is left out: that one empties the digest again.
                rows = connection.execute(query.with_for_update(skip_locked=True)).all()
                for row in rows:
                    self._renew(connection, *row)
            done += len(rows)
            if len(rows) < AT_ONCE:
                break
        return done

    def _renew(self, connection: Connection, place: str, number: int, key: str) -> None:
        table = METADATA.tables.get(place)
        mine = and_(G.place == place, G.number == number, G.key == key)
        digests = b""
        if table is not None and place in BY_NUMBER:
            digests = self._of_numbers(connection, table, table.c[BY_NUMBER[place]], number)
        elif table is not None and (condition := by_key(table, key)) is not None:
            found = connection.execute(columns_of(table, self._database.dialect).where(condition)).first()
            digests = b"" if found is None else digest_of(found, LONG)
        if digests:
            connection.execute(update(ROW_DIGEST).where(mine).values(digests=digests))
        else:
            connection.execute(delete(ROW_DIGEST).where(mine))

    def _of_numbers(self, connection: Connection, table: Table, column: Column[Any], number: int) -> bytes:
        first = number * DIGESTS_PER_ROW
        query = columns_of(table, self._database.dialect).where(column.between(first, first + DIGESTS_PER_ROW - 1))
        rows = connection.execute(query.where(column <= self._position(connection, table)).order_by(column))
        return b"".join(_entry(row, column) for row in rows)

    def _append(self, table: Table, column: Column[Any]) -> int:
        """Write the digests of appended rows, up to the number that was the highest a while ago."""
        done = 0
        with self._database.read() as connection:
            newest = connection.execute(select(func.max(column))).scalar() or 0
            position = self._position(connection, table)
        until = self._bound(table.name, newest)
        while position < until and done < MAX_RUN:
            query = columns_of(table, self._database.dialect)
            query = query.where(column > position, column <= until).order_by(column).limit(DIGESTS_PER_ROW)
            with self._database.read() as connection:
                rows = connection.execute(query).all()
            if not rows:
                break
            self._write(table.name, column, rows)
            position = self._settled[table.name] = rows[-1]._mapping[column.name]
            done += len(rows)
        return done

    def _write(self, place: str, column: Column[Any], rows: Sequence[Row[Any]]) -> None:
        digests: dict[int, bytes] = {}
        for row in rows:
            number = row._mapping[column.name] // DIGESTS_PER_ROW
            digests[number] = digests.get(number, b"") + _entry(row, column)
        with self._database.write() as connection:
            for number, added in digests.items():
                mine = and_(G.place == place, G.number == number, G.key == "")
                before = connection.execute(select(G.digests).where(mine).with_for_update()).scalar()
                if before is None:
                    values = {"place": place, "number": number, "key": "", "digests": added}
                    connection.execute(insert(ROW_DIGEST).values(values))
                elif before:
                    # Those of before stay: a row that was damaged meanwhile keeps the digest that it does not match.
                    offsets = by_offset(before)
                    new = b"".join(entry for entry in _entries(added) if entry[0] not in offsets)
                    connection.execute(update(ROW_DIGEST).where(mine).values(digests=before + new))

    def _bound(self, place: str, newest: int) -> int:
        if not self._lag:
            return newest
        now = self._wall.now()
        seen, at = self._seen.get(place, (0, now))
        if place not in self._seen or newest < seen:
            self._seen[place] = (newest, now)
            return self._settled.get(place, 0)
        if now - at < self._lag:
            return self._settled.get(place, 0)
        self._seen[place] = (newest, now)
        return seen

    def _position(self, connection: Connection, table: Table) -> int:
        """Return the highest number that has a digest."""
        last = select(G.number, G.digests).where(G.place == table.name, G.key == "").order_by(G.number.desc()).limit(1)
        row = connection.execute(last).first()
        if row is None:
            return 0
        offsets = by_offset(row.digests)
        return int(row.number) * DIGESTS_PER_ROW + (max(offsets) if offsets else DIGESTS_PER_ROW - 1)


def _entry(row: Row[Any], column: Column[Any]) -> bytes:
    return bytes([row._mapping[column.name] % DIGESTS_PER_ROW]) + digest_of(row, SHORT)


def _entries(digests: bytes) -> Iterator[bytes]:
    for at in range(0, len(digests), SHORT + 1):
        yield digests[at : at + SHORT + 1]
