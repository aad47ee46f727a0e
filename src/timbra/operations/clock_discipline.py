"""How well the machine's clock is synchronized, as the kernel says.

Source: adjtimex(2) of Linux. A time service (chrony, ntpd, systemd-timesyncd) tells the kernel the error that it found.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable
from dataclasses import dataclass

_UNSYNCHRONIZED = 0x0040
_NANOSECONDS = 0x2000
_ERROR_STATE = 5


@dataclass(frozen=True, slots=True)
class ClockReading:
    """The state of the clock.

    Attributes:
        synchronized: Whether a time service keeps the clock.
        offset: Seconds that the kernel still corrects; positive when the clock is behind.
        max_error: Upper bound of the error in seconds; it grows while no time service corrects the clock.
    """

    synchronized: bool
    offset: float
    max_error: float


class ClockDiscipline:
    """Compares the reading of the clock with a limit."""

    def __init__(self, read: Callable[[], ClockReading | None], max_error: float) -> None:
        """Use a reader.

        Args:
            read: Returns the reading; None on a system that has none.
            max_error: The largest accepted error, in seconds.
        """
        self.read = read
        self._max_error = max_error

    def problem(self) -> str | None:
        """Return what is wrong with the clock, in Spanish; None when it is accurate or the system does not say."""
        reading = self.read()
        if reading is None:
            return None
        if not reading.synchronized:
            return "El reloj del equipo no está sincronizado con un servidor de tiempo."
        error = max(abs(reading.offset), reading.max_error)
        if error > self._max_error:
            return f"El error del reloj del equipo puede ser de {error:.1f} s; el límite es {self._max_error:g} s."
        return None


def read_clock() -> ClockReading | None:
    """Return the state of the clock; None where the kernel does not tell it (other systems, some containers)."""
    if not sys.platform.startswith("linux"):
        return None
    try:
        function = ctypes.CDLL(None).adjtimex
    except (OSError, AttributeError):
        return None
    found = _Timex()
    state = function(ctypes.byref(found))
    if state < 0:
        return None
    unit = 1e-9 if found.status & _NANOSECONDS else 1e-6
    synchronized = state != _ERROR_STATE and not found.status & _UNSYNCHRONIZED
    return ClockReading(synchronized, found.offset * unit, found.maxerror * 1e-6)


class _Timeval(ctypes.Structure):
    _fields_ = (("tv_sec", ctypes.c_long), ("tv_usec", ctypes.c_long))


class _Timex(ctypes.Structure):
    """`struct timex` of glibc and musl on Linux."""

    _fields_ = (
        ("modes", ctypes.c_uint),
        ("offset", ctypes.c_long),
        ("freq", ctypes.c_long),
        ("maxerror", ctypes.c_long),
        ("esterror", ctypes.c_long),
        ("status", ctypes.c_int),
        ("constant", ctypes.c_long),
        ("precision", ctypes.c_long),
        ("tolerance", ctypes.c_long),
        ("time", _Timeval),
        ("tick", ctypes.c_long),
        ("ppsfreq", ctypes.c_long),
        ("jitter", ctypes.c_long),
        ("shift", ctypes.c_int),
        ("stabil", ctypes.c_long),
        ("jitcnt", ctypes.c_long),
        ("calcnt", ctypes.c_long),
        ("errcnt", ctypes.c_long),
        ("stbcnt", ctypes.c_long),
        ("tai", ctypes.c_int),
        ("reserved", ctypes.c_int * 11),
    )
