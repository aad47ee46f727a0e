"""Runs: parts are written once and whole, and a run that stopped goes on."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from timbra.bulk import result_folder
from timbra.bulk.plan import Planner, Task
from timbra.bulk.result_folder import ResultFolder, RunDescription
from timbra.bulk.run import run_plan
from timbra.bulk.schema import SCHEMAS, to_batch
from timbra.bulk.worker import TaskResult
from timbra.core.errors import ServiceError

SCHEMA_VERSION = 2

DOCUMENTS = 10


class ReversedEngine:
    """Ends tasks in reversed order; stops with KeyboardInterrupt after a number of tasks."""

    def __init__(self, stop_after: int = 1000) -> None:
        self._left = stop_after
        self.ran: list[int] = []
        self.closed = False

    def run(self, tasks: Iterable[Task]) -> Iterator[TaskResult]:
        for task in reversed(list(tasks)):
            if not self._left:
                raise KeyboardInterrupt
            self._left -= 1
            self.ran.append(task.number)
            rows = [{"document_id": task.first + i, "source": name} for i, name in enumerate(task.files)]
            yield TaskResult(task.number, {"valid": len(rows)}, {"documents": [to_batch("documents", rows)]})

    def close(self) -> None:
        self.closed = True


@pytest.fixture(autouse=True)
def _small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(result_folder, "PART_TASKS", 2)
    monkeypatch.setattr("timbra.bulk.run.PART_TASKS", 2)


@pytest.fixture
def description(tmp_path: Path) -> RunDescription:
    (tmp_path / "in").mkdir()
    for number in range(DOCUMENTS):
        (tmp_path / "in" / f"{number}.xml").write_bytes(b"<a/>")
    return RunDescription("validate", SCHEMA_VERSION, "1", "2", (str(tmp_path / "in"),), {"require_stamp": False})


def new_folder(path: Path, description: RunDescription) -> ResultFolder:
    folder = ResultFolder(path)
    folder.create(description, Planner(task_documents=2))
    return folder


def run(folder: ResultFolder, engine: ReversedEngine) -> None:
    with folder.lock():
        run_plan(folder, lambda: engine, lambda progress: None)


def contents(folder: ResultFolder) -> list[dict[str, Any]]:
    return [row for file in folder.files("documents") for row in pq.read_table(file).to_pylist()]


def test_run_plan_writes_rows_in_the_order_of_the_plan(tmp_path: Path, description: RunDescription) -> None:
    folder, engine = new_folder(tmp_path / "out", description), ReversedEngine()
    run(folder, engine)
    assert [row["document_id"] for row in contents(folder)] == [*range(DOCUMENTS)]
    assert [part.documents for part in folder.parts()] == [2, 4, 4]
    assert pq.read_schema(folder.files("documents")[0]).equals(SCHEMAS["documents"], check_metadata=True)
    assert engine.closed


@pytest.mark.parametrize("stop_after", range(5))
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
    assert len(second.ran) * 2 == DOCUMENTS - written


def test_run_plan_starts_no_engine_for_a_complete_run(tmp_path: Path, description: RunDescription) -> None:
    folder = new_folder(tmp_path / "out", description)
    run(folder, ReversedEngine())
    engine = ReversedEngine()
    run(folder, engine)
    assert (engine.ran, engine.closed) == ([], False)


def test_result_folder_writes_a_part_without_its_line_again(tmp_path: Path, description: RunDescription) -> None:
    folder = new_folder(tmp_path / "out", description)
    run(folder, ReversedEngine())
    expected = contents(folder)
    lines = (folder.folder / "parts.jsonl").read_bytes()
    cut = lines.rindex(b"\n", 0, -1) + 9
    (folder.folder / "parts.jsonl").write_bytes(lines[:cut])
    assert len(folder.parts()) == 2
    run(folder, ReversedEngine())
    assert contents(folder) == expected
    assert sorted(part.part for part in folder.parts()) == [0, 1, 2]


def test_result_folder_ignores_files_that_a_killed_process_left(tmp_path: Path, description: RunDescription) -> None:
    folder = new_folder(tmp_path / "out", description)
    run(folder, ReversedEngine())
    (folder.folder / "documents" / "part-000009.parquet.tmp").write_bytes(b"PAR1")
    assert len(folder.files("documents")) == 3


@pytest.mark.parametrize("change", [{"schema_version": 0}, {"timbra": "9"}, {"options": {}}, {"sources": ["x"]}])
def test_result_folder_rejects_a_run_of_another_description(
    tmp_path: Path, description: RunDescription, change: dict[str, object]
) -> None:
    folder = new_folder(tmp_path / "out", description)
    file = folder.folder / "run.json"
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
    with folder.lock(), pytest.raises(ServiceError, match="bulk-folder"), ResultFolder(folder.folder).lock():
        pass
