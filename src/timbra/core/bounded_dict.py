"""A dict for caches in memory."""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock
from typing import TypeVar

K = TypeVar("K")
V = TypeVar("V")


class BoundedDict(OrderedDict[K, V]):
    """Evicts the entry that was written longest ago when it is full. Threads may read and assign entries at once."""

    def __init__(self, limit: int) -> None:
        super().__init__()
        self._limit = limit
        self._lock = Lock()

    def __setitem__(self, key: K, value: V) -> None:
        with self._lock:
            super().__setitem__(key, value)
            self.move_to_end(key)
            if len(self) > self._limit:
                self.popitem(last=False)

    def clear(self) -> None:
        with self._lock:
            super().clear()
