"""Usage by day: a periodic job counts stamps after a few minutes; a query counts the newest ones.

When several nodes write, cursors are committed out of order. The job therefore counts up to a cursor that was the
highest one `LAG` ago: every transaction of that time has ended.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

import structlog
from sqlalchemy import Connection, Row, Text, cast, func, literal, select, union_all, update

from timbra.core.clock import CENTRAL_MEXICO, Clock, WallClock
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
PROGRESS, DAY = USAGE_PROGRESS.c, USAGE_DAY.c
# Every zone of the country is whole hours from UTC.
_HOUR_OF_STAMP = cast(STAMP.c.stamped_at, STAMP.c.cursor.type) // HOUR


@dataclass(frozen=True, slots=True)
class DailyUsage:
    """Numbers of one day."""

    stamps: int = 0
    rejections: int = 0


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
        counted = func.coalesce(select(PROGRESS.counted).scalar_subquery(), 0)
        summed = select(DAY.day.label("time"), func.sum(DAY.stamps), func.sum(DAY.rejections)).group_by(DAY.day)
        summed = summed.where(DAY.day.between(since.isoformat(), until.isoformat()))
        hour = cast(_HOUR_OF_STAMP, Text)
        fresh = select(hour, func.count(), literal(0)).where(STAMP.c.cursor > counted).group_by(hour)
        if account_id is not None:
            summed = summed.where(DAY.account_id == account_id)
            fresh = fresh.where(STAMP.c.account_id == account_id)
        stamps: Counter[date] = Counter()
        rejections: Counter[date] = Counter()
        with self._database.read() as connection:
            for time, stamped, rejected in connection.execute(union_all(summed, fresh)):
                day = date.fromisoformat(time) if "-" in time[1:] else _day_of(int(time))
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
        counted = func.coalesce(select(PROGRESS.counted).scalar_subquery(), 0)
        summed = select(func.coalesce(func.sum(DAY.stamps), 0)).where(DAY.account_id == account_id)
        fresh = select(func.count()).where(STAMP.c.account_id == account_id, STAMP.c.cursor > counted)
        with self._database.read() as connection:
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
            settled = now - row.seen_at >= LAG
            return {"counted": min(row.seen, row.counted + AT_ONCE)} if settled else None
        newest = connection.execute(select(STAMP.c.cursor).order_by(STAMP.c.cursor.desc()).limit(1)).scalar()
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
            day = _day_of(int(number))
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


def _day_of(hour: int) -> date | None:
    """Return the day in central Mexico of an hour since 1970; None when it is outside of the calendar."""
    try:
        return from_microseconds(hour * HOUR).astimezone(CENTRAL_MEXICO).date()
    except OverflowError:
        return None
