"""A child process that writes parts, and what is done when it ends at a document."""

from __future__ import annotations

import atexit
import os
import signal
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import replace
from importlib.metadata import version
from multiprocessing import get_context, parent_process
from socket import gethostname
from threading import Thread
from typing import TypeVar

from timbra.bulk.plan import Task, TaskKind
from timbra.bulk.result_folder import Part, PlannedPart, ResultFolder
from timbra.bulk.worker import PROCESS_ENDED, TaskResult, Worker, WorkerOptions, failed_task_result, merge_results
from timbra.core.bounds import Bound, BoundKind
from timbra.core.errors import ServiceError

T = TypeVar("T")
_workers: list[Worker] = []
"""The worker of this process."""


class PartProcess:
    """Writes parts in a child process, which starts without the state of this process (`spawn`).

    When it ends, for lack of memory for instance, or a part raises an exception, the tasks of the part are repeated one
    at a time, in halves, until the document is found at which that happens; it gets a row, as the other documents do.
    """

    def __init__(self, options: WorkerOptions) -> None:
        self._options = options
        self._pool: ProcessPoolExecutor | None = None

    def write(self, folder: ResultFolder, part: PlannedPart) -> Part:
        """Write a part.

        Raises:
            ServiceError: `bulk-folder` for a folder that cannot be used, `bulk-engine` when no process can start.
        """
        try:
            return self._call(folder, write_part, folder, part)
        except Exception as error:
            if _ends_run(error):
                raise
        return folder.write_part(part.number, [self._alone(folder, task) for task in folder.tasks(part)])

    def close(self) -> None:
        """End the process, after its current part."""
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)
            self._pool = None

    def _alone(self, folder: ResultFolder, task: Task) -> TaskResult:
        """Run a task; in halves when it fails."""
        try:
            return self._call(folder, run_task, task)
        except Exception as error:
            if _ends_run(error):
                raise
            if task.documents <= 1:
                return failed_task_result(task, error)
        return merge_results(task.number, [self._alone(folder, half) for half in halves(task)])

    def _call(self, folder: ResultFolder, function: Callable[..., T], *arguments: object) -> T:
        """Call a function in the process, which is started when there is none. ServiceError: `PROCESS_ENDED`."""
        if self._pool is None:
            self._pool = ProcessPoolExecutor(1, get_context("spawn"), initializer=start_process)
            try:
                self._pool.submit(open_worker, self._options, folder).result()
            except Exception as error:
                self.close()
                raise _start_error(error) from error
        try:
            return self._pool.submit(function, *arguments).result()
        except BrokenProcessPool as error:
            self.close()
            raise ServiceError(PROCESS_ENDED) from error


def start_process() -> None:
    """Initialize a child process; an interrupt from the keyboard is for its parent only."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_end_with_parent, daemon=True).start()


def open_worker(options: WorkerOptions, folder: ResultFolder) -> None:
    """Open the worker of this process. ServiceError: `bulk-engine` when it is not as the run needs it."""
    worker = Worker(options)
    run = folder.description()
    expected, found = (run["timbra"], run["data_version"]), (version("timbra"), worker.data_version)
    if found != expected:
        text = "{}: Timbra {}, datos del SAT {}; la corrida es de Timbra {}, datos {}."
        raise ServiceError("bulk-engine", text.format(gethostname(), *found, *expected))
    atexit.register(worker.close)
    _workers.append(worker)


def write_part(folder: ResultFolder, part: PlannedPart) -> Part:
    """Validate the documents of a part in the worker of this process, and write it."""
    return folder.write_part(part.number, map(_workers[0].run, folder.tasks(part)))


def run_task(task: Task) -> TaskResult:
    """Run a task in the worker of this process."""
    return _workers[0].run(task)


def halves(task: Task) -> tuple[Task, Task]:
    """Return the two halves of a task of more than one document."""
    middle = task.documents // 2
    first = task.first + middle
    if task.kind is TaskKind.FILES:
        return replace(task, files=task.files[:middle]), replace(task, first=first, files=task.files[middle:])
    cut = task.start + middle
    return replace(task, stop=cut), replace(task, first=first, start=cut)


def _start_error(error: Exception) -> ServiceError:
    """Return why no worker starts, with the name of its machine."""
    if isinstance(error, ServiceError) and error.code in ("bulk-engine", "bulk-folder"):
        return error
    reason = "el proceso termina al iniciar" if isinstance(error, BrokenProcessPool) else repr(error)
    return ServiceError("bulk-engine", f"{gethostname()}: {reason}")


def _ends_run(error: Exception) -> bool:
    """Whether an exception does not come from a document."""
    return isinstance(error, ServiceError) and error.code != PROCESS_ENDED


def _end_with_parent() -> None:
    """End this process when its parent was killed: its pool would wait for tasks for ever."""
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


BOUNDS = (Bound("PartProcess", BoundKind.POOL, "1 process", "Its parts wait."),)
