"""The data commands."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.support.sat import make_snapshot, whole_wheel
from typer.testing import CliRunner

from timbra.cli.data import app
from timbra.snapshot import Source, open_snapshot
from timbra.snapshot.build import source

RUN = CliRunner()


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Source]:
    file = tmp_path_factory.mktemp("wheel") / "satcfdi-26.10.1-py3-none-any.whl"
    return file, whole_wheel(file)


def test_update_verify_and_update_again(
    wheel: tuple[Path, Source], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for slow in ("write_catalogs", "write_tables"):
        monkeypatch.setattr(f"timbra.snapshot.build.{slow}", lambda *_: None)
    file, given = wheel
    destination = str(tmp_path / "sat-data")
    options = ["update", "--wheel", str(file), "--sha256", given.sha256.upper(), "--to", destination]
    first = RUN.invoke(app, options)
    version = open_snapshot(Path(destination)).version
    assert (first.exit_code, first.stdout.splitlines()[-1]) == (0, f"none -> {version}")
    verified = RUN.invoke(app, ["verify", "--to", destination])
    assert verified.exit_code == 0
    assert version in verified.stdout
    assert "as built" in verified.stdout
    assert RUN.invoke(app, options).stdout.splitlines()[-1] == "unchanged"


def test_verify_names_what_differs(sat_folder: Path) -> None:
    (sat_folder / "xsd/cfdv40.xsd").write_bytes(b"")
    result = RUN.invoke(app, ["verify", "--to", str(sat_folder)])
    assert result.exit_code == 1
    assert result.stderr == "changed: xsd/cfdv40.xsd\n"
    assert "1 differ" in result.stdout


@pytest.fixture
def sat_folder(tmp_path: Path) -> Path:
    return make_snapshot(tmp_path / "sat").root


def test_a_missing_snapshot_is_one_line_and_exit_1(tmp_path: Path) -> None:
    result = RUN.invoke(app, ["verify", "--to", str(tmp_path)])
    assert result.exit_code == 1
    assert result.stderr.startswith("No hay datos del SAT en ")


def test_build_takes_the_pinned_package_alone(wheel: tuple[Path, Source], tmp_path: Path) -> None:
    result = RUN.invoke(app, ["build", "--wheel", str(wheel[0]), "--to", str(tmp_path / "out")])
    assert result.exit_code == 1
    assert source.PINNED.sha256 in result.stderr
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    "options",
    [["--wheel", "a.whl"], ["--sha256", "0" * 64], ["--wheel", "a-1.0-py3-none-any.whl", "--sha256", "xyz"]],
)
def test_a_wheel_of_one_s_own_needs_its_hash(options: list[str]) -> None:
    assert RUN.invoke(app, ["update", *options]).exit_code == 2


def test_a_wheel_of_one_s_own_needs_its_name() -> None:
    assert RUN.invoke(app, ["update", "--wheel", "x.whl", "--sha256", "0" * 64]).exit_code == 2
