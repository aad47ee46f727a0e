"""Periods of issue dates for which the SAT is asked: months, halves, and hours by their number of documents."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date, datetime, timedelta
from typing import Final

from timbra.core.periods import month_at
from timbra.received.synchronization.models import IssuePeriod

SECOND: Final = timedelta(seconds=1)
HOUR: Final = timedelta(hours=1)
MAX_XML: Final = 100_000
"""XML for which one request asks: half of what the SAT allows, because its numbers come from metadata."""
LATE_DAYS: Final = 4
"""A document may be stamped 72 hours after its issue date, so metadata of the last days is asked for again."""
YEARS: Final = 5
"""Full years before the current one for which the SAT delivers documents."""


def last_closed(today: date) -> datetime:
    """Return the last second of yesterday: the SAT finds documents of the present day late."""
    return datetime.combine(today, datetime.min.time()) - SECOND


def oldest(today: date) -> datetime:
    """Return the first instant for which the SAT delivers documents."""
    return datetime.combine(date(today.year - YEARS, 1, 1), datetime.min.time())


def months(starts: datetime, until: datetime) -> Iterator[IssuePeriod]:
    """Yield the parts of a period by calendar months."""
    while starts <= until:
        following = datetime.combine(month_at(starts.date(), 1).first, datetime.min.time())
        yield IssuePeriod(starts, min(following - SECOND, until))
        starts = following


def new_periods(since: datetime, planned_until: datetime | None, until: datetime) -> list[IssuePeriod]:
    """Return the periods whose metadata has to be asked for, late documents of the last days included."""
    if planned_until is None:
        return [*months(since, until)]
    if planned_until >= until:
        return []
    begin = max(since, planned_until + SECOND - timedelta(days=LATE_DAYS))
    return [*months(begin, until)]


def halves(period: IssuePeriod) -> list[IssuePeriod]:
    """Return both halves; nothing for a period of one second."""
    seconds = int((period.until - period.starts).total_seconds())
    if seconds < 1:
        return []
    middle = period.starts + timedelta(seconds=seconds // 2)
    return [IssuePeriod(period.starts, middle), IssuePeriod(middle + SECOND, period.until)]


def xml_periods(period: IssuePeriod, by_hour: Mapping[datetime, int], most: int = MAX_XML) -> list[IssuePeriod]:
    """Return the periods whose XML has to be asked for.

    Args:
        period: The period of the metadata.
        by_hour: Number of documents without XML by the hour of their issue date.
        most: Documents of one period.

    Returns:
        Periods that cover all documents, without the days without documents at their ends.
    """
    found: list[IssuePeriod] = []
    first, last, count = period.starts, period.starts, 0
    for hour in sorted(by_hour):
        if count and count + by_hour[hour] > most:
            found.append(IssuePeriod(first, last))
            count = 0
        if not count:
            first = max(hour.replace(hour=0) if not found or hour.date() > last.date() else hour, period.starts)
        last = min(hour + HOUR - SECOND, period.until)
        count += by_hour[hour]
    if count:
        found.append(IssuePeriod(first, min(last.replace(hour=23, minute=59, second=59), period.until)))
    return found
