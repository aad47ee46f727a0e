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
from timbra.bulk.worker import TaskResult, WorkerOptions, failed_task_result

FATAL, DEFECT = "fatal.xml", "defect.xml"


class CountingWorker:
    """Counts documents as valid; its process ends at the document `FATAL`, and it fails at `DEFECT`."""

    def run(self, task: Task) -> TaskResult:
        if FATAL in task.files:
            os._exit(9)
        if DEFECT in task.files:
            raise KeyError("defect")
        return TaskResult(task.number, {"valid": len(task.files)}, {})


def start_counting(options: WorkerOptions) -> None:
    processes._workers.append(CountingWorker())  # type: ignore[arg-type]


class CountingEngine(ProcessEngine):
    """Starts counting workers, by fork because they are quick to start."""

    def _new_pool(self, workers: int) -> ProcessPoolExecutor:
        context = get_context("fork")
        return ProcessPoolExecutor(workers, context, initializer=start_counting, initargs=(self._options,))


def tasks(fatal: int | None, failing: str = FATAL) -> Iterator[Task]:
    for number in range(6):
        names = [f"{number}-{i}.xml" for i in range(4)]
        if number == fatal:
            names[2] = failing
        yield Task(number, number * 4, TaskKind.FILES, files=tuple(names))


@pytest.mark.parametrize(("failing", "code"), [(FATAL, "bulk-process-ended"), (DEFECT, "CO1000")])
@pytest.mark.parametrize("fatal", [None, 0, 5])
def test_process_engine_validates_all_documents_but_the_one_at_which_processes_fail(
    fatal: int | None, failing: str, code: str
) -> None:
    with closing(CountingEngine(WorkerOptions(None), 2)) as engine:
        results = {result.number: result for result in engine.run(tasks(fatal, failing))}
    assert sorted(results) == [*range(6)]
    for number, result in results.items():
        expected = {"valid": 3, "unreadable": 1} if number == fatal else {"valid": 4}
        assert dict(result.counts) == expected
    if fatal is not None:
        [batch] = results[fatal].batches["documents"]
        [row] = batch.to_pylist()
        assert (row["document_id"], row["source"]) == (fatal * 4 + 2, failing)
        assert row["rejection_code"] == code


def test_metadata_file_at_which_processes_fail_is_a_row_of_its_own_table() -> None:
    task = Task(3, 12, TaskKind.METADATA, "a.zip", ("m.txt",))
    result = failed_task_result(task, KeyError("defect"))
    assert (result.counts, list(result.batches)) == ({}, ["metadata"])
    assert [row["source"] for row in result.batches["metadata"][0].to_pylist()] == ["a.zip!m.txt"]


def test_halves_cover_a_range_of_members() -> None:
    first, second = halves(Task(1, 100, TaskKind.MEMBERS, "a.zip", start=10, stop=15))
    assert (first.start, first.stop, first.first) == (10, 12, 100)
    assert (second.start, second.stop, second.first) == (12, 15, 102)
