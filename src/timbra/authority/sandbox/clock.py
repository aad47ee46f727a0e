"""Fiscal time of the sandbox: shifted or standing still, kept in the database, the same for every worker."""

from __future__ import annotations

import json
from datetime import datetime

from timbra.authority.sandbox.instants import parse_duration, parse_instant, shifted
from timbra.authority.sandbox.state import read_value, write_first, write_value
from timbra.clock import Clock, FiscalClock, FiscalReading
from timbra.store.database import Database
from timbra.store.types import MICROSECOND, from_microseconds, to_microseconds

AREA = "clock"
_NAME = "clock"


class ClockControl:
    """Reads and moves fiscal time. `clock` is what everybody else is given.

    A clock that was set stands still, so that a test sees one instant; `advance` moves it on by a step. A clock that
    was never set runs with wall time; `advance` shifts it. initial: `TIMBRA_CLOCK`, used while nothing is stored:
    an ISO instant (standing still) or a signed duration (shifted).
    """

    def __init__(self, database: Database, wall: Clock, initial: str = "") -> None:
        self._database = database
        self._wall = wall
        self._seen = -1
        self._reading = FiscalReading()
        self.clock = FiscalClock(wall, self.reading)
        if initial:
            with database.write() as connection:
                if write_first(database, connection, _NAME, _written(initial_reading(initial))):
                    database.bump(connection, AREA)

    def reading(self) -> FiscalReading:
        """The reading in force; I/O only after somebody moved the clock."""
        revision = self._database.revision(AREA)
        if revision != self._seen:
            with self._database.read() as connection:
                stored = read_value(connection, _NAME)
            self._reading = _read(stored) if stored else FiscalReading()
            self._seen = revision
        return self._reading

    def now(self) -> datetime:
        return self.clock.now()

    def set(self, text: str, *, running: bool = False) -> datetime:
        """Puts the clock at an ISO instant (central Mexico unless it names a zone); it stands still unless `running`.

        ServiceError("time-invalid") for what is no instant between 2004 and 2049.
        """
        instant = parse_instant(text)
        self._store(FiscalReading(instant - self._wall.now()) if running else FiscalReading(frozen_at=instant))
        return instant

    def advance(self, text: str) -> datetime:
        """Moves the clock by a duration (`72h`, `-1d`), standing or running. ServiceError("time-invalid") as `set`."""
        step = parse_duration(text)
        reading = self.reading()
        moved = shifted(self.now(), step)
        if reading.frozen_at is not None:
            self._store(FiscalReading(frozen_at=reading.frozen_at + step))
        else:
            self._store(FiscalReading(reading.offset + step))
        return moved

    def reset(self) -> None:
        """Back to wall time."""
        self._store(FiscalReading())

    def _store(self, reading: FiscalReading) -> None:
        with self._database.write() as connection:
            write_value(self._database, connection, _NAME, _written(reading))
            self._database.bump(connection, AREA)


def initial_reading(text: str) -> FiscalReading:
    """What `TIMBRA_CLOCK` means. ServiceError("time-invalid")."""
    if text[:1] in "+-":
        return FiscalReading(parse_duration(text))
    return FiscalReading(frozen_at=parse_instant(text))


def _written(reading: FiscalReading) -> str:
    if reading.frozen_at is not None:
        return json.dumps({"frozen_at": to_microseconds(reading.frozen_at)})
    return json.dumps({"offset": reading.offset // MICROSECOND})


def _read(stored: str) -> FiscalReading:
    value = json.loads(stored)
    if "frozen_at" in value:
        return FiscalReading(frozen_at=from_microseconds(value["frozen_at"]))
    return FiscalReading(value["offset"] * MICROSECOND)
