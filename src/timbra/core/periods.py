"""Periods: of instants, and of days of central Mexico."""

from __future__ import annotations

from calendar import monthrange
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta

from timbra.core.clock import CENTRAL_MEXICO
from timbra.core.errors import ServiceError

MAX_DAYS = 3660


@dataclass(frozen=True, slots=True)
class Period:
    """A period of instants.

    Attributes:
        since: Its first instant.
        until: Its end, exclusive.
    """

    since: datetime
    until: datetime


@dataclass(frozen=True, slots=True)
class DayPeriod:
    """Days of central Mexico, both inclusive."""

    first: date
    last: date

    def __post_init__(self) -> None:
        if not 0 <= (self.last - self.first).days < MAX_DAYS:
            raise ServiceError("report-invalid", f"El periodo va de 1 a {MAX_DAYS} días: {self.first} a {self.last}.")

    @property
    def instants(self) -> Period:
        return Period(_midnight(self.first), _midnight(self.last + timedelta(days=1)))

    def months(self) -> list[DayPeriod]:
        """Divide the period into months; the first and the last one may be incomplete."""
        whole = months_between(self.first, self.last)
        return [DayPeriod(max(month.first, self.first), min(month.last, self.last)) for month in whole]


def month_of(text: str) -> DayPeriod:
    """Return the period of a month.

    Args:
        text: `YYYY-MM`.

    Raises:
        ServiceError: "report-invalid" for another text.
    """
    try:
        return month_at(date.fromisoformat(f"{text}-01"))
    except ValueError as cause:
        raise ServiceError("report-invalid", f"{text[:20]}: el mes se escribe AAAA-MM.") from cause


def month_at(day: date, later: int = 0) -> DayPeriod:
    """Return the month of a day, or one that is some months later, or earlier with a negative number."""
    year, month = divmod(day.year * 12 + day.month - 1 + later, 12)
    return DayPeriod(date(year, month + 1, 1), date(year, month + 1, monthrange(year, month + 1)[1]))


def months_between(first: date, last: date) -> list[DayPeriod]:
    """Return the whole months of two days, and all between them."""
    number = (last.year - first.year) * 12 + last.month - first.month
    return [month_at(first, later) for later in range(number + 1)]


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time(), CENTRAL_MEXICO)
