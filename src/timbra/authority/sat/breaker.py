"""A circuit breaker: a service that fails again and again is left alone for a while."""

from __future__ import annotations

import time
from collections.abc import Callable
from threading import Lock


class Breaker:
    """Opens after `failures` in a row, for `seconds`; then one call at a time may try. Shared by threads.

    now: seconds of any clock that only moves forward.
    """

    def __init__(self, failures: int = 5, seconds: float = 30, now: Callable[[], float] = time.monotonic) -> None:
        self._most = failures
        self._seconds = seconds
        self._now = now
        self._failed = 0
        self._shut_until = 0.0
        self._lock = Lock()

    def admits(self) -> bool:
        """Whether a call may be made now; whoever makes it reports how it went."""
        with self._lock:
            if self._failed < self._most:
                return True
            if self._now() < self._shut_until:
                return False
            self._shut_until = self._now() + self._seconds
            return True

    def succeeded(self) -> None:
        with self._lock:
            self._failed = 0

    def failed(self) -> None:
        with self._lock:
            self._failed += 1
            if self._failed >= self._most:
                self._shut_until = self._now() + self._seconds
