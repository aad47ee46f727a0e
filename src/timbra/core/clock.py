"""The two clocks: fiscal time, which the sandbox can move, and wall time, which is the machine's.

Every instant inside Timbra is an aware datetime in UTC. Local times without a zone, as the SAT writes them, exist only
in documents.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Protocol
from zoneinfo import ZoneInfo

CENTRAL_MEXICO = ZoneInfo("America/Mexico_City")
LOCAL_FORMAT = "%Y-%m-%dT%H:%M:%S"
WHOLE_SECONDS = len("2026-11-17T12:00:00")


class Clock(Protocol):
    """A source of the current instant."""

    def now(self) -> datetime:
        """Return the current instant, aware, in UTC."""
        ...


class WallClock:
    """The clock of the machine."""

    def now(self) -> datetime:
        """Return the time of the operating system, in UTC."""
        return datetime.now(UTC)


@dataclass(frozen=True)
class FixedClock:
    """A stopped clock, for tests and for validation at a given instant."""

    instant: datetime

    def now(self) -> datetime:
        return self.instant


@dataclass(frozen=True)
class FiscalReading:
    """How fiscal time relates to wall time.

    Attributes:
        offset: Difference of fiscal time from wall time; not used when the clock is stopped.
        frozen_at: The instant at which the clock is stopped; None when it runs.
    """

    offset: timedelta = timedelta()
    frozen_at: datetime | None = None

    def at(self, wall: Clock) -> datetime:
        """Return fiscal time, in UTC."""
        return self.frozen_at if self.frozen_at is not None else wall.now() + self.offset


@dataclass(frozen=True)
class FiscalClock:
    """The clock of fiscal time: wall time, shifted or stopped by the current reading.

    Attributes:
        reading: Returns the current reading; called at each `now`.
        known: The same without I/O, None while the reading has to be read; None for a reading without I/O.
    """

    wall: Clock
    reading: Callable[[], FiscalReading]
    known: Callable[[], FiscalReading | None] | None = None

    def now(self) -> datetime:
        """Return fiscal time, in UTC."""
        return self.reading().at(self.wall)


def known_time(clock: Clock) -> datetime | None:
    """Return the time of a clock without I/O, in UTC; None when `now` has to read the database."""
    if not isinstance(clock, FiscalClock) or clock.known is None:
        return clock.now()
    reading = clock.known()
    return None if reading is None else reading.at(clock.wall)


def to_central_mexico(instant: datetime) -> str:
    """Format an instant as FechaTimbrado: time of central Mexico, whole seconds, no zone.

    Args:
        instant: An aware datetime.
    """
    return _whole_second_in_central_mexico(instant.replace(microsecond=0))


def utc(instant: datetime) -> str:
    """Return an instant as ISO 8601 in UTC, to the second."""
    return instant.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def utc_or_none(instant: datetime | None) -> str | None:
    """Return an instant as `utc` writes it; None without one."""
    return None if instant is None else utc(instant)


@lru_cache(maxsize=8)
def _whole_second_in_central_mexico(instant: datetime) -> str:
    return instant.astimezone(CENTRAL_MEXICO).isoformat()[:WHOLE_SECONDS]
