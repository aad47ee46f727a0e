"""Workers in processes of this machine."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import replace
from multiprocessing import get_context, parent_process
from threading import Thread

from timbra.bulk.engines.port import TASKS_PER_WORKER
from timbra.bulk.plan import Task, TaskKind
from timbra.bulk.worker import (
    PROCESS_ENDED,
    TaskResult,
    Worker,
    WorkerOptions,
    failed_task_result,
    merge_results,
)
from timbra.core.errors import ServiceError

_workers: list[Worker] = []
"""The worker of this process."""


class ProcessEngine:
    """Runs tasks in child processes, which start without the state of this process (`spawn`).

    A worker process that ends, for lack of memory for instance, takes the pool with it. The tasks that were running are
    then repeated one at a time, in halves, until the document is found at which the process ends; it gets a row, and
    the other documents are validated. So is a task that raises an exception.

    Args:
        options: options of the validation.
        workers: number of processes.
    """

    def __init__(self, options: WorkerOptions, workers: int) -> None:
        self._options = options
        self._workers = workers
        self._pool: ProcessPoolExecutor | None = None

    def run(self, tasks: Iterable[Task]) -> Iterator[TaskResult]:
        waiting = iter(tasks)
        pending: dict[Future[TaskResult], Task] = {}
        while True:
            for task in _take(waiting, self._workers * TASKS_PER_WORKER - len(pending)):
                pending[self._submit(task)] = task
            if not pending:
                return
            done, _ = wait(pending, return_when=FIRST_COMPLETED)
            ended: list[Task] = []
            for future in done:
                task = pending.pop(future)
                result = _result(future)
                if isinstance(result, Exception):
                    ended.append(task)
                else:
                    yield result
            if ended:
                ended += pending.values()
                pending.clear()
                self.close()
                for task in ended:
                    yield self._alone(task)

    def close(self) -> None:
        if self._pool is not None:
            self._pool.shutdown(wait=True, cancel_futures=True)
            self._pool = None

    def _submit(self, task: Task) -> Future[TaskResult]:
        if self._pool is None:
            self._pool = self._new_pool(self._workers)
        try:
            return self._pool.submit(run_task, task)
        except BrokenProcessPool as error:
            failed: Future[TaskResult] = Future()
            failed.set_exception(error)
            return failed

    def _new_pool(self, workers: int) -> ProcessPoolExecutor:
        context = get_context("spawn")
        return ProcessPoolExecutor(workers, context, initializer=start_worker, initargs=(self._options,))

    def _alone(self, task: Task) -> TaskResult:
        """Run a task in a process of its own; in halves when it fails."""
        with self._new_pool(1) as pool:
            result = _result(pool.submit(run_task, task))
        if not isinstance(result, Exception):
            return result
        if task.documents <= 1:
            return failed_task_result(task, result)
        return merge_results(task.number, [self._alone(half) for half in halves(task)])


def start_worker(options: WorkerOptions) -> None:
    """Initialize a worker process; an interrupt from the keyboard is for the coordinator only."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_end_with_parent, daemon=True).start()
    _workers.append(Worker(options))


def _end_with_parent() -> None:
    """End this process when the coordinator was killed: its pool would wait for tasks for ever."""
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


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


def _take(tasks: Iterator[Task], count: int) -> Iterator[Task]:
    for _, task in zip(range(count), tasks, strict=False):
        yield task


def _result(future: Future[TaskResult]) -> TaskResult | Exception:
    """Return the result, or why there is none."""
    try:
        return future.result()
    except BrokenProcessPool:
        return ServiceError(PROCESS_ENDED)
    except Exception as error:
        return error
