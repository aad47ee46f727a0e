"""Pauses of the garbage collector."""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator
from contextlib import contextmanager

YOUNG_OBJECTS = 10_000
"""Net number of new objects after which Python searches for cycles: those of a document of 1,000 conceptos."""
_lock = threading.Lock()
_pauses = 0
_was_enabled = False


@contextmanager
def collection_paused() -> Iterator[None]:
    """Pause the collector of the process within the block; it resumes when the last of several threads leaves it."""
    global _pauses, _was_enabled
    with _lock:
        if not _pauses:
            _was_enabled = gc.isenabled()
            gc.disable()
        _pauses += 1
    try:
        yield
    finally:
        with _lock:
            _pauses -= 1
            if not _pauses and _was_enabled:
                gc.enable()


def tune_garbage_collector() -> None:
    """Raise the threshold of the youngest generation, so that neither the start nor a document triggers a collection.

    Neither of them leaves reference cycles behind.
    """
    _, *older = gc.get_threshold()
    gc.set_threshold(YOUNG_OBJECTS, *older)
