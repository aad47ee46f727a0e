"""The limit of database look-ups of keys that the cache does not have."""

from __future__ import annotations

import threading
from collections.abc import Callable
from time import monotonic

from timbra.core.bounded_dict import BoundedDict
from timbra.core.bounds import Bound, BoundKind

MAX_KEYS = 4096
KEY_SECONDS = 1.0
BURST = 50
PER_SECOND = 50.0


class NegativeCache:
    """Keys that were looked up a moment ago; thread-safe.

    A key is looked up once in `KEY_SECONDS`; in that time a change arrives without a look-up. All keys together are
    looked up `BURST` times, and then `PER_SECOND` times a second (token bucket): the server rejects a flood of unknown
    keys without the database.
    """

    def __init__(self, now: Callable[[], float] = monotonic) -> None:
        self._now = now
        self._expiries = BoundedDict[str, float](MAX_KEYS)
        self._tokens = float(BURST)
        self._refilled_at = now()
        self._lock = threading.Lock()

    def allow(self, key: str) -> bool:
        """Whether the caller may look up the key now; an allowed look-up counts."""
        with self._lock:
            now = self._now()
            if now < self._expiries.get(key, now):
                return False
            self._tokens = min(BURST, self._tokens + (now - self._refilled_at) * PER_SECOND)
            self._refilled_at = now
            if self._tokens < 1:
                return False
            self._tokens -= 1
            self._expiries[key] = now + KEY_SECONDS
            return True


BOUNDS = (
    Bound("NegativeCache", BoundKind.CACHE, f"{MAX_KEYS:,} keys", "The entry that was written longest ago is dropped."),
)
