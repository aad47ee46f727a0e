"""What bulk commands reject: an address as result folder, more processes than a cluster has."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from tests.support.forked_program import run

from timbra.bulk.engines.ray_cluster import RayEngine
from timbra.bulk.worker import WorkerOptions
from timbra.core.errors import ServiceError


class Ray(SimpleNamespace):
    """The calls of Ray that an engine makes before it has tasks, for a cluster with a number of CPUs."""

    def __init__(self, cpus: int) -> None:
        self.cpus, self.actors, self.ended = cpus, 0, 0

    def init(self, **_: object) -> None:
        """Connect."""

    def cluster_resources(self) -> dict[str, float]:
        return {"CPU": float(self.cpus)}

    def shutdown(self) -> None:
        self.ended += 1

    def remote(self, **_: object) -> object:
        def actor(*_: object) -> object:
            self.actors += 1
            return object()

        return lambda _kind: SimpleNamespace(remote=actor)


@pytest.mark.parametrize(
    ("cpus", "workers", "actors"), [(4, 4, 4), (4, None, 4), (4, 2, 2), (4, 5, 0), (0, None, 0), (0, 1, 0)]
)
def test_ray_engine_starts_as_many_actors_as_the_cluster_has_processors(
    monkeypatch: pytest.MonkeyPatch, cpus: int, workers: int | None, actors: int
) -> None:
    ray = Ray(cpus)
    monkeypatch.setitem(sys.modules, "ray", ray)
    if actors:
        RayEngine(WorkerOptions(None, False), workers, "ray://127.0.0.1:10001")
    else:
        with pytest.raises(ServiceError, match=f"se piden {workers or 1} procesos y el clúster tiene {cpus} CPU"):
            RayEngine(WorkerOptions(None, False), workers, "ray://127.0.0.1:10001")
    assert (ray.actors, ray.ended) == (actors, 0 if actors else 1)


@pytest.mark.parametrize("out", ["s3://bucket/results", "gs://bucket", "file:///tmp/results"])
def test_validate_rejects_an_address_as_result_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, out: str
) -> None:
    (tmp_path / "a.xml").write_bytes(b"<a/>")
    monkeypatch.chdir(tmp_path)
    ended = run("timbra.cli", "bulk", "validate", str(tmp_path / "a.xml"), "--out", out)
    assert ended.returncode == 4
    assert "es una dirección" in ended.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["a.xml"]
