"""What bulk commands reject: an address where files are local, more processors than a cluster has."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from tests.support.forked_program import run

from timbra.bulk.engines import ray_data
from timbra.bulk.engines.ray_data import write_with_ray
from timbra.bulk.plan import Planner
from timbra.bulk.result_folder import Part, PlannedPart, ResultFolder, RunDescription
from timbra.bulk.worker import WorkerOptions
from timbra.core.errors import ServiceError

PARTS = 3


class Ray(SimpleNamespace):
    """The calls of Ray in a run, for a cluster with a number of CPUs, which runs one part after another."""

    def __init__(self, cpus: int) -> None:
        super().__init__(data=self, ended=0, sizes=[], started={})
        self.cpus = [cpus]
        self.DataContext = SimpleNamespace(get_current=SimpleNamespace)

    def init(self, **options: object) -> None:
        self.started = options

    def cluster_resources(self) -> dict[str, float]:
        return {"CPU": float(self.cpus.pop(0) if len(self.cpus) > 1 else self.cpus[0])}

    def available_resources(self) -> dict[str, float]:
        return {}

    def shutdown(self) -> None:
        self.ended += 1

    def TaskPoolStrategy(self, size: int | None) -> int | None:  # noqa: N802 -- the name of Ray
        return size

    def range(self, count: int, *, override_num_blocks: int) -> Ray:
        self.sizes += [count, override_num_blocks]
        return self

    def map_batches(self, function: Any, *, fn_args: tuple[Any, ...], compute: int | None, **_: object) -> Any:
        self.sizes.append(compute)

        def rows() -> Iterator[dict[str, str]]:
            for position in range(self.sizes[0]):
                batch = function({"id": [position]}, *fn_args)
                yield {name: column[0] for name, column in batch.items()}

        return SimpleNamespace(iter_rows=rows)


class PartProcess(SimpleNamespace):
    """Writes no table, and cannot write the part with the number of `fails`."""

    fails = PARTS

    def __init__(self, *_: object) -> None:
        """See `timbra.bulk.engines.part_process.PartProcess`."""

    def write(self, _folder: ResultFolder, part: PlannedPart) -> Part:
        if part.number == self.fails:
            raise ServiceError("bulk-folder", "disco lleno")
        return Part(part.number, 1, {"valid": 1}, {})


@pytest.fixture
def folder(tmp_path: Path) -> ResultFolder:
    for number in range(PARTS):
        (tmp_path / f"{number}.xml").write_bytes(b"<a/>")
    made = ResultFolder(str(tmp_path / "out"))
    made.create(RunDescription("validate", 3, "", "", (f"{tmp_path}/*.xml",), {}), Planner(task_documents=1))
    return made


@pytest.fixture
def ray(monkeypatch: pytest.MonkeyPatch) -> Ray:
    made = Ray(4)
    ray_data._process.cache_clear()
    monkeypatch.setitem(sys.modules, "ray", made)
    monkeypatch.setattr(ray_data, "PartProcess", PartProcess)
    monkeypatch.setattr(ray_data, "STALL_SECONDS", 0.01)
    return made


def written(folder: ResultFolder, workers: int | None = None, address: str = "10.0.0.1:6379") -> list[int]:
    options = WorkerOptions(None)
    parts = write_with_ray(folder, folder.missing_parts(), options=options, workers=workers, address=address)
    return [part.part for part in parts]


@pytest.mark.parametrize("workers", [None, 2, 4])
def test_ray_writes_as_many_parts_at_a_time_as_the_cluster_has_processors(
    ray: Ray, folder: ResultFolder, workers: int | None
) -> None:
    assert written(folder, workers) == [*range(PARTS)]
    assert (ray.sizes, ray.ended) == ([PARTS, PARTS, workers], 1)
    assert ray.started == {"address": "10.0.0.1:6379", "log_to_driver": False}


@pytest.mark.parametrize(("cpus", "workers"), [(4, 5), (0, None), (0, 1)])
def test_ray_rejects_more_parts_at_a_time_than_the_cluster_has_processors(
    ray: Ray, folder: ResultFolder, cpus: int, workers: int | None
) -> None:
    ray.cpus = [cpus]
    with pytest.raises(ServiceError, match=f"se piden {workers or 1} CPU y el clúster tiene {cpus}"):
        written(folder, workers)
    assert (ray.sizes, ray.ended) == ([], 1)


def test_ray_names_the_processors_while_no_part_ends(
    ray: Ray, folder: ResultFolder, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(ray_data, "_write_all", lambda *_: None)
    ray.cpus = [4, 4, 0]
    with pytest.raises(ServiceError, match="el clúster ya no tiene CPU"):
        written(folder)
    assert [record.getMessage() for record in caplog.records] == ["Ray: no part in 0.01 seconds; 0 of 4 CPUs are free"]
    assert ray.ended == 1


def test_ray_ends_the_run_with_the_error_of_a_node(
    ray: Ray, folder: ResultFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(PartProcess, "fails", 1)
    with pytest.raises(ServiceError, match="disco lleno"):
        written(folder)
    assert ray.ended == 1


def test_ray_ends_the_run_with_an_error_of_its_own(
    ray: Ray, folder: ResultFolder, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(ray, "range", None)
    with pytest.raises(ServiceError, match="Ray: TypeError"):
        written(folder)
    assert [record.exc_info is not None for record in caplog.records] == [True]


@pytest.mark.parametrize("out", ["s3://bucket/results", "gs://bucket", "file:///tmp/results"])
def test_stamp_rejects_an_address_as_result_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, out: str) -> None:
    (tmp_path / "a.xml").write_bytes(b"<a/>")
    monkeypatch.chdir(tmp_path)
    arguments = ("--out", out, "--url", "http://127.0.0.1:9", "--token", "a")
    ended = run("timbra.cli", "bulk", "stamp", str(tmp_path / "a.xml"), *arguments)
    assert ended.returncode == 4
    assert "es una dirección" in ended.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["a.xml"]
