"""The check of the digests of settled rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

from sqlalchemy import Column, Connection, Row, Table, func, or_, select

from timbra.database.engines import without_statement_timeout
from timbra.database.tables import METADATA
from timbra.database.tables.digests import DIGESTS_PER_ROW, ROW_DIGEST
from timbra.database.tables.stamps import STAMP
from timbra.events.exclusive import read_one_instant
from timbra.fsck.check import ExaminedStamp, FsckCheck, FsckRun
from timbra.fsck.digest_triggers import SEPARATOR
from timbra.fsck.findings import Cure, FsckFinding, shown
from timbra.fsck.reading import Unreadable, unreadable
from timbra.fsck.row_digests import (
    BY_KEY,
    BY_NUMBER,
    COMPLETE,
    LONG,
    SHORT,
    WHOLE,
    by_key,
    by_offset,
    columns_of,
    digest_of,
    key_of,
)

PLACE = ROW_DIGEST.name
G = ROW_DIGEST.c
AT_ONCE = 200


class StampDigests:
    """Compares the stamps with their digests while they are read once."""

    def __init__(self, run: FsckRun) -> None:
        self._run = run
        self._number: int | None = None
        self._found: dict[int, bytes] = {}

    def see(self, stamp: ExaminedStamp) -> Iterable[FsckFinding]:
        """Add the digest of a stamp; compare the ones before when theirs are complete."""
        cursor = stamp.row.cursor
        if not isinstance(cursor, int):
            return ()
        number = cursor // DIGESTS_PER_ROW
        findings = [] if number == self._number else [*self.finish()]
        self._number = number
        self._found[cursor % DIGESTS_PER_ROW] = digest_of(stamp.row, SHORT)
        return findings

    def finish(self) -> Iterator[FsckFinding]:
        """Compare the last ones."""
        found, self._found = self._found, {}
        if self._number is None:
            return
        with self._run.database.read() as connection:
            stored = connection.execute(_one(STAMP.name, self._number)).scalar()
        known = by_offset(stored or b"")
        if any(found.get(offset) != digest for offset, digest in known.items()) or _unknown(found, known):
            yield from _compare_numbers(self._run, STAMP, STAMP.c.cursor, self._number)


def _one(place: str, number: int) -> Any:
    return select(G.digests).where(G.place == place, G.number == number, G.key == "")


def _unknown(found: Iterable[int], known: Iterable[int]) -> list[int]:
    """Return the rows without a digest among those that have one: later ones are not settled yet."""
    last = max(known, default=-1)
    return [offset for offset in sorted(set(found) - set(known)) if offset < last]


def check_digests(run: FsckRun) -> Iterator[FsckFinding]:
    """Compare every digest with its row, and look for rows and digests without the other."""
    query = select(G.place, func.count(), func.min(G.number)).group_by(G.place)
    damaged = select(G.place).where(G.number == WHOLE, or_(G.digests != COMPLETE, G.key != ""))
    with run.database.read() as connection, without_statement_timeout(connection):
        places = list(connection.execute(query))
        marks = list(connection.execute(damaged.order_by(G.place)).scalars())
    for place in marks:
        yield FsckFinding("digest-unknown", PLACE, shown(place), "digests")
    for place, number, lowest in places:
        if place in BY_NUMBER and place in METADATA.tables:
            yield from _by_number(run, METADATA.tables[place])
        elif place in BY_KEY and place in METADATA.tables:
            is_whole = lowest == WHOLE
            yield from _by_key(run, METADATA.tables[place], number - is_whole, is_whole=is_whole)
        else:
            yield FsckFinding("digest-unknown", PLACE, shown(place), "place")


def _by_number(run: FsckRun, table: Table) -> Iterator[FsckFinding]:
    """Compare the digests of appended rows. Those of stamps were compared while they were read."""
    column = table.c[BY_NUMBER[table.name]]
    with run.database.read() as connection:
        numbers = list(connection.execute(select(G.number).where(G.place == table.name).order_by(G.number)).scalars())
        holes = _holes(connection, column, numbers)
    for number in holes:
        yield FsckFinding(
            "digest-missing",
            table.name,
            f"{number * DIGESTS_PER_ROW} - {number * DIGESTS_PER_ROW + DIGESTS_PER_ROW - 1}",
        )
    for number in numbers:
        if table is not STAMP or _has_no_rows(run, column, number):
            yield from _compare_numbers(run, table, column, number)


def _has_no_rows(run: FsckRun, column: Column[int], number: int) -> bool:
    first = number * DIGESTS_PER_ROW
    with run.database.read() as connection:
        query = select(column).where(column.between(first, first + DIGESTS_PER_ROW - 1)).limit(1)
        return connection.execute(query).first() is None


def _holes(connection: Connection, column: Column[int], numbers: Sequence[int]) -> list[int]:
    """Return the numbers without digests, below others, whose rows exist."""
    known = set(numbers)
    last, number, found = max(known, default=-1), -1, []
    while number < last:
        # From one row to the next: pruned rows leave wide gaps.
        query = select(column).where(column >= (number + 1) * DIGESTS_PER_ROW).order_by(column).limit(1)
        following = connection.execute(query).scalar()
        if following is None:
            break
        number = following // DIGESTS_PER_ROW
        if number < last and number not in known:
            found.append(number)
    return found


def _compare_numbers(run: FsckRun, table: Table, column: Column[int], number: int) -> Iterator[FsckFinding]:
    """Compare 256 rows with their digests, at one instant."""
    first, place = number * DIGESTS_PER_ROW, table.name
    with run.database.read() as connection:
        read_one_instant(connection)
        known = by_offset(connection.execute(_one(place, number)).scalar() or b"")
        condition = column.between(first, first + DIGESTS_PER_ROW - 1)
        rows = list(run.reader(place).rows(tuple(table.c), (column,), condition, within=connection))
    found = {row._mapping[column.name] % DIGESTS_PER_ROW: row for row in rows if not isinstance(row, Unreadable)}
    damaged = [each for each in rows if isinstance(each, Unreadable)]
    for each in damaged:
        yield from unreadable(each, place)
    unread = {key % DIGESTS_PER_ROW for each in damaged for key in each.key if isinstance(key, int)}
    for offset, digest in sorted(known.items()):
        row = found.get(offset)
        if row is None:
            if offset not in unread:
                yield FsckFinding("row-lost", place, str(first + offset), cure=Cure.RESTORE)
        elif digest_of(row, SHORT) != digest:
            yield FsckFinding("row-changed", place, str(first + offset), cure=Cure.RESTORE)
    for offset in _unknown(found, known):
        yield FsckFinding("digest-missing", place, str(first + offset))


def _by_key(run: FsckRun, table: Table, number: int, *, is_whole: bool) -> Iterator[FsckFinding]:
    """Compare each row that has a digest of its own.

    Args:
        number: Number of the digests of the table.
        is_whole: Whether every row has one.
    """
    place, key, matched = table.name, list(table.primary_key), 0
    rows = run.reader(place).rows(tuple(table.c), key)
    while part := list(islice(rows, AT_ONCE)):
        sound = {}
        for row in part:
            if isinstance(row, Unreadable):
                yield from unreadable(row, place)
            else:
                sound[key_of(table, row)] = row
        with run.database.read() as connection:
            query = select(G.key, G.digests).where(G.place == place, G.number == 0, G.key.in_(list(sound)))
            digests = dict(tuple(row) for row in connection.execute(query))
        matched += len(digests)
        for name, row in sound.items():
            stored = digests.get(name)
            if (stored is None and is_whole) or (stored and digest_of(row, LONG) != stored):
                yield from _again(run, table, name)
    if number != matched:
        for stored in run.reader(PLACE).rows((G.place, G.number, G.key), (G.place, G.number, G.key), G.place == place):
            if not isinstance(stored, Unreadable) and stored.number != WHOLE:
                yield from _without_row(run, table, stored)


def _again(run: FsckRun, table: Table, key: str) -> Iterator[FsckFinding]:
    """Read a row and its digest again, at one instant."""
    condition = by_key(table, key)
    with run.database.read() as connection:
        read_one_instant(connection)
        stored = connection.execute(select(G.digests).where(G.place == table.name, G.key == key)).scalar()
        if condition is None:
            return
        row = connection.execute(columns_of(table, run.database.dialect).where(condition)).first()
    if row is not None and stored is None:
        yield FsckFinding("digest-missing", table.name, _shown(key))
    elif row is not None and stored and digest_of(row, LONG) != stored:
        yield FsckFinding("row-changed", table.name, _shown(key), cure=Cure.RESTORE)


def _without_row(run: FsckRun, table: Table, stored: Row[Any]) -> Iterator[FsckFinding]:
    condition = by_key(table, str(stored.key))
    if stored.number != 0 or condition is None:
        yield FsckFinding("digest-unknown", PLACE, f"{table.name} {_shown(str(stored.key))}", "key")
        return
    with run.database.read() as connection:
        read_one_instant(connection)
        exists = connection.execute(select(*table.primary_key).where(condition)).first()
        digests = connection.execute(select(G.digests).where(G.place == table.name, G.key == stored.key)).scalar()
    if exists is None and digests:
        yield FsckFinding("row-lost", table.name, _shown(str(stored.key)), cure=Cure.RESTORE)


def _shown(key: str) -> str:
    return shown(key.replace(SEPARATOR, " "))


CHECKS = (FsckCheck("digests", check_digests, lambda run: (StampDigests(run),)),)
