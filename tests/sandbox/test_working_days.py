"""Working days of the tax authority."""

from __future__ import annotations

from datetime import date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from timbra.core.clock import CENTRAL_MEXICO
from timbra.sandbox.authority.cancellation.working_days import end_of_working_day, is_working_day


@pytest.mark.parametrize(
    "day",
    [
        *("2026-01-01", "2026-02-02", "2026-03-16", "2026-05-01", "2026-05-05", "2026-09-16", "2026-11-16"),
        *("2026-12-25", "2026-11-21", "2026-11-22", "2030-10-01", "2024-10-01", "2012-12-01", "2027-02-01"),
    ],
)
def test_is_working_day_is_false_for_days_off(day: str) -> None:
    assert not is_working_day(date.fromisoformat(day))


@pytest.mark.parametrize(
    "day",
    ["2026-11-17", "2026-11-20", "2026-02-09", "2026-03-09", "2026-11-09", "2026-10-01", "2026-12-01", "2030-12-02"],
)
def test_is_working_day_is_true_for_working_days(day: str) -> None:
    assert is_working_day(date.fromisoformat(day))


SECONDS = st.integers(0, 45 * 366 * 86_400)


@given(SECONDS.map(lambda seconds: datetime(2004, 1, 2, tzinfo=CENTRAL_MEXICO) + timedelta(seconds=seconds)))
def test_end_of_working_day_is_the_end_of_the_next_working_day(instant: datetime) -> None:
    end = end_of_working_day(instant, 1).astimezone(CENTRAL_MEXICO)
    assert (end.hour, end.minute, end.second) == (0, 0, 0)
    last = end.date() - timedelta(days=1)
    assert is_working_day(last)
    between = [instant.date() + timedelta(days=day) for day in range(1, (last - instant.date()).days)]
    assert not any(map(is_working_day, between))
    assert instant.date() < last <= instant.date() + timedelta(days=5)


@pytest.mark.parametrize(
    ("start", "ends"),
    [
        ("2026-11-17T00:00:00", "2026-11-21T00:00:00"),
        ("2026-11-17T23:59:59", "2026-11-21T00:00:00"),
        ("2026-11-13T12:00:00", "2026-11-20T00:00:00"),
        ("2026-12-23T12:00:00", "2026-12-30T00:00:00"),
        ("2026-04-30T12:00:00", "2026-05-08T00:00:00"),
    ],
)
def test_end_of_working_day_counts_three_days(start: str, ends: str) -> None:
    instant = datetime.fromisoformat(start).replace(tzinfo=CENTRAL_MEXICO)
    assert end_of_working_day(instant, 3) == datetime.fromisoformat(ends).replace(tzinfo=CENTRAL_MEXICO)
