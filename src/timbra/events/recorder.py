"""Appends single events, each in a transaction of its own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from timbra.core.clock import Clock
    from timbra.database.database import Database

CLOCK_READING: Final = "clock.reading"
PLANNED_STOP: Final = "stop.planned"
RESTORE_TEST: Final = "restore.tested"


@dataclass(frozen=True, slots=True)
class EventRecorder:
    """Writes events that belong to no other change, with the time of both clocks."""

    database: Database
    wall: Clock
    fiscal: Clock

    def record(self, kind: str, subject: str, body: Mapping[str, object]) -> None:
        """Append an event without an account."""
        from timbra.events.event_log import Event, append_event

        event = Event(self.wall.now(), self.fiscal.now(), None, kind, subject, "", body)
        with self.database.write() as connection:
            append_event(connection, event)
