"""Runs: parts are written once and whole, and a run that stopped goes on."""

from __future__ import annotations

import json
from collections.abc import Generator, Sequence
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from timbra.bulk import result_folder
from timbra.bulk.plan import Planner, Task
from timbra.bulk.result_folder import Part, PlannedPart, ResultFolder, RunDescription
from timbra.bulk.run import run_plan
from timbra.bulk.schema import SCHEMAS, to_batch
from timbra.bulk.storage import open_storage
from timbra.bulk.worker import TaskResult
from timbra.core.errors import ServiceError

SCHEMA_VERSION = 3

DOCUMENTS = 10


class ReversedEngine:
    """Writes parts in reversed order; stops with KeyboardInterrupt after a number of parts."""

    def __init__(self, stop_after: int = 1000) -> None:
        self._left = stop_after
        self.wrote: list[int] = []
        self.closed = False

    def write(self, folder: ResultFolder, parts: Sequence[PlannedPart]) -> Generator[Part, None, None]:
        try:
            for part in reversed(parts):
                if not self._left:
                    raise KeyboardInterrupt
                self._left -= 1
                self.wrote.append(part.number)
                yield folder.write_part(part.number, map(result_of, folder.tasks(part)))
        finally:
            self.closed = True


def result_of(task: Task) -> TaskResult:
    rows = [{"document_id": task.first + i, "source": name} for i, name in enumerate(task.files)]
    return TaskResult(task.number, {"valid": len(rows)}, {"documents": [to_batch("documents", rows)]})


@pytest.fixture(autouse=True)
def _small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(result_folder, "MIN_PARTS", 3)


@pytest.fixture
def description(tmp_path: Path) -> RunDescription:
    (tmp_path / "in").mkdir()
    for number in range(DOCUMENTS):
        (tmp_path / "in" / f"{number}.xml").write_bytes(b"<a/>")
    return RunDescription("validate", SCHEMA_VERSION, "1", "2", (str(tmp_path / "in"),), {"require_stamp": False})


def new_folder(path: Path | str, description: RunDescription) -> ResultFolder:
    folder = ResultFolder(str(path))
    folder.create(description, Planner(task_documents=2))
    return folder


def run(folder: ResultFolder, engine: ReversedEngine) -> None:
    with folder.lock():
        run_plan(folder, engine.write, lambda progress: None)


def contents(folder: ResultFolder) -> list[dict[str, Any]]:
    return [row for file in folder.files("documents") for row in pq.read_table(file).to_pylist()]


def test_run_plan_writes_rows_in_the_order_of_the_plan(tmp_path: Path, description: RunDescription) -> None:
    folder, engine = new_folder(tmp_path / "out", description), ReversedEngine()
    run(folder, engine)
    assert [row["document_id"] for row in contents(folder)] == [*range(DOCUMENTS)]
    assert [part.documents for part in folder.parts()] == [4, 4, 2]
    assert pq.read_schema(folder.files("documents")[0]).equals(SCHEMAS["documents"], check_metadata=True)
    assert engine.closed


@pytest.mark.parametrize("stop_after", range(3))
def test_run_plan_goes_on_with_the_same_rows(tmp_path: Path, description: RunDescription, stop_after: int) -> None:
    whole, stopped = new_folder(tmp_path / "whole", description), new_folder(tmp_path / "stopped", description)
    run(whole, ReversedEngine())
    first, second = ReversedEngine(stop_after), ReversedEngine()
    with pytest.raises(KeyboardInterrupt):
        run(stopped, first)
    assert first.closed
    written = sum(part.documents for part in stopped.parts())
    run(stopped, second)
    assert contents(stopped) == contents(whole)
    assert len(first.wrote) + len(second.wrote) == 3
    assert (written == 0) == (stop_after == 0)


def test_run_plan_starts_no_engine_for_a_complete_run(tmp_path: Path, description: RunDescription) -> None:
    folder = new_folder(tmp_path / "out", description)
    run(folder, ReversedEngine())
    engine = ReversedEngine()
    run(folder, engine)
    assert (engine.wrote, engine.closed) == ([], False)


def test_result_folder_writes_a_part_without_its_counts_again(tmp_path: Path, description: RunDescription) -> None:
    folder = new_folder(tmp_path / "out", description)
    run(folder, ReversedEngine())
    expected = contents(folder)
    (tmp_path / "out" / "parts" / "part-000001.json").unlink()
    (tmp_path / "out" / "documents" / "part-000001.parquet").write_bytes(b"PAR1")
    assert len(folder.files("documents")) == 2
    engine = ReversedEngine()
    run(folder, engine)
    assert engine.wrote == [1]
    assert contents(folder) == expected


def test_result_folder_ignores_files_that_a_killed_process_left(tmp_path: Path, description: RunDescription) -> None:
    folder = new_folder(tmp_path / "out", description)
    run(folder, ReversedEngine())
    (tmp_path / "out" / "documents" / "part-000009.parquet").write_bytes(b"PAR1")
    (tmp_path / "out" / "parts" / "part-000009.json.1.tmp").write_bytes(b"{")
    assert len(folder.files("documents")) == len(folder.parts()) == 3


def test_storage_leaves_no_file_of_a_block_that_fails(tmp_path: Path) -> None:
    with pytest.raises(ServiceError, match="bulk-folder"), open_storage(str(tmp_path)).write("a/b"):
        raise OSError(28, "No space left on device")
    assert [path.name for path in tmp_path.rglob("*")] == ["a"]


@pytest.mark.parametrize(("tasks", "tasks_of_a_part"), [(1, 1), (3, 1), (4, 2), (1000, 40)])
def test_parts_are_as_many_as_processes_share_and_no_larger_than_a_limit(
    tmp_path: Path, tasks: int, tasks_of_a_part: int
) -> None:
    (tmp_path / "list").write_text("\n".join(f"/{number}" for number in range(tasks)))
    folder = ResultFolder(str(tmp_path / "out"))
    folder.create(RunDescription("validate", 3, "", "", (f"@{tmp_path}/list",), {}), Planner(task_documents=1))
    parts = [[task.number for task in folder.tasks(part)] for part in folder.missing_parts()]
    assert parts == [[*range(start, min(tasks, start + tasks_of_a_part))] for start in range(0, tasks, tasks_of_a_part)]


@pytest.mark.parametrize("change", [{"schema_version": 0}, {"timbra": "9"}, {"options": {}}, {"sources": ["x"]}])
def test_result_folder_rejects_a_run_of_another_description(
    tmp_path: Path, description: RunDescription, change: dict[str, object]
) -> None:
    folder = new_folder(tmp_path / "out", description)
    file = tmp_path / "out" / "run.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), **change}))
    with pytest.raises(ServiceError, match="bulk-folder") as caught:
        folder.require(description)
    assert next(iter(change)) in str(caught.value)


def test_result_folder_accepts_its_own_description(tmp_path: Path, description: RunDescription) -> None:
    new_folder(tmp_path / "out", description).require(description)


def test_result_folder_rejects_a_folder_with_other_files(tmp_path: Path, description: RunDescription) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "letters.doc").write_bytes(b"")
    with pytest.raises(ServiceError, match="bulk-folder"):
        new_folder(tmp_path / "out", description)


def test_result_folder_has_one_writer(tmp_path: Path, description: RunDescription) -> None:
    folder = new_folder(tmp_path / "out", description)
    with folder.lock(), pytest.raises(ServiceError, match="bulk-folder"), ResultFolder(folder.location).lock():
        pass
