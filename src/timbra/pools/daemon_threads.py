"""Threads for calls into native code that may never return: they do not keep the process from ending."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor, Future
from dataclasses import dataclass
from queue import SimpleQueue
from threading import Lock, Thread
from typing import Any, ParamSpec, TypeVar

from timbra.core.bounds import Bound, BoundKind

P = ParamSpec("P")
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class _Work:
    future: Future[Any]
    call: Callable[[], Any]

    def run(self) -> None:
        if not self.future.set_running_or_notify_cancel():
            return
        try:
            self.future.set_result(self.call())
        except BaseException as error:
            self.future.set_exception(error)


class DaemonThreads(Executor):
    """A pool of daemon threads, each started on demand. The interpreter waits for a `ThreadPoolExecutor` at its end."""

    def __init__(self, threads: int, name: str) -> None:
        """Create an empty pool.

        Args:
            threads: The maximum number of threads.
            name: How the names of the threads begin.
        """
        self._max_threads = threads
        self._name = name
        self._queue: SimpleQueue[_Work | None] = SimpleQueue()
        self._lock = Lock()
        self._threads = 0
        self._unfinished = 0
        self._is_closed = False

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """See `Executor.submit`; RuntimeError after `shutdown`."""
        future: Future[T] = Future()
        with self._lock:
            if self._is_closed:
                raise RuntimeError("the pool is closed")
            self._unfinished += 1
            self._queue.put(_Work(future, lambda: fn(*args, **kwargs)))
            if self._unfinished > self._threads and self._threads < self._max_threads:
                self._threads += 1
                Thread(target=self._run, name=f"{self._name}-{self._threads}", daemon=True).start()
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:  # noqa: ARG002 - as `Executor`
        """End the threads after the submitted work; they are not waited for."""
        with self._lock:
            self._is_closed = True
            for _ in range(self._threads):
                self._queue.put(None)

    def _run(self) -> None:
        while (work := self._queue.get()) is not None:
            work.run()
            with self._lock:
                self._unfinished -= 1


BOUNDS = (
    Bound(
        "DaemonThreads", BoundKind.POOL, "the running work of its `ThreadPool`", "`FairQueue` lets no further work in."
    ),
)
