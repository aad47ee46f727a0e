"""Periods: of instants, and of days of central Mexico."""

from __future__ import annotations

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
        found, first = [], self.first
        while first <= self.last:
            following = (first.replace(day=1) + timedelta(days=32)).replace(day=1)
            last = min(self.last, following - timedelta(days=1))
            found.append(DayPeriod(first, last))
            first = following
        return found


def month_of(text: str) -> DayPeriod:
    """Return the period of a month.

    Args:
        text: `YYYY-MM`.

    Raises:
        ServiceError: "report-invalid" for another text.
    """
    try:
        first = date.fromisoformat(f"{text}-01")
    except ValueError as cause:
        raise ServiceError("report-invalid", f"{text[:20]}: el mes se escribe AAAA-MM.") from cause
    return DayPeriod(first, (first + timedelta(days=32)).replace(day=1) - timedelta(days=1))


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time(), CENTRAL_MEXICO)
