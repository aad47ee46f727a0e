"""Ray, S3 and killed runs: `make bulk-tests`. Ray runs in a network namespace of its own."""

from __future__ import annotations

import os
import subprocess
import sys
import time
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


def parts(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in sorted((folder / "documents").glob("*.parquet"))}


def test_run_that_is_killed_twice_has_the_rows_of_an_undisturbed_run(
    sources: Path, environment: dict[str, str], tmp_path: Path
) -> None:
    small = "import timbra.bulk.result_folder as f, timbra.bulk.run as r; f.PART_TASKS = r.PART_TASKS = 2; "
    program = f"{small}import sys; from timbra.cli.main import run; sys.argv = sys.argv[1:]; run()"
    run = [sys.executable, "-c", program, "timbra", "bulk", "validate", str(sources), "--workers", "2", "--out"]
    subprocess.run([*run, str(tmp_path / "whole")], env=environment, check=True)
    for lines in (1, 3):
        with subprocess.Popen([*run, str(tmp_path / "killed")], env=environment) as process:
            written = tmp_path / "killed" / "parts.jsonl"
            while not written.exists() or written.read_bytes().count(b"\n") < lines:
                assert process.poll() is None
                time.sleep(0.01)
            process.kill()
    subprocess.run([*run, str(tmp_path / "killed")], env=environment, check=True)
    assert parts(tmp_path / "killed") == parts(tmp_path / "whole")
    assert len(parts(tmp_path / "whole")) == DOCUMENTS // 1000


def test_ray_engine_gives_the_rows_of_processes(sources: Path, environment: dict[str, str], tmp_path: Path) -> None:
    need("bulk", PYTHON.exists(), f"{PYTHON} does not exist: make bulk-tests")
    subprocess.run(command(sys.executable, sources, "--out", tmp_path / "processes"), env=environment, check=True)
    ray = " ".join(command(PYTHON, sources, "--out", tmp_path / "ray", "--ray", "local", "--workers", 2))
    isolated = ["unshare", "--user", "--map-root-user", "--net", "sh", "-c", f"ip link set lo up && {ray}"]
    subprocess.run(isolated, env=environment, check=True)
    assert parts(tmp_path / "ray") == parts(tmp_path / "processes")


def test_validate_reads_s3_that_answers_503_half_of_the_time(
    stamped: list[bytes], environment: dict[str, str], tmp_path: Path
) -> None:
    need("bulk", PYTHON.exists(), f"{PYTHON} does not exist: make bulk-tests")
    for number, content in enumerate(stamped):
        (tmp_path / f"{number}.xml").write_bytes(content)
    server = [str(PYTHON), str(ROOT / "tests" / "support" / "flaky_s3.py")]
    with subprocess.Popen(server, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        address = f"http://127.0.0.1:{int(process.stdout.readline())}"
        keys = {"AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test", "AWS_DEFAULT_REGION": "us-east-1"}
        with_s3 = {**environment, **keys, "AWS_ENDPOINT_URL": address}
        put = f"s.put({str(tmp_path)!r}, 'cfdi/in', recursive=True)"
        upload = f"import s3fs; s = s3fs.S3FileSystem(); s.mkdir('cfdi'); {put}"
        subprocess.run([str(PYTHON), "-c", upload], env=with_s3, check=True)
        out = tmp_path / "out"
        done = subprocess.run(
            command(PYTHON, "s3://cfdi/in", "--out", out, "--workers", 1),
            env=with_s3,
            check=False,
            capture_output=True,
            text=True,
        )
        process.communicate("")
    assert (done.returncode, done.stdout.split()[:2]) == (0, ["valid", str(len(stamped))]), done.stderr
