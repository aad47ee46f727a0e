"""Fiscal time of the sandbox: shifted or fixed, stored in the database, the same for every worker."""

from __future__ import annotations

import json
from datetime import datetime

from timbra.core.clock import Clock, FiscalClock, FiscalReading
from timbra.database.tables.column_types import MICROSECOND, from_microseconds, to_microseconds
from timbra.events.audit.audit import Audit
from timbra.sandbox.instants import parse_duration, parse_instant, shifted
from timbra.sandbox.store.transactions import SandboxStore, SandboxTransaction

AREA = "clock"
_NAME = "clock"


class ClockControl:
    """Reads and sets fiscal time. `clock` is the clock that other components use.

    A clock that was set is frozen, so that a test sees one instant; `advance` moves it by a step. A clock that was
    never set runs with wall time; `advance` shifts it.
    """

    def __init__(self, store: SandboxStore, wall: Clock, initial: str = "") -> None:
        """Store `initial` unless the database has a reading.

        Args:
            store: The tables of the simulated authority.
            initial: The setting `TIMBRA_CLOCK`: an ISO instant (frozen) or a signed duration (shifted).

        Raises:
            ServiceError: "time-invalid" when `initial` is neither.
        """
        self._store = store
        self._wall = wall
        self._initial = initial
        self._cache_version = -1
        self._reading = FiscalReading()
        self.clock = FiscalClock(wall, self.reading, self.known)
        self._audit = Audit(wall, self.clock)
        if initial:
            with store.write() as transaction:
                if transaction.values.put_if_absent(_NAME, _serialize(initial_reading(initial))):
                    transaction.mark_changed(AREA)

    def known(self) -> FiscalReading | None:
        """Return the current reading without I/O; None when `reading` has to read it."""
        return self._reading if self._store.is_current(AREA, self._cache_version) else None

    def reading(self) -> FiscalReading:
        """Return the current reading; no I/O while the cache version of the clock is the same."""
        cache_version = self._store.cache_version(AREA)
        if cache_version != self._cache_version:
            with self._store.read() as transaction:
                stored = transaction.values.get(_NAME)
            self._reading = _deserialize(stored) if stored else FiscalReading()
            self._cache_version = cache_version
        return self._reading

    def now(self) -> datetime:
        """Return the fiscal instant."""
        return self.clock.now()

    def set(self, text: str, *, running: bool = False) -> datetime:
        """Set the clock to an instant.

        Args:
            text: An ISO instant, in central Mexico unless it names a zone.
            running: Whether the clock runs from there on; it is frozen otherwise.

        Returns:
            The instant in UTC.

        Raises:
            ServiceError: "time-invalid" unless `text` is an instant between 2004 and 2049.
        """
        instant = parse_instant(text)
        self._save(FiscalReading(instant - self._wall.now()) if running else FiscalReading(frozen_at=instant))
        return instant

    def advance(self, text: str) -> datetime:
        """Move the clock by a duration; it stays frozen or running.

        Args:
            text: A duration such as `72h` or `-1d`.

        Returns:
            The new fiscal instant.

        Raises:
            ServiceError: "time-invalid" for another text, or when the new instant is outside 2004 to 2049.
        """
        step = parse_duration(text)
        reading = self.reading()
        moved = shifted(self.now(), step)
        if reading.frozen_at is not None:
            self._save(FiscalReading(frozen_at=reading.frozen_at + step))
        else:
            self._save(FiscalReading(reading.offset + step))
        return moved

    def apply(self, text: str) -> None:
        """Set the clock to a value of the setting `TIMBRA_CLOCK`; nothing is written when it has that reading.

        Raises:
            ServiceError: "time-invalid".
        """
        reading = initial_reading(text)
        if reading != self.reading():
            self._save(reading)

    def reset(self) -> None:
        """Reset fiscal time to wall time."""
        self._save(FiscalReading())

    def restore_initial(self, transaction: SandboxTransaction) -> datetime:
        """Store the reading of a new sandbox, in the caller's write transaction, and return its fiscal instant."""
        reading = initial_reading(self._initial) if self._initial else FiscalReading()
        transaction.values.put(_NAME, _serialize(reading))
        transaction.mark_changed(AREA)
        return FiscalClock(self._wall, lambda: reading).now()

    def _save(self, reading: FiscalReading) -> None:
        before, after = json.loads(_serialize(self.reading())), json.loads(_serialize(reading))
        with self._store.write() as transaction:
            transaction.record(self._audit, "clock.changed", "", before=before, after=after)
            transaction.values.put(_NAME, _serialize(reading))
            transaction.mark_changed(AREA)


def initial_reading(text: str) -> FiscalReading:
    """Parse the setting `TIMBRA_CLOCK`. Raises ServiceError: "time-invalid"."""
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
