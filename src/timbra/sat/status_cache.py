"""Cache of the last fiscal status of each CFDI, for use while the SAT does not respond."""

from __future__ import annotations

from datetime import datetime, timedelta

from timbra.core.bounded_dict import BoundedDict
from timbra.core.bounds import Bound, BoundKind
from timbra.core.clock import Clock
from timbra.sat.port import FiscalStatus, StatusQuery

MAX_ENTRIES = 10_000
UNITS = (("día", "días", 86_400), ("hora", "horas", 3_600), ("minuto", "minutos", 60), ("segundo", "segundos", 1))


class StatusCache:
    """The newest answers, in the memory of this process. Thread-safe."""

    def __init__(self, wall: Clock, max_entries: int = MAX_ENTRIES) -> None:
        """Create an empty cache.

        Args:
            wall: The clock that dates entries.
            max_entries: The maximum number of entries.
        """
        self._wall = wall
        self._entries = BoundedDict[StatusQuery, tuple[FiscalStatus, datetime]](max_entries)

    def put(self, query: StatusQuery, status: FiscalStatus) -> None:
        """Store a status that the SAT returned."""
        self._entries[query] = status, self._wall.now()

    def describe(self, query: StatusQuery) -> str:
        """Return a Spanish sentence with the last status and its age, or that there is none."""
        found = self._entries.get(query)
        if found is None:
            return "No hay una respuesta anterior."
        status, instant = found
        return f"La última respuesta, de hace {format_age(self._wall.now() - instant)}, fue {status.status}."


def format_age(age: timedelta) -> str:
    """Return an age in its largest whole unit, in Spanish: `3 minutos`."""
    seconds = max(0, int(age.total_seconds()))
    for singular, plural, length in UNITS:
        if seconds >= length:
            count = seconds // length
            return f"{count} {singular if count == 1 else plural}"
    return "menos de un segundo"


BOUNDS = (
    Bound(
        "StatusCache", BoundKind.CACHE, f"{MAX_ENTRIES:,} answers", "The entry that was written longest ago is dropped."
    ),
)
