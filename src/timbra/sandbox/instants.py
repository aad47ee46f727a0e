"""Parsing of instants and durations in commands; instants without a zone are in central Mexico."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

from timbra.core.clock import CENTRAL_MEXICO
from timbra.core.errors import ServiceError

# The sandbox's own certificates are valid between these.
EARLIEST = datetime(2004, 1, 1, tzinfo=UTC)
LATEST = datetime(2049, 12, 31, 23, 59, 59, tzinfo=UTC)
_UNITS = {"w": "weeks", "d": "days", "h": "hours", "m": "minutes", "s": "seconds"}
_DURATION = re.compile(r"([+-]?)((?:[0-9]{1,9}[wdhms])+)\Z")
_PART = re.compile(r"([0-9]+)([wdhms])")
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}\Z")


def is_date(text: str) -> bool:
    """Whether the text is a day without a time."""
    return _DATE.match(text) is not None


def parse_instant(text: str) -> datetime:
    """Parse `2026-11-17T12:00:00` or `2026-11-17` (its first second), with or without a zone.

    Returns:
        The instant in UTC, in whole seconds.

    Raises:
        ServiceError: "time-invalid" for another text, or an instant outside 2004 to 2049.
    """
    try:
        written = datetime.fromisoformat(text)
        aware = written if written.tzinfo else written.replace(tzinfo=CENTRAL_MEXICO)
        return within_bounds(aware.astimezone(UTC).replace(microsecond=0))
    except (ValueError, OverflowError) as cause:
        raise ServiceError("time-invalid", f"No es una fecha: {text[:40]!r}.") from cause


def parse_duration(text: str) -> timedelta:
    """Parse a duration in weeks, days, hours, minutes and seconds: `72h`, `-2d`, `+1d12h`, `90m`.

    Raises:
        ServiceError: "time-invalid" for another text.
    """
    match = _DURATION.match(text)
    if match is None:
        raise ServiceError("time-invalid", f"No es una duración: {text[:40]!r}.")
    try:
        length = sum((timedelta(**{_UNITS[unit]: int(n)}) for n, unit in _PART.findall(match[2])), timedelta())
    except OverflowError as cause:
        raise ServiceError("time-invalid", f"La duración es demasiado larga: {text[:40]!r}.") from cause
    return -length if match[1] == "-" else length


def shifted(instant: datetime, step: timedelta) -> datetime:
    """Return `instant + step`. Raises ServiceError: "time-invalid" when the sum is outside 2004 to 2049."""
    try:
        return within_bounds(instant + step)
    except OverflowError as cause:
        raise ServiceError("time-invalid", "La duración es demasiado larga.") from cause


def within_bounds(instant: datetime) -> datetime:
    """Return the instant. Raises ServiceError: "time-invalid" when it is outside 2004 to 2049."""
    if not EARLIEST <= instant <= LATEST:
        raise ServiceError("time-invalid", "La fecha debe estar entre 2004 y 2049.")
    return instant
