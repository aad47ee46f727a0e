"""Instants and durations as people write them in commands: central Mexico unless they say otherwise."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

from timbra.clock import CENTRAL_MEXICO
from timbra.errors import ServiceError

# The sandbox's own certificates are in force between these.
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
    """`2026-11-17T12:00:00`, `2026-11-17` (its first second) or with a zone; whole seconds, UTC.

    ServiceError("time-invalid") for anything else, or outside 2004 to 2049.
    """
    try:
        written = datetime.fromisoformat(text)
        aware = written if written.tzinfo else written.replace(tzinfo=CENTRAL_MEXICO)
        return within_bounds(aware.astimezone(UTC).replace(microsecond=0))
    except (ValueError, OverflowError) as cause:
        raise ServiceError("time-invalid", f"No es una fecha: {text[:40]!r}.") from cause


def parse_duration(text: str) -> timedelta:
    """`72h`, `-2d`, `+1d12h`, `90m`: weeks, days, hours, minutes, seconds. ServiceError("time-invalid") otherwise."""
    match = _DURATION.match(text)
    if match is None:
        raise ServiceError("time-invalid", f"No es una duración: {text[:40]!r}.")
    try:
        length = sum((timedelta(**{_UNITS[unit]: int(n)}) for n, unit in _PART.findall(match[2])), timedelta())
    except OverflowError as cause:
        raise ServiceError("time-invalid", f"La duración es demasiado larga: {text[:40]!r}.") from cause
    return -length if match[1] == "-" else length


def shifted(instant: datetime, step: timedelta) -> datetime:
    """`instant + step`. ServiceError("time-invalid") when that is outside 2004 to 2049."""
    try:
        return within_bounds(instant + step)
    except OverflowError as cause:
        raise ServiceError("time-invalid", "La duración es demasiado larga.") from cause


def within_bounds(instant: datetime) -> datetime:
    """The instant itself. ServiceError("time-invalid") outside 2004 to 2049."""
    if not EARLIEST <= instant <= LATEST:
        raise ServiceError("time-invalid", "La fecha debe estar entre 2004 y 2049.")
    return instant
