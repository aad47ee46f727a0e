"""Threads for blocking work of requests, shared fairly by accounts."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from functools import partial
from typing import ParamSpec, Protocol, TypeVar

from timbra.core.bounds import Bound, BoundKind
from timbra.core.metrics import MetricsRegistry
from timbra.pools.daemon_threads import DaemonThreads
from timbra.pools.fair_queue import BUSY_SECONDS, FairQueue, PoolLimits

P = ParamSpec("P")
T = TypeVar("T")


class RunInThread(Protocol):
    """Runs blocking work outside the event loop, as `asyncio.to_thread` does."""

    async def __call__(self, work: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Return the result of the work, or raise what it raises."""
        ...


class ThreadPool:
    """A thread pool of one event loop; its threads start with the first use.

    A request that is cancelled while its work runs keeps its slot until the work ends, because a thread cannot be
    interrupted.

    Args:
        name: label of the metrics.
        limits: limits of the queue.
        busy: Spanish detail of the rejection when the queue is full.
        metrics: metrics of the pool.
        retry_after: seconds that the rejection has.
        may_hang: whether work may never return; it then does not keep the process from ending.
    """

    def __init__(
        self,
        name: str,
        limits: PoolLimits,
        busy: str,
        metrics: MetricsRegistry | None = None,
        retry_after: int = BUSY_SECONDS,
        *,
        may_hang: bool = False,
    ) -> None:
        self._queue = FairQueue(name, limits, busy, metrics, retry_after)
        self._threads = DaemonThreads(limits.running, name) if may_hang else ThreadPoolExecutor(limits.running, name)

    async def run(self, account: str, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run the work in a thread.

        Args:
            account: key of the fair queue: requests of one account wait for each other before others wait for them.
            work: the function, called in the context of the caller.

        Returns:
            The result of the work. An exception of the work is raised.

        Raises:
            ServiceError: "CO1000" with `retry_after` when the queue is full.
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
        """Run the work as `run`, for callers in other threads than the event loop's; they bypass the queue."""
        return self._threads.submit(work, *args, **kwargs).result()

    def submit(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Run the work as `run_blocking`, without waiting for its end."""
        return self._threads.submit(work, *args, **kwargs)

    def close(self) -> None:
        """End the threads after the running work."""
        self._threads.shutdown(wait=False)


BOUNDS = (
    Bound(
        "ThreadPool", BoundKind.POOL, "the running work of its `PoolLimits`", "Further work waits in its `FairQueue`."
    ),
)
