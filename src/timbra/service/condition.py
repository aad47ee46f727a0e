"""How a running server is: whether it can work, and what waits. Asked by probes, so answers are remembered a moment."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from time import monotonic
from typing import Generic, TypeVar

import structlog

from timbra.store.outbox import Backlog

LOG = structlog.get_logger(__name__)
Answer = TypeVar("Answer")
Check = Callable[[], None]
LONGEST_WAIT = 5.0
REMEMBERED_SECONDS = 1.0
LEAVING = "el servidor se está deteniendo"
SILENT = "las comprobaciones no terminaron a tiempo"


class Remembered(Generic[Answer]):
    """The last answer to a slow question; an old one is asked anew, in a thread, by one of all who wait for it."""

    def __init__(self, ask: Callable[[], Answer], seconds: float = REMEMBERED_SECONDS) -> None:
        self._ask = ask
        self._seconds = seconds
        self._asked: asyncio.Task[Answer] | None = None
        self._ends = 0.0

    async def get(self) -> Answer:
        """Raises what the question raises; TimeoutError when nobody knows after five seconds."""
        if self._asked is None or (self._asked.done() and monotonic() > self._ends):
            self._asked = asyncio.create_task(asyncio.to_thread(self._ask))
            self._asked.add_done_callback(self._note)
        if self._asked.done():
            return self._asked.result()
        return await asyncio.wait_for(asyncio.shield(self._asked), LONGEST_WAIT)

    def _note(self, asked: asyncio.Task[Answer]) -> None:
        self._ends = monotonic() + self._seconds
        if not asked.cancelled():
            asked.exception()  # whoever waits gets it; nobody may wait any more


class Condition:
    """checks: by what is missing when one raises, in our words. backlog: what waits for delivery."""

    def __init__(self, checks: Mapping[str, Check], backlog: Callable[[], Backlog]) -> None:
        self._checks = checks
        self._missing = Remembered(self._look)
        self._backlog = Remembered(backlog)
        self.leaving = False

    async def missing(self) -> Sequence[str]:
        """What keeps this worker from working, nothing when it is ready; the log tells causes."""
        if self.leaving:
            return [LEAVING]
        try:
            return await self._missing.get()
        except TimeoutError:
            return [SILENT]

    async def backlog(self) -> Backlog:
        """ServiceError("CO1000") when the database is out of reach; TimeoutError when it does not answer."""
        return await self._backlog.get()

    def leave(self) -> None:
        """From now on this worker is not ready, although it still answers."""
        self.leaving = True

    def _look(self) -> list[str]:
        return [what for what, check in self._checks.items() if not _holds(what, check)]


def _holds(what: str, check: Check) -> bool:
    """Whatever goes wrong is an answer here: the probe is told, and the log says more."""
    try:
        check()
    except Exception as error:
        LOG.warning("not ready", missing=what, error=repr(error))
        return False
    return True
