"""How often an account may ask: a bucket of tokens each, in the memory of one worker."""

from __future__ import annotations

import math
from collections.abc import Callable
from time import monotonic

from timbra.errors import ServiceError

MANY_BUCKETS = 10_000
"""When there are so many, those that are full again are forgotten."""


class RateLimiter:
    """rate: requests a second, 0 for no limit. burst: at once after a pause; at least one. Wall time only passes."""

    def __init__(self, rate: float, burst: int, now: Callable[[], float] = monotonic) -> None:
        self._rate = rate
        self._burst = max(burst, 1)
        self._now = now
        self._buckets: dict[int, tuple[float, float]] = {}
        self._many = MANY_BUCKETS

    def take(self, account_id: int) -> None:
        """Counts one request. ServiceError("TB4290", retry_after) for one too many."""
        if not self._rate:
            return
        now = self._now()
        left, since = self._buckets.get(account_id, (self._burst, now))
        left = min(self._burst, left + (now - since) * self._rate)
        if left < 1:
            raise ServiceError("TB4290", retry_after=math.ceil((1 - left) / self._rate))
        self._buckets[account_id] = (left - 1, now)
        if len(self._buckets) > self._many:
            self._forget_full(now)

    def _forget_full(self, now: float) -> None:
        full = self._burst / self._rate
        self._buckets = {account: kept for account, kept in self._buckets.items() if now - kept[1] < full}
        self._many = max(MANY_BUCKETS, 2 * len(self._buckets))
