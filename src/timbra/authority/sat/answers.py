"""The last good answers of the authority, for when it does not answer."""

from __future__ import annotations

from collections import OrderedDict
from datetime import datetime, timedelta
from threading import Lock

from timbra.authority.port import FiscalStatus, StatusQuery
from timbra.clock import Clock

MOST = 10_000
UNITS = (("día", "días", 86_400), ("hora", "horas", 3_600), ("minuto", "minutos", 60), ("segundo", "segundos", 1))


class LastAnswers:
    """In memory, of this process; the longest unasked go first. Shared by threads. wall: the instant of each."""

    def __init__(self, wall: Clock, most: int = MOST) -> None:
        self._wall = wall
        self._most = most
        self._answers: OrderedDict[StatusQuery, tuple[FiscalStatus, datetime]] = OrderedDict()
        self._lock = Lock()

    def keep(self, query: StatusQuery, status: FiscalStatus) -> None:
        with self._lock:
            self._answers[query] = status, self._wall.now()
            self._answers.move_to_end(query)
            if len(self._answers) > self._most:
                self._answers.popitem(last=False)

    def told(self, query: StatusQuery) -> str:
        """A Spanish sentence with the last good answer and its age, or that there is none."""
        with self._lock:
            found = self._answers.get(query)
        if found is None:
            return "No hay una respuesta anterior."
        status, instant = found
        return f"La última respuesta, de hace {spoken(self._wall.now() - instant)}, fue {status.status}."


def spoken(age: timedelta) -> str:
    """An age in its largest whole unit, in Spanish: `3 minutos`."""
    seconds = max(0, int(age.total_seconds()))
    for one, many, length in UNITS:
        if seconds >= length:
            count = seconds // length
            return f"{count} {one if count == 1 else many}"
    return "menos de un segundo"
