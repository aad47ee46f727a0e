"""The two clocks: fiscal time, which the sandbox may move, and wall time, which nobody moves.

Every instant inside Timbra is an aware datetime in UTC; SAT's zone-less local times exist only inside documents.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Protocol
from zoneinfo import ZoneInfo

CENTRAL_MEXICO = ZoneInfo("America/Mexico_City")
LOCAL_FORMAT = "%Y-%m-%dT%H:%M:%S"
WHOLE_SECONDS = len("2026-11-17T12:00:00")


class Clock(Protocol):
    """Something that tells the instant, aware and in UTC."""

    def now(self) -> datetime: ...


class WallClock:
    """The machine's clock."""

    def now(self) -> datetime:
        return datetime.now(UTC)


@dataclass(frozen=True)
class FixedClock:
    """A clock that stands still, for tests and for validating as of an instant."""

    instant: datetime

    def now(self) -> datetime:
        return self.instant


@dataclass(frozen=True)
class FiscalReading:
    """How fiscal time relates to wall time: shifted by `offset`, or standing still at `frozen_at`."""

    offset: timedelta = timedelta()
    frozen_at: datetime | None = None


@dataclass(frozen=True)
class FiscalClock:
    """Fiscal time: wall time as the current reading shifts or freezes it."""

    wall: Clock
    reading: Callable[[], FiscalReading]

    def now(self) -> datetime:
        reading = self.reading()
        return reading.frozen_at if reading.frozen_at is not None else self.wall.now() + reading.offset


def to_central_mexico(instant: datetime) -> str:
    """The instant as FechaTimbrado is written: central Mexico, whole seconds, no zone."""
    return instant.astimezone(CENTRAL_MEXICO).isoformat()[:WHOLE_SECONDS]
