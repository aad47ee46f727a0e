"""Instants of the times of documents: local times without zone, and times with their offset from UTC."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta, tzinfo
from functools import lru_cache

FECHA = r"(20[1-9][0-9])-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])T(([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9])"
"""SAT's pattern of a date and time (t_FechaH)."""
_FECHA = re.compile(FECHA)
_WITH_OFFSET = re.compile(FECHA + r"[+-][0-9]{2}:[0-9]{2}")

STAMPING_WINDOW = timedelta(hours=72)
"""Maximum age of a document at stamping."""
CLOCK_TOLERANCE = timedelta(minutes=5)
"""Tolerance for issuers' clocks that run fast."""


def local_time(text: str) -> datetime | None:
    """Parse a local time of a document.

    Args:
        text: value of Fecha or a similar attribute.

    Returns:
        A naive datetime; None when the text is not in the SAT's form or not a valid date.
    """
    if not _FECHA.fullmatch(text):
        return None
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return None


def local_date(text: str) -> date | None:
    """Return the date of a local time; None as for `local_time`."""
    found = local_time(text)
    return None if found is None else found.date()


def instants(text: str, zone: tzinfo) -> tuple[datetime, ...]:
    """Return the UTC instants that a local time may denote: two in the hour that a clock change repeats."""
    local = local_time(text)
    if local is None:
        return ()
    return _possible_instants(local, zone)


def offset_instants(text: str) -> tuple[datetime, ...]:
    """Return the UTC instant of a date and time with its offset: `2015-03-06T05:59:08-06:00`; none for other texts."""
    if not _WITH_OFFSET.fullmatch(text):
        return ()
    try:
        return (datetime.fromisoformat(text).astimezone(UTC),)
    except ValueError:
        return ()


@lru_cache(maxsize=1024)
def _possible_instants(local: datetime, zone: tzinfo) -> tuple[datetime, ...]:
    both = {local.replace(tzinfo=zone, fold=fold).astimezone(UTC) for fold in (0, 1)}
    return tuple(sorted(both))
