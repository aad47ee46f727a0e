"""Working days of the tax authority. Its vacations, which are announced each year, are not considered.

Source: CFF, article 12.
"""

from __future__ import annotations

from datetime import date, datetime, time, timedelta

from timbra.core.clock import CENTRAL_MEXICO

MONDAY, SATURDAY = 0, 5
_FIXED = frozenset({(1, 1), (5, 1), (5, 5), (9, 16), (12, 25)})
# (month, ordinal of the Monday)
_MONDAYS = frozenset({(2, 1), (3, 3), (11, 3)})
# The Federal Executive is sworn in every six years: on 1 December until 2018, on 1 October since.
_SWEARING_IN = 2018


def is_working_day(day: date) -> bool:
    """Whether the day is neither of a weekend nor a public holiday."""
    if day.weekday() >= SATURDAY or (day.month, day.day) in _FIXED:
        return False
    if day.weekday() == MONDAY and (day.month, (day.day + 6) // 7) in _MONDAYS:
        return False
    swearing_in = (12, 1) if day.year <= _SWEARING_IN else (10, 1)
    return (day.year - _SWEARING_IN) % 6 != 0 or (day.month, day.day) != swearing_in


def end_of_working_day(instant: datetime, count: int) -> datetime:
    """Return the midnight in central Mexico that ends a working day.

    Args:
        instant: An aware instant.
        count: Number of working days after the day of `instant`.
    """
    day = instant.astimezone(CENTRAL_MEXICO).date()
    for _ in range(count):
        day += timedelta(days=1)
        while not is_working_day(day):
            day += timedelta(days=1)
    return datetime.combine(day + timedelta(days=1), time(), CENTRAL_MEXICO).astimezone(instant.tzinfo)
