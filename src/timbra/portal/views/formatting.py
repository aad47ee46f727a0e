"""Texts of errors, instants and durations, and the date fields of search forms."""

from __future__ import annotations

from datetime import date, datetime, timedelta

from timbra.clock import CENTRAL_MEXICO, to_central_mexico
from timbra.errors import ServiceError
from timbra.messages import MESSAGES, full_message, sentence
from timbra.portal.dispatch.page_request import PageRequest

_UNITS = ((86_400, "d"), (3_600, "h"), (60, "min"), (1, "s"))
MIN_YEAR, MAX_YEAR = 2000, 2200


def error_message(code: str) -> str:
    """Return the Spanish sentence of an error code; codes of the public API are part of it."""
    return sentence(code) if code in MESSAGES and code.islower() else full_message(code)


def local(instant: datetime) -> str:
    """Format an instant in the time of central Mexico: `2026-11-17 12:00:00`."""
    return to_central_mexico(instant).replace("T", " ")


def local_day(instant: datetime) -> str:
    """Format the day of an instant in central Mexico: `2026-11-17`."""
    return to_central_mexico(instant)[:10]


def format_duration(duration: timedelta, max_units: int = 2) -> str:
    """Format a duration by its largest units, such as `3 d 4 h`, `-2 min` or `0 s`.

    Args:
        duration: May be negative.
        max_units: Maximum number of units.
    """
    seconds = int(abs(duration).total_seconds())
    parts = []
    for size, name in _UNITS:
        count, seconds = divmod(seconds, size)
        if count:
            parts.append(f"{count} {name}")
    sign = "-" if duration < timedelta() else ""
    return sign + " ".join(parts[:max_units]) if parts else "0 s"


def date_range(
    page_request: PageRequest, since: str = "desde", until: str = "hasta"
) -> tuple[datetime | None, datetime | None]:
    """Read the days of a search form as instants in central Mexico.

    Args:
        page_request: The request.
        since: Query parameter of the first day.
        until: Query parameter of the last day.

    Returns:
        The start of the first day, and the end of the last day, exclusive; None for an empty field.

    Raises:
        ServiceError: "TB4005" when a field is not a date.
    """
    first, last = _day(page_request.query(since)), _day(page_request.query(until))
    return _midnight(first), _midnight(last + timedelta(days=1)) if last is not None else None


def _day(text: str) -> date | None:
    try:
        day = date.fromisoformat(text) if text else None
    except ValueError as error:
        raise ServiceError("TB4005", "Las fechas se escriben como AAAA-MM-DD.") from error
    if day is not None and not MIN_YEAR <= day.year <= MAX_YEAR:
        raise ServiceError("TB4005", "La fecha está fuera de lo posible.")
    return day


def _midnight(day: date | None) -> datetime | None:
    return None if day is None else datetime(day.year, day.month, day.day, tzinfo=CENTRAL_MEXICO)
