"""Reusable child processes with a memory limit and a deadline, for native code whose cost depends on its input."""

from __future__ import annotations

import multiprocessing
import os
import subprocess
import sys
import weakref
from collections.abc import Callable, Mapping
from functools import partial
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from queue import Empty, LifoQueue
from time import monotonic
from types import MappingProxyType
from typing import Any, NoReturn, ParamSpec, Protocol, TypeVar

from timbra.core.bounds import Bound, BoundKind
from timbra.core.posix import ALARM_STATUS, CAN_FORK, PROCESSOR_STATUS
from timbra.pools.garbage_collection import collection_paused

P = ParamSpec("P")
T = TypeVar("T")

GRACE_SECONDS = 1.0
"""Delay after the deadline, at which the child ends itself, until the parent kills the child."""
SETTINGS_PREFIX = "TIMBRA_"
"""Environment variables that children do not inherit: settings, and passwords and keys among them."""

Answer = Callable[[object], object]
"""Answers a question of the child (`parent.ask`) in the parent."""


class ProcessBusyError(Exception):
    """No process was free within the deadline."""


class ProcessTimeoutError(Exception):
    """The work took longer than the deadline."""


class ProcessorTimeError(ProcessTimeoutError):
    """The work used more processor time than it may."""


class WorkerDiedError(Exception):
    """The child process ended during the work, most often at its memory limit."""


class ProcessPool:
    """A pool of child processes, shared by threads.

    Each process serves one call at a time and starts with the first call that finds none idle. A process that exceeds
    its deadline, dies or has used much memory is replaced with the next call. The children end with their parent.

    Args:
        processes: size of the pool.
        memory_bytes: limit of the address space of each process.
        seconds: deadline of each call.
        niceness: by how much the priority of the processes is lowered.
        environment: environment variables of the processes, where the parent does not have them; not on systems whose
            processes do not inherit descriptors.
    """

    def __init__(
        self,
        processes: int,
        memory_bytes: int,
        seconds: float,
        niceness: int = 0,
        environment: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        """Create the pool without starting a process."""
        self._memory_bytes = memory_bytes
        self._seconds = seconds
        self._niceness = niceness
        self._environment = environment
        self._started: set[_Worker] = set()
        # Last in, first out: a warm process is preferred to one that has not started yet.
        self._idle: LifoQueue[_Worker | None] = LifoQueue()
        for _ in range(processes):
            self._idle.put(None)

    def call(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run a function in a child process; blocks the calling thread.

        Args:
            work: module-level function; it, its arguments and its result are pickled.

        Returns:
            The result of `work`. An exception of `work` is raised.

        Raises:
            ProcessBusyError: no process was free; nothing was done.
            ProcessTimeoutError, WorkerDiedError, MemoryError: the work exceeded its limits.
        """
        return self.call_answering(_reject_question, work, *args, **kwargs)

    def call_answering(self, answer: Answer, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run a function that may ask its parent (`parent.ask`); otherwise as `call`.

        Args:
            answer: called in this thread with each question; its result, or the exception that it raises, is pickled.
            work: as in `call`.
        """
        return self.call_within(0, answer, work, *args, **kwargs)

    def call_within(
        self, processor_seconds: float, answer: Answer, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Run a function with a limit of processor time; otherwise as `call_answering`.

        Args:
            processor_seconds: The limit; 0 for none.
            answer, work: as in `call_answering`.

        Raises:
            ProcessorTimeError: The limit was exceeded; what `call` raises too.
        """
        try:
            worker = self._idle.get(timeout=self._seconds)
        except Empty:
            raise ProcessBusyError from None
        try:
            worker = worker or self._start()
            succeeded, value, retired = worker.run(
                self._seconds, processor_seconds, partial(work, *args, **kwargs), answer
            )
            if retired:
                self._end(worker)
                worker = None
        except BaseException:
            if worker is not None:
                self._end(worker)
                worker = None
            raise
        finally:
            self._idle.put(worker)
        if not succeeded:
            raise value  # type: ignore[misc]
        return value  # type: ignore[return-value]

    def end_idle(self, seconds: float) -> None:
        """End the processes that have been idle for so long; the next call starts another one."""
        workers = []
        for _ in range(self._idle.qsize()):
            try:
                workers.append(self._idle.get_nowait())
            except Empty:
                break
        for worker in reversed(workers):
            ends = worker is not None and monotonic() - worker.idle_since >= seconds
            if worker is not None and ends:
                self._end(worker)
            self._idle.put(None if ends else worker)

    def close(self) -> None:
        """End the processes; calls that are in progress raise WorkerDiedError."""
        self.end_idle(0)
        for worker in tuple(self._started):
            worker.stop()

    def _start(self) -> _Worker:
        worker = _Worker(self._memory_bytes, self._niceness, self._environment)
        self._started.add(worker)
        return worker

    def _end(self, worker: _Worker) -> None:
        self._started.discard(worker)
        worker.kill()


class _Worker:
    """One child process."""

    def __init__(self, memory_bytes: int, niceness: int, environment: Mapping[str, str]) -> None:
        self.idle_since = monotonic()
        self._connection, theirs = Pipe()
        start = partial(_InheritingProcess, environment=environment) if CAN_FORK else _SpawnedProcess
        with theirs:
            self._process: _ChildProcess = start(theirs, memory_bytes, niceness)
        self._end = weakref.finalize(self, _end, self._connection, self._process)

    def run(
        self, seconds: float, processor_seconds: float, work: Callable[[], object], answer: Answer
    ) -> tuple[bool, object, bool]:
        """Run the work; return whether it succeeded, its result or exception, and whether to replace the process."""
        deadline = monotonic() + seconds + GRACE_SECONDS
        try:
            self._connection.send((seconds, processor_seconds, work))
            while True:
                if not self._connection.poll(max(0.0, deadline - monotonic())):
                    raise ProcessTimeoutError(f"the work took longer than {seconds} s")
                # Everything that arrives is kept: searching it for cycles meanwhile takes longer than creating it.
                with collection_paused():
                    kind, content = self._connection.recv()
                if kind == "result":
                    break
                self._connection.send(_answered(answer, content))
        except (EOFError, ConnectionError) as error:
            raise self._ended() from error
        self.idle_since = monotonic()
        succeeded, value, retired = content
        return succeeded, value, retired

    def _ended(self) -> Exception:
        status = self._process.wait()
        if status is not None and status == PROCESSOR_STATUS:
            return ProcessorTimeError("the work took more processor time than it may")
        if status == ALARM_STATUS:
            return ProcessTimeoutError("the work took longer than its deadline")
        return WorkerDiedError(f"the process ended with status {status}")

    def stop(self) -> None:
        """Kill the process while another thread waits for its result."""
        self._process.kill()

    def kill(self) -> None:
        """End the process and close the connection."""
        self._end()


class _ChildProcess(Protocol):
    def kill(self) -> None: ...

    def wait(self) -> int | None: ...


def _reject_question(question: object) -> NoReturn:
    raise RuntimeError(f"no answer for {type(question).__name__}")


def _answered(answer: Answer, question: object) -> tuple[bool, object]:
    try:
        return True, answer(question)
    except Exception as error:  # raised again in the child
        return False, error


class _InheritingProcess:
    """A child that inherits the descriptor of the connection, but no settings. It ends with this process at once."""

    def __init__(self, connection: Any, memory_bytes: int, niceness: int, environment: Mapping[str, str]) -> None:
        reader, self._writer = Pipe(duplex=False)
        descriptors = [connection.fileno(), reader.fileno()]
        arguments = [*map(str, descriptors), str(memory_bytes), str(niceness)]
        inherited = {name: value for name, value in os.environ.items() if not name.startswith(SETTINGS_PREFIX)}
        with reader:
            self._process = subprocess.Popen(  # noqa: S603 - our own module, in our own interpreter
                [sys.executable, "-m", "timbra.pools.worker", *arguments],
                env={**environment, **inherited},
                pass_fds=descriptors,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                start_new_session=True,
            )

    def kill(self) -> None:
        self._process.kill()

    def wait(self) -> int | None:
        return self._process.wait()


class _SpawnedProcess:
    """A child on systems whose processes do not inherit descriptors: multiprocessing sends it the connection."""

    def __init__(self, connection: Any, memory_bytes: int, niceness: int) -> None:
        from timbra.pools.worker import serve

        context = multiprocessing.get_context("spawn")
        self._process = context.Process(target=serve, args=(connection, memory_bytes, niceness), daemon=True)
        self._process.start()

    def kill(self) -> None:
        self._process.kill()

    def wait(self) -> int | None:
        self._process.join()
        return self._process.exitcode


def _end(connection: Connection, process: _ChildProcess) -> None:
    connection.close()
    process.kill()
    process.wait()


BOUNDS = (
    Bound(
        "ProcessPool", BoundKind.POOL, "the processes that it is made with", "A call is rejected: no process is free."
    ),
)
