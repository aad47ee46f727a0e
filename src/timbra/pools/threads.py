"""Threads for blocking work of requests, shared fairly by accounts."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from functools import partial
from typing import ParamSpec, Protocol, TypeVar

from timbra.metrics import MetricsRegistry
from timbra.pools.fair_queue import FairQueue, PoolLimits

P = ParamSpec("P")
T = TypeVar("T")


class RunInThread(Protocol):
    """Runs blocking work outside the event loop, as `asyncio.to_thread` does."""

    async def __call__(self, work: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Return the result of the work, or raise what it raises."""
        ...


class ThreadPool:
    """Belongs to one event loop; its threads start with the first use.

    A request that is cancelled while its work runs keeps its slot until the work ends, because a thread cannot be
    interrupted.
    """

    def __init__(self, name: str, limits: PoolLimits, busy: str, metrics: MetricsRegistry | None = None) -> None:
        self._queue = FairQueue(name, limits, busy, metrics)
        self._threads = ThreadPoolExecutor(limits.running, name)

    async def run(self, account: str, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """The result of the work, or what it raises. ServiceError("CO1000") with `retry_after` when the queue is full.

        account: who is served; requests of one account wait for each other before others wait for them.
        """
        call = partial(copy_context().run, partial(work, *args, **kwargs))
        await self._queue.acquire(account)
        try:
            future = asyncio.get_running_loop().run_in_executor(self._threads, call)
        except BaseException:
            self._queue.release(account)
            raise
        future.add_done_callback(lambda _: self._queue.release(account))
        return await asyncio.shield(future)

    def run_blocking(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """As `run`, for other threads than the event loop's: they wait for a thread only, not in the queue."""
        return self._threads.submit(work, *args, **kwargs).result()

    def close(self) -> None:
        """Ends the threads after the work that runs."""
        self._threads.shutdown(wait=False)
