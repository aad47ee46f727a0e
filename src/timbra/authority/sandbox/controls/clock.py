"""Fiscal time of the sandbox: shifted or fixed, stored in the database, the same for every worker."""

from __future__ import annotations

import json
from datetime import datetime

from timbra.authority.sandbox.controls.instants import parse_duration, parse_instant, shifted
from timbra.clock import Clock, FiscalClock, FiscalReading
from timbra.store.sandbox.transactions import SandboxStore
from timbra.store.tables.column_types import MICROSECOND, from_microseconds, to_microseconds

AREA = "clock"
_NAME = "clock"


class ClockControl:
    """Reads and moves fiscal time. `clock` is the clock that other parts receive.

    A clock that was set stands still, so that a test sees one instant; `advance` moves it on by a step. A clock that
    was never set runs with wall time; `advance` shifts it. initial: `TIMBRA_CLOCK`, used while nothing is stored:
    an ISO instant (standing still) or a signed duration (shifted).
    """

    def __init__(self, store: SandboxStore, wall: Clock, initial: str = "") -> None:
        self._store = store
        self._wall = wall
        self._cache_version = -1
        self._reading = FiscalReading()
        self.clock = FiscalClock(wall, self.reading)
        if initial:
            with store.write() as transaction:
                if transaction.values.put_if_absent(_NAME, _serialize(initial_reading(initial))):
                    transaction.mark_changed(AREA)

    def reading(self) -> FiscalReading:
        """Return the reading in force; no I/O unless the clock was moved."""
        cache_version = self._store.cache_version(AREA)
        if cache_version != self._cache_version:
            with self._store.read() as transaction:
                stored = transaction.values.get(_NAME)
            self._reading = _deserialize(stored) if stored else FiscalReading()
            self._cache_version = cache_version
        return self._reading

    def now(self) -> datetime:
        return self.clock.now()

    def set(self, text: str, *, running: bool = False) -> datetime:
        """Puts the clock at an ISO instant (central Mexico unless it names a zone); it stands still unless `running`.

        ServiceError("time-invalid") for what is no instant between 2004 and 2049.
        """
        instant = parse_instant(text)
        self._save(FiscalReading(instant - self._wall.now()) if running else FiscalReading(frozen_at=instant))
        return instant

    def advance(self, text: str) -> datetime:
        """Moves the clock by a duration (`72h`, `-1d`), standing or running. ServiceError("time-invalid") as `set`."""
        step = parse_duration(text)
        reading = self.reading()
        moved = shifted(self.now(), step)
        if reading.frozen_at is not None:
            self._save(FiscalReading(frozen_at=reading.frozen_at + step))
        else:
            self._save(FiscalReading(reading.offset + step))
        return moved

    def reset(self) -> None:
        """Back to wall time."""
        self._save(FiscalReading())

    def _save(self, reading: FiscalReading) -> None:
        with self._store.write() as transaction:
            transaction.values.put(_NAME, _serialize(reading))
            transaction.mark_changed(AREA)


def initial_reading(text: str) -> FiscalReading:
    """What `TIMBRA_CLOCK` means. ServiceError("time-invalid")."""
    if text[:1] in "+-":
        return FiscalReading(parse_duration(text))
    return FiscalReading(frozen_at=parse_instant(text))


def _serialize(reading: FiscalReading) -> str:
    if reading.frozen_at is not None:
        return json.dumps({"frozen_at": to_microseconds(reading.frozen_at)})
    return json.dumps({"offset": reading.offset // MICROSECOND})


def _deserialize(stored: str) -> FiscalReading:
    value = json.loads(stored)
    if "frozen_at" in value:
        return FiscalReading(frozen_at=from_microseconds(value["frozen_at"]))
    return FiscalReading(value["offset"] * MICROSECOND)
