"""A simulated authority in a temporary database, at a fixed time."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from timbra.seals.envelope import Envelope
from timbra.seals.master_key import LocalKey
from timbra.store.database import Database, open_database

NOON = datetime(2026, 11, 17, 18, 0, tzinfo=UTC)
FOUR_YEARS = (datetime(2024, 1, 1, 6, 0, 5, tzinfo=UTC), datetime(2028, 1, 1, 6, 0, 5, tzinfo=UTC))


def new_database(folder: Path) -> Database:
    return open_database(f"sqlite:///{folder / 'timbra.db'}")


def new_envelope() -> Envelope:
    return Envelope(LocalKey(b"a master key of thirty-two bytes"))


class MovableClock:
    """A clock that a test sets."""

    def __init__(self, instant: datetime = NOON) -> None:
        self.instant = instant

    def now(self) -> datetime:
        return self.instant
