"""Usage by day: a periodic job counts stamps after a few minutes; a query counts the newest ones.

When several nodes write, cursors are committed out of order. The job therefore counts up to a cursor that was the
highest one `LAG` ago: every transaction of that time has ended.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

import structlog
from sqlalchemy import ColumnElement, Connection, Row, Text, cast, func, literal, select, union_all, update

from timbra.core.clock import CENTRAL_MEXICO, Clock, WallClock
from timbra.database.damaged_values import LARGEST, read_number
from timbra.database.database import Database
from timbra.database.tables.column_types import from_microseconds
from timbra.database.tables.rejections import USAGE_DAY, USAGE_PROGRESS
from timbra.database.tables.stamps import STAMP

LOG = structlog.get_logger(__name__)
LAG = timedelta(minutes=3)
"""Longer than the timeouts of any transaction (`timbra.database.timeouts`)."""
AT_ONCE = 50_000
HOUR = 3_600_000_000
STAMPS, REJECTIONS = "stamps", "rejections"
PROGRESS, DAY, CURSOR = USAGE_PROGRESS.c, USAGE_DAY.c, STAMP.c.cursor
# Every zone of the country is whole hours from UTC.
_HOUR_OF_STAMP = cast(STAMP.c.stamped_at, STAMP.c.cursor.type) // HOUR


@dataclass(frozen=True, slots=True)
class DailyUsage:
    """Numbers of one day."""

    stamps: int = 0
    rejections: int = 0


def _not_counted(connection: Connection) -> Sequence[ColumnElement[bool]]:
    """Return the conditions of the stamps that are not counted when the statement runs.

    The number of now, which is not larger, is a range that PostgreSQL can estimate: without it, it would read all.
    """
    counted = select(PROGRESS.counted)
    before = connection.execute(counted).scalar() or 0
    return STAMP.c.cursor > before, STAMP.c.cursor > func.coalesce(counted.scalar_subquery(), 0)


class UsageCounter:
    """Usage of one database; several processes may count at once."""

    def __init__(self, database: Database, wall: Clock | None = None) -> None:
        self._database = database
        self._wall = wall or WallClock()

    def count(self) -> None:
        """Count the stamps that are old enough; one cheap query while there are none. For a periodic job."""
        while self._is_due() and self._count_some():
            pass

    def days(self, account_id: int | None, since: date, until: date) -> Mapping[date, DailyUsage]:
        """Return the days with usage, by one query.

        Args:
            account_id: The account; None for all accounts.
            since: The first day.
            until: The last day, inclusive.
        """
        summed = select(DAY.day.label("time"), func.sum(DAY.stamps), func.sum(DAY.rejections)).group_by(DAY.day)
        summed = summed.where(DAY.day.between(since.isoformat(), until.isoformat()))
        hour = cast(_HOUR_OF_STAMP, Text)
        fresh = select(hour, func.count(), literal(0)).group_by(hour)
        if account_id is not None:
            summed = summed.where(DAY.account_id == account_id)
            fresh = fresh.where(STAMP.c.account_id == account_id)
        stamps: Counter[date] = Counter()
        rejections: Counter[date] = Counter()
        with self._database.read() as connection:
            fresh = fresh.where(*_not_counted(connection))
            for time, stamped, rejected in connection.execute(union_all(summed, fresh)):
                day = _day(time)
                if day is None:
                    continue
                stamps[day] += int(stamped)
                rejections[day] += int(rejected)
        touched = sorted(day for day in stamps.keys() | rejections.keys() if since <= day <= until)
        return {day: DailyUsage(stamps[day], rejections[day]) for day in touched}

    def total(self, account_id: int) -> int:
        """Return how many stamps an account has ever got, by one query.

        The number is exact after a crash too: counted stamps and the cursor change in one transaction.
        """
        summed = select(func.coalesce(func.sum(DAY.stamps), 0)).where(DAY.account_id == account_id)
        with self._database.read() as connection:
            fresh = select(func.count()).where(STAMP.c.account_id == account_id, *_not_counted(connection))
            return int(connection.execute(select(summed.scalar_subquery() + fresh.scalar_subquery())).scalar_one())

    def _is_due(self) -> bool:
        with self._database.read() as connection:
            row = connection.execute(select(USAGE_PROGRESS)).first()
            return self._next(connection, row) is not None

    def _count_some(self) -> bool:
        """Count one batch in one transaction; return whether there may be more."""
        with self._database.write() as connection:
            connection.execute(self._database.insert(USAGE_PROGRESS).values(self._start()).on_conflict_do_nothing())
            row = connection.execute(select(USAGE_PROGRESS).with_for_update()).one()
            then = self._next(connection, row)
            if then is None:
                return False
            if then.get("counted") is not None:
                self._add_stamps(connection, row.counted, then["counted"])
            connection.execute(update(USAGE_PROGRESS).values(then))
            return "counted" in then

    def _next(self, connection: Connection, row: Row[Any] | None) -> dict[str, Any] | None:
        """Return the next values of the progress row; None when there is nothing to count yet."""
        now = self._wall.now()
        if row is not None and row.counted < row.seen:
            if now - row.seen_at < LAG:
                return None
            # By rows, not by numbers: a damaged cursor may be far away.
            part = select(CURSOR).where(row.counted < CURSOR, row.seen >= CURSOR).order_by(CURSOR).offset(AT_ONCE - 1)
            return {"counted": connection.execute(part.limit(1)).scalar() or row.seen}
        newest = connection.execute(select(CURSOR).where(CURSOR < LARGEST).order_by(CURSOR.desc()).limit(1)).scalar()
        if newest is None or (row is not None and newest <= row.seen):
            return None
        return {"seen": newest, "seen_at": now}

    def _start(self) -> dict[str, Any]:
        return {"name": STAMPS, "counted": 0, "seen": 0, "seen_at": self._wall.now()}

    def _add_stamps(self, connection: Connection, after: int, until: int) -> None:
        hour = _HOUR_OF_STAMP.label("hour")
        rows = select(STAMP.c.account_id, hour, func.count().label("stamps"))
        rows = rows.where(STAMP.c.cursor > after, STAMP.c.cursor <= until).group_by(STAMP.c.account_id, hour)
        counted: Counter[tuple[int, date]] = Counter()
        for account, number, stamps in connection.execute(rows):
            day = _day_of(read_number(number)) if account is not None else None
            if day is None:
                LOG.error("stamps of an impossible time are not counted", account=account, hour=number, stamps=stamps)
            else:
                counted[account, day] += stamps
        add_use(self._database, connection, STAMPS, counted.items())


def add_use(
    database: Database, connection: Connection, what: str, counted: Iterable[tuple[tuple[int, date], int]]
) -> None:
    """Add to the counters of accounts and days, in one order, so that two transactions cannot deadlock.

    Args:
        connection: A write transaction of it.
        what: The column: `STAMPS` or `REJECTIONS`.
        counted: Numbers to add, by account and day.
    """
    for (account, day), number in sorted(counted):
        values = {STAMPS: 0, REJECTIONS: 0, what: number}
        statement = database.insert(USAGE_DAY).values(account_id=account, day=day.isoformat(), **values)
        grown = {what: USAGE_DAY.c[what] + number}
        connection.execute(statement.on_conflict_do_update(index_elements=["account_id", "day"], set_=grown))


def _day(time: str | None) -> date | None:
    """Return the day of a counter or of an hour as text; None for a damaged one."""
    try:
        return None if time is None else date.fromisoformat(time) if "-" in time[1:] else _day_of(int(time))
    except ValueError:
        return None


def _day_of(hour: int) -> date | None:
    """Return the day in central Mexico of an hour since 1970; None when it is outside of the calendar."""
    try:
        return from_microseconds(hour * HOUR).astimezone(CENTRAL_MEXICO).date()
    except OverflowError:
        return None
