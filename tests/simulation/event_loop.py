"""A minimal event loop for one simulated process: callbacks in their order, without I/O, time or threads."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Coroutine
from typing import Any


class SimulatedLoop(asyncio.AbstractEventLoop):
    """Runs callbacks and tasks; the caller is an actor of the scheduler.

    Attributes:
        is_dead: whether the process was killed, so that its futures and tasks stay unfinished.
    """

    def __init__(self) -> None:
        self._callbacks: deque[asyncio.Handle] = deque()
        self.is_dead = False

    @property
    def has_work(self) -> bool:
        return bool(self._callbacks)

    def run_one(self) -> None:
        """Run the next callback."""
        handle = self._callbacks.popleft()
        asyncio.events._set_running_loop(self)
        try:
            if not handle.cancelled():
                handle._run()
        finally:
            asyncio.events._set_running_loop(None)

    def call_soon(self, callback: Callable[..., object], *arguments: Any, context: Any = None) -> asyncio.Handle:  # type: ignore[override]
        handle = asyncio.Handle(callback, arguments, self, context)
        self._callbacks.append(handle)
        return handle

    def create_future(self) -> asyncio.Future[Any]:
        return asyncio.Future(loop=self)

    def create_task(self, work: Coroutine[Any, Any, Any], **_: Any) -> asyncio.Task[Any]:  # type: ignore[override]
        task = asyncio.Task(work, loop=self)
        task._log_destroy_pending = False  # type: ignore[attr-defined]  # a killed process finishes no task
        return task

    def get_debug(self) -> bool:
        return False

    def call_exception_handler(self, context: dict[str, Any]) -> None:
        if self.is_dead:
            return
        error = context.get("exception")
        raise AssertionError(context.get("message")) from error
