"""The child processes of a worker for large documents: limits, a queue that is fair by account, and their errors."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Protocol, TypeVar

from timbra.errors import ServiceError
from timbra.metrics import MetricsRegistry, State
from timbra.pools import PoolLimits, ProcessBusyError, ProcessPool, ProcessTimeoutError, ThreadPool, WorkerDiedError
from timbra.pools.process import Answer

T = TypeVar("T")

WAITING, WAITING_OF_ACCOUNT = 32, 8
"""Limits of requests in the queue."""
BUSY, BUSY_SECONDS = "Hay demasiados documentos grandes en espera.", 10
NICENESS = 5
"""By how much the priority of the processes is lowered: requests with small documents get the processor first."""

MALLOC: Mapping[str, str] = MappingProxyType(
    {"GLIBC_TUNABLES": "glibc.malloc.hugetlb=1:glibc.malloc.arena_max=1:glibc.malloc.mxfast=0"}
)
"""Environment for the GNU C library: huge pages in one arena, and no lists of small blocks that are joined later."""


@dataclass(frozen=True, slots=True)
class ProcessLimits:
    """Limits of the processes.

    Attributes:
        processes: number of processes of a worker.
        memory_bytes: address space of each.
        seconds: deadline of a document.
        min_bytes: size from which a document is large.
    """

    processes: int
    memory_bytes: int
    seconds: float
    min_bytes: int


@dataclass(frozen=True, slots=True)
class ProcessOutcome:
    """What a child returns.

    Attributes:
        value: the result of the work; None after an error.
        error: the exception of the work.
        metrics: what the work counted.
    """

    value: Any
    error: Exception | None
    metrics: State


class RunInChild(Protocol):
    """A function that can be pickled; it runs work in the child, with the child's container."""

    def __call__(self, work: Callable[..., Any], /, *args: Any) -> ProcessOutcome:
        """Return the outcome of `work(groups, *args)`."""
        ...


class DocumentProcesses:
    """The child processes of a worker; each starts with the first large document that finds none idle.

    Args:
        run_in_child: runs the work in a child.
        limits: limits of the processes.
        metrics: metrics of the worker, to which those of the children are added.
    """

    def __init__(self, run_in_child: RunInChild, limits: ProcessLimits, metrics: MetricsRegistry) -> None:
        self._run_in_child = run_in_child
        self._limits = limits
        self._metrics = metrics
        self._pool = ProcessPool(limits.processes, limits.memory_bytes, limits.seconds, NICENESS, MALLOC)
        # One account leaves a process to the others.
        of_account = max(1, limits.processes - 1)
        queue = PoolLimits(limits.processes, of_account, WAITING, WAITING_OF_ACCOUNT)
        self._threads = ThreadPool("documents", queue, BUSY, metrics, BUSY_SECONDS)

    def is_large(self, document: bytes) -> bool:
        """Whether a document is processed in a child."""
        return len(document) >= self._limits.min_bytes

    async def run(self, account: str, answer: Answer | None, work: Callable[..., T], *args: Any) -> T:
        """Run work about one document in a child process.

        Args:
            account: key of the fair queue.
            answer: answers the questions of the work, in a thread; None for work that asks nothing.
            work: module-level function, called with the groups of services of the child's container and `args`; it,
                its arguments and its result are pickled.

        Returns:
            The result of `work`. An exception of `work` is raised.

        Raises:
            ServiceError: "CO1000" with `retry_after` when the queue is full or the process has died, without it at the
                deadline; "301" at the memory limit.
        """
        outcome = await self._threads.run(account, self._call, answer, work, args)
        self._metrics.add(outcome.metrics, alive=False)
        if isinstance(outcome.error, MemoryError):
            raise _too_much_memory() from outcome.error
        if outcome.error is not None:
            # Not `raise ... from` itself: an exception that is its own cause is a loop for its readers.
            raise outcome.error
        value: T = outcome.value
        return value

    def end_idle(self, seconds: float) -> None:
        """End the processes that have been idle for so long, for a periodic job."""
        self._pool.end_idle(seconds)

    def close(self) -> None:
        """End the processes, and the threads after the running work."""
        self._threads.close()
        self._pool.close()

    def _call(self, answer: Answer | None, work: Callable[..., Any], args: tuple[Any, ...]) -> ProcessOutcome:
        try:
            if answer is None:
                return self._pool.call(self._run_in_child, work, *args)
            return self._pool.call_answering(answer, self._run_in_child, work, *args)
        except ProcessBusyError as cause:
            raise ServiceError(
                "CO1000", "Hay demasiados documentos grandes en espera.", retry_after=BUSY_SECONDS
            ) from cause
        except ProcessTimeoutError as cause:
            detail = f"El documento tarda más de {self._limits.seconds:g} segundos en procesarse."
            raise ServiceError("CO1000", detail) from cause
        except WorkerDiedError as cause:
            detail = "El proceso que revisaba el documento terminó antes de tiempo."
            raise ServiceError("CO1000", detail, retry_after=BUSY_SECONDS) from cause
        except MemoryError as cause:
            raise _too_much_memory() from cause


def _too_much_memory() -> ServiceError:
    return ServiceError("301", "El documento pide más memoria de la que se le concede.")
