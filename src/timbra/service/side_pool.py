"""Threads for slow work beside the event loop: few, with a bounded queue, so that it cannot crowd out anything else."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import TypeVar

from timbra.errors import ServiceError

T = TypeVar("T")

THREADS = 2
MOST_WAITING = 32
BUSY_SECONDS = 5


class SidePool:
    """Belongs to one event loop. name: of its threads. busy: what those who find no room are told."""

    def __init__(self, name: str, busy: str) -> None:
        self._pool = ThreadPoolExecutor(THREADS, name)
        self._busy = busy
        self._room = THREADS + MOST_WAITING

    async def run(self, work: Callable[[], T]) -> T:
        """The result of the work, or what it raises. ServiceError("CO1000") with `retry_after` while too much waits."""
        if not self._room:
            raise ServiceError("CO1000", self._busy, retry_after=BUSY_SECONDS)
        self._room -= 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self._pool, copy_context().run, work)
        finally:
            self._room += 1
