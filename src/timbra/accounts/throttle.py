"""Failed logins, counted per user name."""

from __future__ import annotations

import math
from collections import OrderedDict

from timbra.clock import Clock

BURST = 20
SECONDS_EACH = 3.0
MOST_NAMES = 16_384


class Failures:
    """A budget of failures per user name, known or not: 20 at once, one more every three seconds.

    Successes neither count nor clear. A name whose budget is spent is slowed, not shut out (see `login`).
    """

    def __init__(self, wall: Clock) -> None:
        self._wall = wall
        self._levels: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def _level(self, name: str) -> tuple[float, float]:
        now = self._wall.now().timestamp()
        level, since = self._levels.get(name, (0.0, now))
        return max(0.0, level - max(0.0, now - since) / SECONDS_EACH), now

    def count(self, name: str) -> int | None:
        """Counts one failure. Seconds until the next one is within the budget, None while it is."""
        level, now = self._level(name)
        level = min(level + 1, BURST + 1)
        self._levels[name] = level, now
        self._levels.move_to_end(name)
        while len(self._levels) > MOST_NAMES:
            self._levels.popitem(last=False)
        return math.ceil((level - BURST) * SECONDS_EACH) if level > BURST else None

    def spent(self, name: str) -> bool:
        """Whether one more failure would exceed the budget."""
        return self._level(name)[0] + 1 > BURST
