"""The engine of processes, with workers that end at some documents."""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing
from multiprocessing import get_context

import pytest

from timbra.bulk.engines import processes
from timbra.bulk.engines.processes import ProcessEngine, halves
from timbra.bulk.plan import Task, TaskKind
from timbra.bulk.worker import TaskResult, WorkerOptions

FATAL = "fatal.xml"


class CountingWorker:
    """Counts documents as valid; its process ends at the document `FATAL`."""

    def run(self, task: Task) -> TaskResult:
        if FATAL in task.files:
            os._exit(9)
        return TaskResult(task.number, {"valid": len(task.files)}, {})


def start_counting(options: WorkerOptions) -> None:
    processes._workers.append(CountingWorker())  # type: ignore[arg-type]


class CountingEngine(ProcessEngine):
    """Starts counting workers, by fork because they are quick to start."""

    def _new_pool(self, workers: int) -> ProcessPoolExecutor:
        context = get_context("fork")
        return ProcessPoolExecutor(workers, context, initializer=start_counting, initargs=(self._options,))


def tasks(fatal: int | None) -> Iterator[Task]:
    for number in range(6):
        names = [f"{number}-{i}.xml" for i in range(4)]
        if number == fatal:
            names[2] = FATAL
        yield Task(number, number * 4, TaskKind.FILES, files=tuple(names))


@pytest.mark.parametrize("fatal", [None, 0, 5])
def test_process_engine_validates_all_documents_but_the_one_at_which_processes_end(fatal: int | None) -> None:
    with closing(CountingEngine(WorkerOptions(None), 2)) as engine:
        results = {result.number: result for result in engine.run(tasks(fatal))}
    assert sorted(results) == [*range(6)]
    for number, result in results.items():
        expected = {"valid": 3, "unreadable": 1} if number == fatal else {"valid": 4}
        assert dict(result.counts) == expected
    if fatal is not None:
        [batch] = results[fatal].batches["documents"]
        [row] = batch.to_pylist()
        assert (row["document_id"], row["source"]) == (fatal * 4 + 2, FATAL)
        assert row["rejection_code"] == "bulk-process-ended"


def test_halves_cover_a_range_of_members() -> None:
    first, second = halves(Task(1, 100, TaskKind.MEMBERS, "a.zip", start=10, stop=15))
    assert (first.start, first.stop, first.first) == (10, 12, 100)
    assert (second.start, second.stop, second.first) == (12, 15, 102)
