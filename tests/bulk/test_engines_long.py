"""Ray, S3 and killed runs: `make bulk-tests`. Ray runs in a network namespace of its own."""

from __future__ import annotations

import os
import shlex
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.requirements import need
from tests.support.sandbox_app import NOW, SandboxApp

from timbra.container.build import data_folder

ROOT = Path(__file__).parents[2]
PYTHON = Path(os.environ.get("TIMBRA_BULK_PYTHON", ROOT / ".venv-bulk" / "bin" / "python"))
"""An interpreter with the libraries of requirements/bulk.txt; some are incompatible with those of the tests."""
DOCUMENTS = 6000

pytestmark = pytest.mark.skipif("TIMBRA_TEST_LONG" not in os.environ, reason="TIMBRA_TEST_LONG is not set")


@pytest.fixture(scope="module")
def sources(stamped: list[bytes], tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sources")
    for number in range(DOCUMENTS):
        (folder / f"{number:05}.xml").write_bytes(stamped[number % len(stamped)])
    return folder


@pytest.fixture(scope="module")
def environment(sandbox_app: SandboxApp) -> dict[str, str]:
    own = {
        "TIMBRA_CLOCK": NOW,
        "TIMBRA_DATA": str(sandbox_app.container.get(data_folder)),
        "PYTHONPATH": str(ROOT / "src"),
    }
    return {**os.environ, **own, "RAY_USAGE_STATS_ENABLED": "0"}


def command(python: object, *arguments: object) -> list[str]:
    return [str(python), "-m", "timbra.cli", "bulk", "validate", *map(str, arguments)]


def isolated(arguments: list[str]) -> list[str]:
    """Return a command in a network namespace of its own."""
    script = f"ip link set lo up && exec {shlex.join(arguments)}"
    return ["unshare", "--user", "--map-root-user", "--net", "sh", "-c", script]


def tables(folder: Path) -> dict[str, bytes]:
    """Return the files of tables and the counts of a run."""
    files = sorted(file for file in folder.glob("*/part-*"))
    return {str(file.relative_to(folder)): file.read_bytes() for file in files}


def kill_after(process: subprocess.Popen[bytes], folder: Path, parts: int) -> None:
    """Kill a run when it has written a number of parts."""
    while len([*folder.glob("parts/*.json")]) < parts:
        assert process.poll() is None
        time.sleep(0.01)
    process.kill()


@pytest.fixture(scope="module")
def whole(sources: Path, environment: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """The tables of an undisturbed run of one process."""
    need("bulk", PYTHON.exists(), f"{PYTHON} does not exist: make bulk-tests")
    out = tmp_path_factory.mktemp("whole") / "out"
    subprocess.run(command(PYTHON, sources, "--out", out, "--workers", 1), env=environment, check=True)
    assert len([*out.glob("documents/*.parquet")]) == DOCUMENTS // 500
    return tables(out)


def test_processes_that_are_killed_twice_write_the_tables_of_one_process(
    sources: Path, whole: dict[str, bytes], environment: dict[str, str], tmp_path: Path
) -> None:
    run = command(PYTHON, sources, "--workers", 2, "--out", tmp_path / "out")
    for parts in (1, 5):
        with subprocess.Popen(run, env=environment) as process:
            kill_after(process, tmp_path / "out", parts)
    subprocess.run(run, env=environment, check=True)
    assert tables(tmp_path / "out") == whole


def test_ray_that_is_killed_with_its_driver_writes_the_tables_of_one_process(
    sources: Path, whole: dict[str, bytes], environment: dict[str, str], tmp_path: Path
) -> None:
    run = isolated(command(PYTHON, sources, "--out", tmp_path / "out", "--ray", "local", "--workers", 2))
    with subprocess.Popen(run, env=environment) as process:
        kill_after(process, tmp_path / "out", 2)
    written = len([*(tmp_path / "out").glob("parts/*.json")])
    assert written < DOCUMENTS // 500
    subprocess.run(run, env=environment, check=True)
    assert tables(tmp_path / "out") == whole


def test_ray_of_two_nodes_one_of_which_is_killed_writes_the_tables_of_one_process(
    sources: Path, whole: dict[str, bytes], environment: dict[str, str], tmp_path: Path
) -> None:
    run = command(PYTHON, sources, "--out", tmp_path / "out", "--ray", "{address}")
    cluster = [str(PYTHON), str(ROOT / "tests" / "support" / "ray_nodes.py"), str(tmp_path / "out" / "parts"), *run]
    ended = subprocess.run(isolated(cluster), env=environment, check=False, capture_output=True, text=True)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert "node killed" in ended.stdout
    assert tables(tmp_path / "out") == whole


def test_ray_without_a_processor_is_rejected(sources: Path, environment: dict[str, str], tmp_path: Path) -> None:
    need("bulk", PYTHON.exists(), f"{PYTHON} does not exist: make bulk-tests")
    run = command(PYTHON, sources, "--out", tmp_path / "out", "--ray", "{address}", "--workers", 3)
    cluster = [str(PYTHON), str(ROOT / "tests" / "support" / "ray_nodes.py"), "", *run]
    ended = subprocess.run(isolated(cluster), env=environment, check=False, capture_output=True, text=True)
    assert ended.returncode == 4, ended.stdout + ended.stderr
    assert "se piden 3 CPU y el clúster tiene 2" in ended.stderr


@pytest.fixture
def with_s3(environment: dict[str, str]) -> Iterator[dict[str, str]]:
    """The environment for a local S3 server that answers every second GET with 503."""
    need("bulk", PYTHON.exists(), f"{PYTHON} does not exist: make bulk-tests")
    server = [str(PYTHON), str(ROOT / "tests" / "support" / "flaky_s3.py")]
    with subprocess.Popen(server, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        address = f"http://127.0.0.1:{int(process.stdout.readline())}"
        keys = {"AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test", "AWS_DEFAULT_REGION": "us-east-1"}
        yield {**environment, **keys, "AWS_ENDPOINT_URL": address}
        process.communicate("")


def s3(environment: dict[str, str], call: str) -> None:
    program = f"import s3fs; s = s3fs.S3FileSystem(); {call}"
    subprocess.run([str(PYTHON), "-c", program], env=environment, check=True)


@pytest.mark.parametrize("engine", [("--workers", 2), ("--ray", "local", "--workers", 2)])
def test_validate_reads_and_writes_s3_that_answers_503_half_of_the_time(
    stamped: list[bytes], with_s3: dict[str, str], tmp_path: Path, engine: tuple[object, ...]
) -> None:
    (tmp_path / "in").mkdir()
    for number, content in enumerate(stamped):
        (tmp_path / "in" / f"{number}.xml").write_bytes(content)
    put = f"s.put({str(tmp_path / 'in')!r}, 'cfdi/in', recursive=True)"
    s3(with_s3, f"s.mkdir('cfdi'); {put}")
    run = command(PYTHON, "s3://cfdi/in", "--out", "s3://cfdi/out", *engine)
    for _ in range(2):  # The second command finds the parts of the first one.
        done = subprocess.run(run, env=with_s3, check=False, capture_output=True, text=True)
        assert (done.returncode, done.stdout.split()[:2]) == (0, ["valid", str(len(stamped))]), done.stderr
    s3(with_s3, f"s.get('cfdi/out', {str(tmp_path / 'out')!r}, recursive=True)")
    assert [*tables(tmp_path / "out")] == ["documents/part-000000.parquet", "parts/part-000000.json"]
    query = [str(PYTHON), "-m", "timbra.cli", "bulk", "query", "s3://cfdi/out", "SELECT count(uuid) FROM documents"]
    found = subprocess.run(query, env=with_s3, check=True, capture_output=True, text=True)
    assert found.stdout.strip() == str(len(stamped))
