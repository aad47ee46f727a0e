"""A report as a table, and its period."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta

from timbra.core.clock import CENTRAL_MEXICO
from timbra.core.errors import ServiceError
from timbra.reports.queries import Period

MAX_DAYS = 3660
Cell = str | int | float | bool | date | datetime | None
Row = Sequence[Cell]


@dataclass(frozen=True, slots=True)
class ReportPeriod:
    """Days of central Mexico, both inclusive."""

    first: date
    last: date

    def __post_init__(self) -> None:
        if not 0 <= (self.last - self.first).days < MAX_DAYS:
            raise ServiceError("report-invalid", f"El periodo va de 1 a {MAX_DAYS} días: {self.first} a {self.last}.")

    @property
    def instants(self) -> Period:
        return Period(_midnight(self.first), _midnight(self.last + timedelta(days=1)))

    def months(self) -> list[ReportPeriod]:
        """Divide the period into months; the first and the last one may be incomplete."""
        found, first = [], self.first
        while first <= self.last:
            following = (first.replace(day=1) + timedelta(days=32)).replace(day=1)
            last = min(self.last, following - timedelta(days=1))
            found.append(ReportPeriod(first, last))
            first = following
        return found


@dataclass(frozen=True, slots=True)
class ReportTable:
    """A table.

    Attributes:
        name: The name in commands and addresses.
        title: Spanish title.
        columns: Spanish headings.
        rows: The rows, each with a cell for every column. Instants are aware.
    """

    name: str
    title: str
    columns: Sequence[str]
    rows: Iterable[Row]


def month_of(text: str) -> ReportPeriod:
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
    return ReportPeriod(first, (first + timedelta(days=32)).replace(day=1) - timedelta(days=1))


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time(), CENTRAL_MEXICO)
