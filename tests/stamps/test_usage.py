"""Usage by day: the sums equal the stamps, whether the job has counted them or not."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import NoReturn

import pytest
from sqlalchemy import select
from tests.support.store_records import NOON, MovableClock, claim

from timbra.archive.pruning import PruningRepository
from timbra.database.database import Database
from timbra.database.tables.rejections import USAGE_DAY
from timbra.database.tables.stamps import STAMP
from timbra.sandbox.store.reset import ResetRepository
from timbra.stamps import usage
from timbra.stamps.partitions import StampMonths
from timbra.stamps.repository import DatabaseStamps
from timbra.stamps.usage import DailyUsage, UsageCounter

LAG = timedelta(minutes=3)

FIRST, LAST = date(2026, 11, 1), date(2026, 11, 30)


@pytest.fixture
def wall() -> MovableClock:
    return MovableClock()


@pytest.fixture
def counters(database: Database, wall: MovableClock) -> UsageCounter:
    return UsageCounter(database, wall)


def stamp(database: Database, *places: int, account: int = 1, at: datetime = NOON) -> None:
    DatabaseStamps(database, MovableClock(at)).claim([claim(place, account=account, at=at) for place in places])


def pass_on(counters: UsageCounter, wall: MovableClock) -> None:
    """The job skips stamps that are too new, and counts them later."""
    counters.count()
    wall.instant += LAG
    counters.count()


def kept(database: Database) -> int:
    with database.read() as connection:
        return sum(connection.execute(select(USAGE_DAY.c.stamps)).scalars())


def test_days_counts_new_stamps_before_and_after_the_job(
    database: Database, counters: UsageCounter, wall: MovableClock
) -> None:
    stamp(database, 1, 2)
    assert counters.days(1, FIRST, LAST) == {date(2026, 11, 17): DailyUsage(stamps=2)}
    assert kept(database) == 0

    pass_on(counters, wall)
    stamp(database, 3, at=NOON + timedelta(days=1))

    assert kept(database) == 2
    expected = {date(2026, 11, 17): DailyUsage(stamps=2), date(2026, 11, 18): DailyUsage(stamps=1)}
    assert counters.days(1, FIRST, LAST) == expected


def test_count_skips_stamps_that_are_too_new(database: Database, counters: UsageCounter, wall: MovableClock) -> None:
    stamp(database, 1)
    counters.count()
    wall.instant += LAG - timedelta(seconds=1)
    counters.count()

    assert kept(database) == 0


def test_count_works_in_batches(
    database: Database, counters: UsageCounter, wall: MovableClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(usage, "AT_ONCE", 2)
    stamp(database, *range(7))

    pass_on(counters, wall)

    assert kept(database) == 7
    assert counters.days(1, FIRST, LAST) == {date(2026, 11, 17): DailyUsage(stamps=7)}


def test_count_adds_each_stamp_once_in_several_processes(
    database: Database, counters: UsageCounter, wall: MovableClock
) -> None:
    stamp(database, 1, 2, 3)
    pass_on(counters, wall)
    pass_on(UsageCounter(database, wall), wall)

    assert kept(database) == 3


@pytest.mark.parametrize(("account", "stamps"), [(1, 2), (2, 1), (3, 0), (None, 3)])
def test_days_returns_the_usage_of_the_account(
    database: Database, counters: UsageCounter, wall: MovableClock, account: int | None, stamps: int
) -> None:
    stamp(database, 1)
    stamp(database, 2, account=2)
    pass_on(counters, wall)
    stamp(database, 3)

    assert sum(day.stamps for day in counters.days(account, FIRST, LAST).values()) == stamps


def test_days_are_in_central_mexico(database: Database, counters: UsageCounter) -> None:
    """Days follow the summer time of their year."""
    stamp(database, 1, at=datetime(2026, 11, 18, 5, 59, tzinfo=UTC))
    stamp(database, 2, at=datetime(2026, 11, 18, 6, 0, tzinfo=UTC))
    stamp(database, 3, at=datetime(2022, 7, 2, 5, 0, tzinfo=UTC))

    assert list(counters.days(1, FIRST, LAST)) == [date(2026, 11, 17), date(2026, 11, 18)]
    assert list(counters.days(1, date(2022, 7, 1), date(2022, 7, 31))) == [date(2022, 7, 2)]


def test_total_counts_every_stamp_of_the_account_before_and_after_the_job(
    database: Database, counters: UsageCounter, wall: MovableClock
) -> None:
    assert counters.total(1) == 0
    stamp(database, 1, 2)
    stamp(database, 3, account=2)
    assert (counters.total(1), counters.total(2), counters.total(3)) == (2, 1, 0)

    pass_on(counters, wall)
    stamp(database, 4, at=NOON + timedelta(days=400))

    assert kept(database) == 3
    assert (counters.total(1), counters.total(2), counters.total(3)) == (3, 1, 0)


def test_total_does_not_count_repeats(database: Database, counters: UsageCounter) -> None:
    stamp(database, 1)
    stamp(database, 1)
    assert counters.total(1) == 1


def test_total_stays_exact_when_the_job_is_interrupted(
    database: Database, counters: UsageCounter, wall: MovableClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The job adds to the days and moves its cursor in one transaction, which an interruption rolls back."""
    stamp(database, 1, 2)
    counters.count()
    wall.instant += LAG

    def interrupted(*_: object) -> NoReturn:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(usage, "update", interrupted)
        with pytest.raises(KeyboardInterrupt):
            counters.count()
    assert (kept(database), counters.total(1)) == (0, 2)

    counters.count()
    assert (kept(database), counters.total(1)) == (2, 2)


def test_total_counts_stamps_that_get_the_cursors_of_deleted_ones(
    database: Database, counters: UsageCounter, wall: MovableClock
) -> None:
    stamp(database, 1, 2)
    stamp(database, 3, 4, 5, account=2)
    pass_on(counters, wall)
    with database.write() as connection:
        ResetRepository(connection).clear_account(2)
    assert counters.total(2) == 0
    stamp(database, 6, 7, account=2)
    assert (counters.total(1), counters.total(2)) == (2, 2)
    stamp(database, 8, 9, account=2)
    pass_on(counters, wall)
    pass_on(counters, wall)
    assert (counters.total(1), counters.total(2), kept(database)) == (2, 4, 6)


def test_total_counts_stamps_after_all_were_pruned(
    database: Database, counters: UsageCounter, wall: MovableClock
) -> None:
    stamp(database, 1, 2)
    pass_on(counters, wall)
    with database.read() as connection:
        uuids = list(connection.execute(select(STAMP.c.uuid)).scalars())
    assert PruningRepository(database, [], StampMonths(database, MovableClock())).delete_stamps(uuids) == 2
    stamp(database, 3)
    assert counters.total(1) == 3
