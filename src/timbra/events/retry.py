"""When deliveries that failed are attempted again: the waits of one delivery, and the pauses of its destination."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from threading import Lock

from timbra.core.clock import Clock

_RANDOM = random.SystemRandom()


def doubling(first: timedelta, longest: timedelta) -> tuple[timedelta, ...]:
    """Return waits that double until the longest one."""
    waits = [first]
    while waits[-1] < longest:
        waits.append(min(waits[-1] * 2, longest))
    return tuple(waits)


@dataclass(frozen=True, slots=True)
class RetrySchedule:
    """The attempts of one delivery.

    Attributes:
        waits: The wait after each failed attempt; the last one is repeated.
        attempts: Attempts until a delivery is a dead letter.
        spread: The least and the greatest part of a wait that is waited, so that retries do not come together.
        jitter: Returns a number from 0 to 1, the place of a wait between both.
    """

    waits: Sequence[timedelta]
    attempts: int
    spread: tuple[float, float] = (1, 1)
    jitter: Callable[[], float] = _RANDOM.random

    def wait(self, attempts: int) -> timedelta:
        """Return the wait after that many attempts, the failed one included."""
        least, greatest = self.spread
        part = least if least == greatest else least + (greatest - least) * self.jitter()
        return self.waits[min(max(attempts, 1), len(self.waits)) - 1] * part


class Circuit:
    """Whether a destination answers, as one process knows it. Thread-safe.

    While it does not, one delivery tries it after each pause, which doubles; the others wait, and no attempt counts.
    """

    def __init__(self, wall: Clock, pauses: Sequence[timedelta]) -> None:
        """Create a closed circuit.

        Args:
            pauses: The pause after each failure in a row; the last one is repeated.
        """
        self._wall = wall
        self._pauses = pauses
        self._failures = 0
        self._open_until: datetime | None = None
        self._lock = Lock()

    def capacity(self, wanted: int) -> int:
        """Return how many of some deliveries may be attempted now: all, one after a pause, none during it."""
        with self._lock:
            if self._open_until is None:
                return wanted
            return min(wanted, 1) if self._wall.now() >= self._open_until else 0

    def fail(self) -> datetime:
        """Record that the destination did not answer; return until when nothing is attempted."""
        with self._lock:
            pause = self._pauses[min(self._failures, len(self._pauses) - 1)]
            self._failures += 1
            self._open_until = self._wall.now() + pause
            return self._open_until

    def succeed(self) -> bool:
        """Record that the destination answered; return whether it had not before: what waits is due at once."""
        with self._lock:
            was_open, self._open_until, self._failures = self._open_until is not None, None, 0
            return was_open
