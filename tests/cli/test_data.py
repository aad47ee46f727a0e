"""`timbra data build`, `verify` and `update`."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.support.sat import make_snapshot, whole_wheel
from typer.testing import CliRunner

from timbra.cli.operations.data import app
from timbra.snapshot import SnapshotSource, open_snapshot
from timbra.snapshot.build import source

RUNNER = CliRunner()


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, SnapshotSource]:
    file = tmp_path_factory.mktemp("wheel") / "satcfdi-26.10.1-py3-none-any.whl"
    return file, whole_wheel(file)


def test_update_builds_a_snapshot_that_verify_accepts(
    wheel: tuple[Path, SnapshotSource], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for slow in ("write_catalogs", "write_tables"):
        monkeypatch.setattr(f"timbra.snapshot.build.{slow}", lambda *_: None)
    file, given = wheel
    destination = str(tmp_path / "sat-data")
    options = ["update", "--wheel", str(file), "--sha256", given.sha256.upper(), "--to", destination]
    first = RUNNER.invoke(app, options)
    version = open_snapshot(Path(destination)).version
    assert (first.exit_code, first.stdout.splitlines()[-1]) == (0, f"none -> {version}")
    verified = RUNNER.invoke(app, ["verify", "--to", destination])
    assert verified.exit_code == 0
    assert version in verified.stdout
    assert "as built" in verified.stdout
    assert RUNNER.invoke(app, options).stdout.splitlines()[-1] == "unchanged"


def test_verify_names_changed_files(sat_folder: Path) -> None:
    (sat_folder / "xsd/cfdv40.xsd").write_bytes(b"")
    result = RUNNER.invoke(app, ["verify", "--to", str(sat_folder)])
    assert result.exit_code == 1
    assert result.stderr == "changed: xsd/cfdv40.xsd\n"
    assert "1 differ" in result.stdout


@pytest.fixture
def sat_folder(tmp_path: Path) -> Path:
    return make_snapshot(tmp_path / "sat").root


def test_verify_reports_a_missing_snapshot(tmp_path: Path) -> None:
    result = RUNNER.invoke(app, ["verify", "--to", str(tmp_path)])
    assert result.exit_code == 1
    assert result.stderr.startswith("No hay datos del SAT en ")


def test_build_rejects_a_package_that_is_not_pinned(wheel: tuple[Path, SnapshotSource], tmp_path: Path) -> None:
    result = RUNNER.invoke(app, ["build", "--wheel", str(wheel[0]), "--to", str(tmp_path / "out")])
    assert result.exit_code == 1
    assert source.PINNED.sha256 in result.stderr
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    "options",
    [["--wheel", "a.whl"], ["--sha256", "0" * 64], ["--wheel", "a-1.0-py3-none-any.whl", "--sha256", "xyz"]],
)
def test_update_requires_wheel_and_sha256_together(options: list[str]) -> None:
    assert RUNNER.invoke(app, ["update", *options]).exit_code == 2


def test_update_rejects_a_file_that_is_not_named_like_a_wheel() -> None:
    assert RUNNER.invoke(app, ["update", "--wheel", "x.whl", "--sha256", "0" * 64]).exit_code == 2
