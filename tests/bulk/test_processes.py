"""Parts written by processes, with workers that end at some documents."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import closing
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from timbra.bulk.engines import part_process
from timbra.bulk.engines.part_process import PartProcess, halves
from timbra.bulk.engines.processes import write_in_processes
from timbra.bulk.plan import Planner, Task, TaskKind
from timbra.bulk.result_folder import ResultFolder, RunDescription
from timbra.bulk.schema import to_batch
from timbra.bulk.worker import TaskResult, Worker, WorkerOptions, failed_task_result
from timbra.core.errors import ServiceError

FATAL, DEFECT = "/fatal.xml", "/defect.xml"


class NamingWorker:
    """Writes the names of documents; its process ends at the document `FATAL`, and it fails at `DEFECT`."""

    def run(self, task: Task) -> TaskResult:
        if FATAL in task.files:
            os._exit(9)
        if DEFECT in task.files:
            raise KeyError("defect")
        rows = [{"document_id": number, "source": name} for number, name in enumerate(task.files, task.first)]
        return TaskResult(task.number, {"valid": len(rows)}, {"documents": [to_batch("documents", rows)]})


def open_naming(*_: object) -> None:
    part_process._workers[:] = [NamingWorker()]  # type: ignore[list-item]


@pytest.fixture(autouse=True)
def _forked_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fork a process, because it is quick to start; several threads must not fork."""
    monkeypatch.setattr(part_process, "get_context", lambda _: get_context("fork"))
    monkeypatch.setattr(part_process, "open_worker", open_naming)


def planned(folder: Path, fatal: int | None = None, failing: str = FATAL) -> ResultFolder:
    """Return a folder with the plan of six parts of four documents."""
    names = [f"/{number:02}.xml" for number in range(24)]
    if fatal is not None:
        names[fatal] = failing
    (folder / "list").write_text("\n".join(names))
    made = ResultFolder(str(folder / "out"))
    made.create(RunDescription("validate", 3, "", "", (f"@{folder}/list",), {}), Planner(task_documents=4))
    return made


def documents(folder: ResultFolder) -> list[dict[str, Any]]:
    return [row for file in folder.files("documents") for row in pq.read_table(file).to_pylist()]


@pytest.fixture(autouse=True)
def _list_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """The documents of these plans do not exist."""
    monkeypatch.setattr("timbra.bulk.plan.list_files", lambda location: [location])


@pytest.mark.parametrize(("failing", "code"), [(FATAL, "bulk-process-ended"), (DEFECT, "CO1000")])
@pytest.mark.parametrize("fatal", [None, 2, 23])
def test_processes_write_all_documents_and_name_the_one_at_which_they_fail(
    tmp_path: Path, fatal: int | None, failing: str, code: str
) -> None:
    folder = planned(tmp_path, fatal, failing)
    parts = folder.missing_parts()
    written = list(write_in_processes(folder, parts, options=WorkerOptions(None), workers=1))
    assert sorted(part.part for part in written) == [*range(6)]
    assert sum(part.results.get("unreadable", 0) for part in written) == (fatal is not None)
    rows = documents(folder)
    assert [row["document_id"] for row in rows] == [*range(24)]
    codes = {row["source"]: row["rejection_code"] for row in rows if row["rejection_code"]}
    assert codes == ({} if fatal is None else {failing: code})


def end(*_: object) -> None:
    os._exit(1)


def fail(*_: object) -> None:
    raise KeyError("data")


@pytest.mark.parametrize(("opening", "reason"), [(end, "termina al iniciar"), (fail, "KeyError")])
def test_processes_end_the_run_when_none_can_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, opening: Callable[..., None], reason: str
) -> None:
    folder = planned(tmp_path)
    monkeypatch.setattr(part_process, "open_worker", opening)
    with pytest.raises(ServiceError, match=f"bulk-engine.*{reason}"):
        list(write_in_processes(folder, folder.missing_parts(), options=WorkerOptions(None), workers=1))
    assert folder.parts() == []


def test_processes_end_the_run_when_the_folder_cannot_be_written(tmp_path: Path) -> None:
    folder = planned(tmp_path)
    (tmp_path / "out" / "documents").write_bytes(b"")
    with pytest.raises(ServiceError, match="bulk-folder"):
        list(write_in_processes(folder, folder.missing_parts(), options=WorkerOptions(None), workers=1))
    assert folder.parts() == []


def test_process_rejects_a_run_of_another_version(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, worker: Worker
) -> None:
    folder = planned(tmp_path)
    monkeypatch.undo()
    monkeypatch.setattr(part_process, "get_context", lambda _: get_context("fork"))
    monkeypatch.setattr(part_process, "Worker", lambda _: worker)
    with closing(PartProcess(WorkerOptions(None))) as process, pytest.raises(ServiceError) as caught:
        process.write(folder, folder.missing_parts()[0])
    assert caught.value.code == "bulk-engine"
    assert f"datos del SAT {worker.data_version}; la corrida es de Timbra , datos ." in str(caught.value)


def test_metadata_file_at_which_processes_fail_is_a_row_of_its_own_table() -> None:
    task = Task(3, 12, TaskKind.METADATA, "a.zip", ("m.txt",))
    result = failed_task_result(task, KeyError("defect"))
    assert (result.counts, list(result.batches)) == ({}, ["metadata"])
    assert [row["source"] for row in result.batches["metadata"][0].to_pylist()] == ["a.zip!m.txt"]


def test_halves_cover_a_range_of_members() -> None:
    first, second = halves(Task(1, 100, TaskKind.MEMBERS, "a.zip", start=10, stop=15))
    assert (first.start, first.stop, first.first) == (10, 12, 100)
    assert (second.start, second.stop, second.first) == (12, 15, 102)
