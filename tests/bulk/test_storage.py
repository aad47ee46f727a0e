"""Result folders at a URL, in the memory file system of fsspec."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import fsspec
import pytest
from tests.bulk.test_run import ReversedEngine, new_folder, run

from timbra.bulk.report.database import open_database
from timbra.bulk.result_folder import ResultFolder, RunDescription
from timbra.bulk.storage import open_storage
from timbra.core.errors import ServiceError

URL = "memory://results/run"


@pytest.fixture
def _empty_memory() -> Iterator[None]:
    yield
    memory = fsspec.filesystem("memory")
    memory.store.clear()
    memory.pseudo_dirs[:] = [""]


@pytest.fixture
def description(tmp_path: Path) -> RunDescription:
    for number in range(10):
        (tmp_path / f"{number}.xml").write_bytes(b"<a/>")
    return RunDescription("validate", 3, "1", "2", (str(tmp_path),), {})


@pytest.mark.usefixtures("_empty_memory")
def test_run_at_a_url_is_continued_and_queried(description: RunDescription) -> None:
    folder = new_folder(URL, description)
    with pytest.raises(KeyboardInterrupt):
        run(folder, ReversedEngine(2))
    ResultFolder(URL).require(description)
    engine = ReversedEngine()
    run(ResultFolder(URL), engine)
    assert engine.wrote == [2, 1, 0]
    folder.write_statuses([{"uuid": "a", "status": "Vigente"}])
    assert folder.files("documents")[0] == f"{URL}/documents/part-000000.parquet"
    with open_database(folder) as database:
        assert database.run("SELECT count(*), max(document_id) FROM documents").rows == [(10, 9)]
        assert database.run("SELECT status FROM statuses").rows == [("Vigente",)]


@pytest.mark.usefixtures("_empty_memory")
def test_folder_at_a_url_without_documents_is_left_empty(tmp_path: Path) -> None:
    folder = new_folder(URL, RunDescription("validate", 3, "1", "2", (f"{tmp_path}/*.xml",), {}))
    folder.discard()
    assert fsspec.filesystem("memory").find("/results") == []


@pytest.mark.usefixtures("_empty_memory")
def test_file_at_a_url_does_not_exist_when_its_block_fails() -> None:
    storage = open_storage(URL)
    with pytest.raises(KeyError), storage.write("a") as file:
        file.write({b"": b"1"}[b"a"])
    assert storage.names("") == []


@pytest.mark.parametrize("location", ["nowhere://bucket/run", "memory://missing"])
def test_folder_at_a_url_that_cannot_be_read_is_named(location: str) -> None:
    with pytest.raises(ServiceError, match="bulk-folder") as caught:
        ResultFolder(location).description()
    assert location in str(caught.value)


def test_storage_of_a_file_url_is_the_folder(tmp_path: Path) -> None:
    assert open_storage(f"file://{tmp_path}").location == str(tmp_path)
