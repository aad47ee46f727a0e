"""Usage by day: the stamps that are counted for each account and day."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from sqlalchemy import Connection, select, update

from timbra.core.clock import CENTRAL_MEXICO
from timbra.database.engines import without_statement_timeout
from timbra.database.tables.column_types import from_microseconds
from timbra.database.tables.rejections import USAGE_DAY, USAGE_PROGRESS
from timbra.database.tables.stamps import STAMP
from timbra.events.exclusive import read_one_instant
from timbra.fsck.check import ExaminedStamp, FsckCheck, FsckRun
from timbra.fsck.findings import Cure, FsckFinding, Repair, shown
from timbra.fsck.reading import Unreadable, unreadable
from timbra.fsck.sums import MASK

PLACE = USAGE_DAY.name
D, S, P = USAGE_DAY.c, STAMP.c, USAGE_PROGRESS.c
HOUR = 3_600_000_000


class Usage:
    """Adds the stamps of each account and day, and compares the sum with what is counted."""

    def __init__(self, run: FsckRun) -> None:
        """Read at one instant what is counted, and up to which stamp."""
        self._run = run
        self._sum = 0
        self._findings: list[FsckFinding] = []
        with run.database.read() as connection:
            read_one_instant(connection)
            self._counted = connection.execute(select(P.counted)).scalar() or 0
            for row in run.reader(PLACE).rows(tuple(D), (D.account_id, D.day), within=connection):
                if isinstance(row, Unreadable):
                    self._findings += unreadable(row, PLACE)
                elif not all(isinstance(each, int) and each >= 0 for each in (row.stamps, row.rejections)):
                    key = f"{row.account_id} {shown(row.day)}"
                    values = f"{shown(row.stamps)} {shown(row.rejections)}"
                    self._findings.append(FsckFinding("value-impossible", PLACE, key, stored=values))
                elif row.stamps and row.day > run.bounds.pruned:
                    self._sum -= row.stamps * hash((row.account_id, row.day))

    def see(self, stamp: ExaminedStamp) -> Iterable[FsckFinding]:
        """Add a stamp that is counted."""
        if stamp.cursor <= self._counted and (day := _day(stamp.stamped_at)) > self._run.bounds.pruned:
            self._sum += hash((stamp.account_id, day))
        return ()

    def finish(self) -> Iterator[FsckFinding]:
        """Count again, at one instant, when the sums differ."""
        yield from self._findings
        if not self._sum & MASK:
            return
        with self._run.database.read() as connection, without_statement_timeout(connection):
            read_one_instant(connection)
            counted = self._count(connection)
            rows = select(D.account_id, D.day, D.stamps).where(D.day > self._run.bounds.pruned)
            stored = {(account, day): stamps for account, day, stamps in connection.execute(rows)}
        for account, day in sorted(counted.keys() | stored.keys(), key=str):
            before, derived = stored.get((account, day)), counted[account, day]
            if (before or 0) != derived:
                # While it is in doubt of which account a stamp is, the counter may be the one that is right.
                repair = None if self._run.doubtful else _writes(account, day, before, derived)
                values = (str(before), str(derived), Cure.REPAIR if repair else Cure.DECIDE)
                yield FsckFinding("usage-differs", PLACE, f"{account} {day}", "stamps", *values, repair)

    def _count(self, connection: Connection) -> Counter[tuple[int, str]]:
        counted: Counter[tuple[int, str]] = Counter()
        until = connection.execute(select(P.counted)).scalar() or 0
        columns = (S.cursor, S.account_id, S.stamped_at)
        for row in self._run.reader(STAMP.name).rows(columns, (S.cursor,), S.cursor <= until, within=connection):
            if not isinstance(row, Unreadable) and (day := _day(row.stamped_at)) > self._run.bounds.pruned:
                counted[row.account_id, day] += 1
        return counted


def _day(stamped_at: object) -> str:
    return _day_of(stamped_at // HOUR) if isinstance(stamped_at, int) else ""


@lru_cache(maxsize=64)
def _day_of(hour: int) -> str:
    """Return the day in central Mexico, whose zone is whole hours from UTC; empty outside of the calendar."""
    try:
        return from_microseconds(hour * HOUR).astimezone(CENTRAL_MEXICO).date().isoformat()
    except (OverflowError, ValueError):
        return ""


def _writes(account: int, day: str, before: int | None, derived: int) -> Repair:
    def repair(connection: Connection) -> bool:
        if before is None:
            values = {"account_id": account, "day": day, "stamps": derived, "rejections": 0}
            connection.execute(USAGE_DAY.insert().values(values))
            return True
        same = (D.account_id == account, D.day == day, D.stamps == before)
        return bool(connection.execute(update(USAGE_DAY).where(*same).values(stamps=derived)).rowcount)

    return repair


def check_progress(run: FsckRun) -> Iterator[FsckFinding]:
    """Compare the cursors up to which stamps are counted with the stamps."""
    with run.database.read() as connection:
        read_one_instant(connection)
        newest = connection.execute(select(S.cursor).order_by(S.cursor.desc()).limit(1)).scalar() or 0
        for row in connection.execute(select(P.name, P.counted, P.seen)):
            if not 0 <= row.counted <= row.seen <= newest and not run.bounds.pruned:
                values = f"{row.counted} {row.seen}"
                yield FsckFinding("cursor-impossible", USAGE_PROGRESS.name, row.name, "counted", values, f"<= {newest}")


def observers(run: FsckRun) -> Sequence[Usage]:
    return (Usage(run),)


CHECKS = (FsckCheck("usage", check_progress, observers),)
