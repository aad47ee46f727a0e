"""Circuit breaker: calls to a service that failed repeatedly are stopped for a while."""

from __future__ import annotations

import time
from collections.abc import Callable
from threading import Lock


class CircuitBreaker:
    """Opens after several consecutive failures for a pause; afterwards it allows one call per pause. Thread-safe."""

    def __init__(self, failures: int = 5, seconds: float = 30, now: Callable[[], float] = time.monotonic) -> None:
        """Create a closed circuit.

        Args:
            failures: Consecutive failures that open the circuit.
            seconds: The pause.
            now: Monotonic seconds.
        """
        self._max_failures = failures
        self._seconds = seconds
        self._now = now
        self._failures = 0
        self._open_until = 0.0
        self._lock = Lock()

    def allow(self) -> bool:
        """Return whether a call may be made now; the caller then calls `record_success` or `record_failure`."""
        with self._lock:
            if self._failures < self._max_failures:
                return True
            if self._now() < self._open_until:
                return False
            self._open_until = self._now() + self._seconds
            return True

    def capacity(self, wanted: int) -> int:
        """Return how many of some calls `allow` would permit now: all, or one after a pause, or none during it."""
        with self._lock:
            if self._failures < self._max_failures:
                return wanted
            return 0 if self._now() < self._open_until else min(wanted, 1)

    def pause(self) -> float | None:
        """Return the seconds until the next call is allowed; None while the circuit is closed."""
        with self._lock:
            if self._failures < self._max_failures:
                return None
            return max(self._open_until - self._now(), 0.0)

    def record_success(self) -> None:
        with self._lock:
            self._failures = 0

    def record_failure(self) -> None:
        """Count a failure; open the circuit when there are too many."""
        with self._lock:
            self._failures += 1
            if self._failures >= self._max_failures:
                self._open_until = self._now() + self._seconds
