"""Rate limit of accounts: one token bucket for each account, in the memory of one worker."""

from __future__ import annotations

import math
from collections.abc import Callable
from time import monotonic

from timbra.core.errors import ServiceError

PRUNE_THRESHOLD = 10_000
"""Number of buckets from which full ones are removed."""


class RateLimiter:
    """Token buckets by account."""

    def __init__(self, rate: float, burst: int, now: Callable[[], float] = monotonic) -> None:
        """Start without buckets; the bucket of a new account is full.

        Args:
            rate: Requests per second; 0 for no limit.
            burst: Capacity of a bucket, in requests; at least one.
            now: Monotonic clock, in seconds.
        """
        self._rate = rate
        self._burst = max(burst, 1)
        self._now = now
        self._buckets: dict[int, tuple[float, float]] = {}
        """Tokens, and the time at which they were counted, by account."""
        self._prune_threshold = PRUNE_THRESHOLD

    def acquire(self, account_id: int) -> None:
        """Take one token from the bucket of an account.

        Raises:
            ServiceError: "TB4290" with `retry_after` when the bucket is empty.
        """
        if not self._rate:
            return
        now = self._now()
        tokens, counted_at = self._buckets.get(account_id, (self._burst, now))
        tokens = min(self._burst, tokens + (now - counted_at) * self._rate)
        if tokens < 1:
            raise ServiceError("TB4290", retry_after=math.ceil((1 - tokens) / self._rate))
        self._buckets[account_id] = (tokens - 1, now)
        if len(self._buckets) > self._prune_threshold:
            self._remove_full(now)

    def _remove_full(self, now: float) -> None:
        """Remove the buckets that are full again: a removed bucket and a full one are the same."""
        seconds_to_fill = self._burst / self._rate
        self._buckets = {
            account: bucket for account, bucket in self._buckets.items() if now - bucket[1] < seconds_to_fill
        }
        self._prune_threshold = max(PRUNE_THRESHOLD, 2 * len(self._buckets))
