"""CPU affinity: the server on one core, the load on another."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

ALL = tuple(sorted(os.sched_getaffinity(0))) if hasattr(os, "sched_getaffinity") else ()
SERVER = ALL[:1]
LOAD = ALL[1:2] or ALL[:1]


@contextmanager
def running_on(cores: tuple[int, ...]) -> Iterator[None]:
    """Pin this thread, and every process that it starts within the block, to these cores."""
    if not cores:
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, cores)
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def placement() -> str:
    """Return the sentence about the placement for readers of the figures."""
    if len(ALL) > 1:
        return f"server, limit and in-process figures on core {SERVER[0]}, load on core {LOAD[0]}"
    return "one core alone: server and load share it, and rates over HTTP are too low"
