"""Periods of days, and their months."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis.strategies import dates, integers

from timbra.core.errors import ServiceError
from timbra.core.periods import DayPeriod, month_at, month_of, months_between


def test_months_divide_a_period() -> None:
    period = DayPeriod(date(2025, 12, 15), date(2026, 2, 3))
    assert [(month.first, month.last) for month in period.months()] == [
        (date(2025, 12, 15), date(2025, 12, 31)),
        (date(2026, 1, 1), date(2026, 1, 31)),
        (date(2026, 2, 1), date(2026, 2, 3)),
    ]
    assert month_of("2024-02").last == date(2024, 2, 29)


@given(first=dates(date(1990, 1, 1), date(2090, 1, 1)), later=integers(-600, 600))
def test_months_follow_each_other_without_a_gap(first: date, later: int) -> None:
    months = months_between(*sorted((first, month_at(first, later).last)))
    assert len(months) == abs(later) + 1
    assert any(month.first <= first <= month.last for month in months)
    for month, following in pairwise(months):
        assert month.first.day == following.first.day == 1
        assert following.first - month.last == timedelta(days=1)


@pytest.mark.parametrize("make", [lambda: month_of("2026-13"), lambda: DayPeriod(date(2026, 2, 2), date(2026, 2, 1))])
def test_period_rejects_impossible_days(make: Callable[[], DayPeriod]) -> None:
    with pytest.raises(ServiceError) as caught:
        make()
    assert caught.value.code == "report-invalid"
