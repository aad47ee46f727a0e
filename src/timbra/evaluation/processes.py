"""The child processes of a worker for costly documents: limits, a queue that is fair by account, and their errors.

A document is costly when its size or its number of nodes predicts more than some tens of milliseconds of processor
time, or when it turns out to have many faults. Only a process can be interrupted in native code: it ends at a limit of
processor time that grows with the size of the document.
"""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, NoReturn, Protocol, TypeVar

import structlog

from timbra.cfdi.document import without_leading_space
from timbra.container.child import ProcessOutcome
from timbra.core.errors import ServiceError
from timbra.core.metrics import DOCUMENTS_OFFLOADED, DOCUMENTS_REJECTED, MetricsRegistry
from timbra.pools import (
    PoolLimits,
    ProcessBusyError,
    ProcessorTimeError,
    ProcessPool,
    ProcessTimeoutError,
    ThreadPool,
    WorkerDiedError,
)
from timbra.pools.process import Answer
from timbra.pools.work_budget import OverBudgetError, work_budget

T = TypeVar("T")
S = TypeVar("S")
log: structlog.stdlib.BoundLogger = structlog.get_logger("timbra.documents")

WAITING, WAITING_OF_ACCOUNT = 32, 8
"""Limits of requests in the queue."""
BUSY, BUSY_SECONDS = "Hay demasiados documentos grandes en espera.", 10
ATTRIBUTES_PER_NODE = 4
"""Attributes that cost as much as one node."""
MEBIBYTE = 1024 * 1024
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
        min_bytes: size from which a document is costly.
        min_nodes: number of nodes, or of visits to describe faults, from which a document is costly.
        processor_seconds: processor time of a document, for each started MiB.
    """

    processes: int
    memory_bytes: int
    seconds: float
    min_bytes: int
    min_nodes: int = 8000
    processor_seconds: float = 10


class RunInChild(Protocol):
    """A function that can be pickled; it runs work in the child, with the child's container."""

    def __call__(self, work: Callable[..., Any], /, *args: Any) -> ProcessOutcome:
        """Return the outcome of `work(groups, *args)`."""
        ...


class DocumentProcesses:
    """The child processes of a worker; each starts with the first costly document that finds none idle.

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

    def is_costly(self, document: bytes) -> bool:
        """Whether the size and the number of nodes of a document, in XML or JSON, predict that it takes long."""
        if len(document) >= self._limits.min_bytes:
            reason = "size"
        elif predicted_nodes(document) >= self._limits.min_nodes:
            reason = "nodes"
        else:
            return False
        self._metrics.count(DOCUMENTS_OFFLOADED, (reason,))
        return True

    async def run_costly(
        self, document: bytes, here: Callable[[], Awaitable[T]], in_child: Callable[[], Awaitable[S]]
    ) -> T | S:
        """Process a document on the event loop, or in a child when it is costly.

        Args:
            here: processes it on the event loop; it changes nothing before it has described the faults.
            in_child: processes it by `run`.
        """
        if not self.is_costly(document):
            try:
                with work_budget(self._limits.min_nodes):
                    return await here()
            except OverBudgetError:
                self._metrics.count(DOCUMENTS_OFFLOADED, ("faults",))
        return await in_child()

    async def run(
        self, account: str, answer: Answer | None, work: Callable[..., T], *args: Any, size: int | None = None
    ) -> T:
        """Run work about documents in a child process.

        Args:
            account: key of the fair queue.
            answer: answers the questions of the work, in a thread; None for work that asks nothing.
            work: module-level function, called with the groups of services of the child's container and `args`; it,
                its arguments and its result are pickled.
            size: bytes of the document, by which its processor time is limited; None for no such limit.

        Returns:
            The result of `work`. An exception of `work` is raised.

        Raises:
            ServiceError: "CO1000" with `retry_after` when the queue is full or the process has died, without it at the
                deadline; "TB4024" at the limit of processor time; "301" at the memory limit.
        """
        mebibytes = 0 if size is None else max(1, math.ceil(size / MEBIBYTE))
        processor_seconds = self._limits.processor_seconds * mebibytes
        try:
            outcome = await self._threads.run(account, self._call, processor_seconds, answer, work, args)
        except _RejectedError as rejected:
            self._count_rejection(rejected.limit, account, size)
            raise rejected.error from rejected.__cause__
        self._metrics.add(outcome.metrics, alive=False)
        if isinstance(outcome.error, MemoryError):
            self._count_rejection("memory", account, size)
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

    def _count_rejection(self, limit: str, account: str, size: int | None) -> None:
        self._metrics.count(DOCUMENTS_REJECTED, (limit,))
        log.warning("document rejected", limit=limit, account=account, bytes=size)

    def _call(
        self, processor_seconds: float, answer: Answer | None, work: Callable[..., Any], args: tuple[Any, ...]
    ) -> ProcessOutcome:
        try:
            return self._pool.call_within(processor_seconds, answer or _answer_nothing, self._run_in_child, work, *args)
        except ProcessBusyError as cause:
            raise ServiceError("CO1000", BUSY, retry_after=BUSY_SECONDS) from cause
        except ProcessorTimeError as cause:
            detail = f"El documento usó {processor_seconds:g} segundos de procesador, el máximo para su tamaño."
            raise _RejectedError("processor", ServiceError("TB4024", detail)) from cause
        except ProcessTimeoutError as cause:
            detail = f"El documento tarda más de {self._limits.seconds:g} segundos en procesarse."
            raise _RejectedError("time", ServiceError("CO1000", detail)) from cause
        except WorkerDiedError as cause:
            detail = "El proceso que revisaba el documento terminó antes de tiempo."
            raise ServiceError("CO1000", detail, retry_after=BUSY_SECONDS) from cause
        except MemoryError as cause:
            raise _RejectedError("memory", _too_much_memory()) from cause


def predicted_nodes(document: bytes) -> int:
    """Return about the number of nodes of a document in XML, or of values in JSON, without parsing it."""
    if without_leading_space(document)[:1] in (b"{", b"["):
        return sum(document.count(mark) for mark in (b",", b":", b"[", b"{"))
    return document.count(b"<") + document.count(b"=") // ATTRIBUTES_PER_NODE


class _RejectedError(Exception):
    """A document exceeded a limit: the name of the limit, and the error of the request."""

    def __init__(self, limit: str, error: ServiceError) -> None:
        super().__init__(limit)
        self.limit, self.error = limit, error


def _answer_nothing(question: object) -> NoReturn:
    raise RuntimeError(f"no answer for {type(question).__name__}")


def _too_much_memory() -> ServiceError:
    return ServiceError("301", "El documento pide más memoria de la que se le concede.")
