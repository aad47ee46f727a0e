"""Periods of days, and their months."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date

import pytest

from timbra.core.errors import ServiceError
from timbra.core.periods import DayPeriod, month_of


def test_months_divide_a_period() -> None:
    period = DayPeriod(date(2025, 12, 15), date(2026, 2, 3))
    assert [(month.first, month.last) for month in period.months()] == [
        (date(2025, 12, 15), date(2025, 12, 31)),
        (date(2026, 1, 1), date(2026, 1, 31)),
        (date(2026, 2, 1), date(2026, 2, 3)),
    ]
    assert month_of("2024-02").last == date(2024, 2, 29)


@pytest.mark.parametrize("make", [lambda: month_of("2026-13"), lambda: DayPeriod(date(2026, 2, 2), date(2026, 2, 1))])
def test_period_rejects_impossible_days(make: Callable[[], DayPeriod]) -> None:
    with pytest.raises(ServiceError) as caught:
        make()
    assert caught.value.code == "report-invalid"
