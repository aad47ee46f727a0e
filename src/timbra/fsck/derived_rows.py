"""Tables whose rows follow from the stamps alone, such as an index of the documents: each row is derived and compared.

Both sides are read once and their sums compared. For buckets that differ the stamps and the rows are read again, at one
instant, and the rows that are missing, wrong or too many are named.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, TypeAlias

from sqlalchemy import Column, ColumnElement, Connection, Table, and_, delete, insert, type_coerce
from sqlalchemy.types import NULLTYPE

from timbra.database.engines import without_statement_timeout
from timbra.database.tables.stamps import STAMP
from timbra.events.exclusive import read_one_instant
from timbra.fsck.check import ExaminedStamp, FsckRun
from timbra.fsck.findings import Cure, FsckFinding, Repair, shown
from timbra.fsck.reading import Unreadable, unreadable
from timbra.fsck.stamp_rows import examined_stamps
from timbra.fsck.sums import BucketSums, buckets_for

S = STAMP.c
BUCKETS_AT_ONCE = 16
"""Buckets whose rows are in memory together; each has about 256 stamps."""
Values: TypeAlias = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class DerivedTable:
    """A table whose rows follow from the stamps.

    Attributes:
        table: The table.
        columns: The columns that are derived, those of the key first.
        key: Number of columns of the key.
        group: Which of the columns names the stamp, `cursor` or `uuid`.
        derive: Returns the rows of a stamp; None when the stamp does not say them, as a damaged one.
        conditions: Which stored rows are compared.
        is_due: Whether the rows of a stamp must be stored already.
        waiting: Returns those of some stamps whose rows are not written yet.
        may_insert: Whether a missing row is inserted and one without a stamp deleted; False for a table with other
            columns.
    """

    table: Table
    columns: Sequence[Column[Any]]
    key: int
    group: str
    derive: Callable[[ExaminedStamp], Iterable[Values] | None]
    conditions: Sequence[ColumnElement[bool]] = ()
    is_due: Callable[[ExaminedStamp], bool] = lambda _: True
    may_insert: bool = True
    waiting: Callable[[Connection, Collection[Any]], Collection[Any]] = lambda _connection, _groups: ()


class DerivedRows:
    """Compares the rows of one table with the stamps."""

    def __init__(self, run: FsckRun, derived: DerivedTable) -> None:
        self._run = run
        self._derived = derived
        self._place = [column.name for column in derived.columns].index(derived.group)
        buckets = buckets_for(run.total(STAMP.name))
        self._expected, self._stored = BucketSums(buckets), BucketSums(buckets)
        self._skipped: set[Hashable] = set()
        self._first: int | None = None

    def see(self, stamp: ExaminedStamp) -> Iterable[FsckFinding]:
        """Add the rows of a stamp to the sums."""
        if self._first is None:
            self._first = stamp.cursor
        if self._derived.is_due(stamp):
            group = getattr(stamp, self._derived.group)
            rows = self._derived.derive(stamp)
            if rows is None:
                self._skipped.add(group)
            else:
                for row in rows:
                    self._expected.add(group, row)
        return ()

    def finish(self) -> Iterator[FsckFinding]:
        """Read the table, and compare."""
        place = self._derived.table.name
        for row in self._rows(None):
            if isinstance(row, Unreadable):
                yield from unreadable(row, place)
            elif row[self._place] not in self._skipped:
                self._stored.add(row[self._place], row)
        differing = self._expected.differing(self._stored)
        while part := frozenset(islice(differing, BUCKETS_AT_ONCE)):
            with self._run.database.read() as connection, without_statement_timeout(connection):
                read_one_instant(connection)
                expected, stored = self._expected_in(connection, part), self._stored_in(connection, part)
                waiting = self._derived.waiting(connection, [each for each in expected if each not in stored])
            for each in waiting:
                del expected[each]
            for group in sorted((expected.keys() | stored.keys()) - self._run.doubtful, key=str):
                yield from self._compare(expected.get(group), stored.get(group, set()))

    def _rows(self, within: Connection | None) -> Iterator[Values | Unreadable]:
        derived = self._derived
        conditions = list(derived.conditions)
        if derived.group == "cursor":
            # Those of pruned stamps stay.
            column = derived.columns[self._place]
            conditions += [column >= (self._first or 0)]
        key = derived.columns[: derived.key]
        for row in self._run.reader(derived.table.name).rows(derived.columns, key, *conditions, within=within):
            yield row if isinstance(row, Unreadable) else tuple(row)

    def _expected_in(self, connection: Connection, buckets: frozenset[int]) -> dict[Hashable, set[Values]]:
        chosen = (S.cursor,) if self._derived.group == "cursor" else (S.cursor, S.uuid)
        cursors = [
            row.cursor
            for row in self._run.reader(STAMP.name).rows(chosen, (S.cursor,), within=connection)
            if not isinstance(row, Unreadable)
            and self._expected.bucket_of(getattr(row, self._derived.group)) in buckets
        ]
        found: dict[Hashable, set[Values]] = {}
        for stamp in examined_stamps(self._run, connection, cursors):
            rows = self._derived.derive(stamp) if self._derived.is_due(stamp) else None
            if rows is not None:
                found[getattr(stamp, self._derived.group)] = set(rows)
        return found

    def _stored_in(self, connection: Connection, buckets: frozenset[int]) -> dict[Hashable, set[Values]]:
        found: dict[Hashable, set[Values]] = defaultdict(set)
        for row in self._rows(connection):
            if isinstance(row, Unreadable) or row[self._place] in self._skipped:
                continue
            if self._stored.bucket_of(row[self._place]) in buckets:
                found[row[self._place]].add(row)
        return found

    def _compare(self, expected: set[Values] | None, stored: set[Values]) -> Iterator[FsckFinding]:
        """Compare the rows of one stamp; `expected` is None without a stamp of that cursor or folio."""
        size, place = self._derived.key, self._derived.table.name
        wrong = {row[:size]: row for row in stored - (expected or set())}
        for row in sorted((expected or set()) - stored, key=repr):
            before = wrong.pop(row[:size], None)
            if before is None:
                repair = _replaces(self._derived, None, row) if self._derived.may_insert else None
                cure = Cure.REPAIR if repair else Cure.RESTORE
                yield FsckFinding(
                    "row-missing", place, _shown(row[:size]), derived=_shown(row[size:]), cure=cure, repair=repair
                )
                continue
            for column, old, new in zip(self._derived.columns, before, row, strict=True):
                if old != new:
                    repair = _writes(self._derived, before, column, new)
                    key, told = _shown(row[:size]), (shown(old), shown(new))
                    yield FsckFinding("row-differs", place, key, column.name, *told, Cure.REPAIR, repair)
        for row in sorted(wrong.values(), key=repr):
            repair = _replaces(self._derived, row, None) if self._derived.may_insert else None
            cure = Cure.REPAIR if repair else Cure.DECIDE
            yield FsckFinding(
                "row-underived", place, _shown(row[:size]), stored=_shown(row[size:]), cure=cure, repair=repair
            )


def _shown(values: Values) -> str:
    return " ".join(map(shown, values))


def _same(derived: DerivedTable, row: Values) -> ColumnElement[bool]:
    pairs = zip(derived.columns, row, strict=True)
    return and_(*(type_coerce(column, NULLTYPE).is_not_distinct_from(value) for column, value in pairs))


def _writes(derived: DerivedTable, row: Values, column: Column[Any], value: Any) -> Repair:
    def repair(connection: Connection) -> bool:
        key = zip(derived.columns[: derived.key], row[: derived.key], strict=True)
        place = derived.columns.index(column)
        same = [type_coerce(one, NULLTYPE) == part for one, part in key]
        same.append(type_coerce(column, NULLTYPE).is_not_distinct_from(row[place]))
        change = derived.table.update().where(*same).values({column: type_coerce(value, NULLTYPE)})
        return bool(connection.execute(change).rowcount)

    return repair


def _replaces(derived: DerivedTable, stored: Values | None, row: Values | None) -> Repair:
    def repair(connection: Connection) -> bool:
        done = 0
        if stored is not None:
            done += connection.execute(delete(derived.table).where(_same(derived, stored))).rowcount
        if row is not None:
            values = {column: type_coerce(value, NULLTYPE) for column, value in zip(derived.columns, row, strict=True)}
            done += connection.execute(insert(derived.table).values(values)).rowcount
        return bool(done)

    return repair
