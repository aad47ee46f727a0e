"""The rate limit of failed logins, per user name."""

from __future__ import annotations

import math
from collections import OrderedDict

from timbra.clock import Clock

BURST = 20
"""Failures that a user name has at once."""
SECONDS_PER_FAILURE = 3.0
MAX_NAMES = 16_384


class FailedLogins:
    """A leaky bucket of failures per user name, existing or not: 20 at once, one more every three seconds.

    Successful logins neither count nor reset it. A name that exhausted its limit is throttled, not locked; see `login`.
    """

    def __init__(self, wall: Clock) -> None:
        self._wall = wall
        self._levels: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def record_failure(self, name: str) -> int | None:
        """Count one failure.

        Returns:
            Seconds until the next failure is within the limit; None while it is.
        """
        level, now = self._level(name)
        level = min(level + 1, BURST + 1)
        self._levels[name] = level, now
        self._levels.move_to_end(name)
        while len(self._levels) > MAX_NAMES:
            self._levels.popitem(last=False)
        return math.ceil((level - BURST) * SECONDS_PER_FAILURE) if level > BURST else None

    def is_exhausted(self, name: str) -> bool:
        """Whether one more failure would exceed the limit."""
        return self._level(name)[0] + 1 > BURST

    def _level(self, name: str) -> tuple[float, float]:
        now = self._wall.now().timestamp()
        level, since = self._levels.get(name, (0.0, now))
        return max(0.0, level - max(0.0, now - since) / SECONDS_PER_FAILURE), now
