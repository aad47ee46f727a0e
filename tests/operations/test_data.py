"""`timbra data build`, `verify` and `update`."""

from __future__ import annotations

import hashlib
import json
from datetime import timedelta
from pathlib import Path

import pytest
from tests.support.sat import make_snapshot, whole_wheel
from typer.testing import CliRunner

from timbra.core.clock import WallClock
from timbra.operations.commands.data import app
from timbra.snapshot import Edition, SnapshotSource, catalog_editions, locate, open_snapshot, verify
from timbra.snapshot.build import source, write_manifest
from timbra.snapshot.editions import editions_json
from timbra.snapshot.packed import pack_keys

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


def test_update_copies_a_folder_after_comparing_it_with_its_manifest(sat_folder: Path, tmp_path: Path) -> None:
    destination = tmp_path / "copy"
    sha256 = hashlib.sha256((sat_folder / "manifest.json").read_bytes()).hexdigest()
    result = RUNNER.invoke(app, ["update", str(sat_folder), "--sha256", sha256, "--to", str(destination)])
    assert result.exit_code == 0, result.output
    copied, original = open_snapshot(destination), open_snapshot(sat_folder)
    assert copied.manifest == original.manifest
    assert verify(copied) == []
    again = RUNNER.invoke(app, ["update", str(sat_folder), "--to", str(destination)])
    assert again.stdout.splitlines()[-1] == "unchanged"


def test_update_rejects_a_folder_with_a_changed_file_and_keeps_the_old_one(sat_folder: Path, tmp_path: Path) -> None:
    destination = tmp_path / "copy"
    assert RUNNER.invoke(app, ["update", str(sat_folder), "--to", str(destination)]).exit_code == 0
    (sat_folder / "xsd/cfdv40.xsd").write_bytes(b"")
    result = RUNNER.invoke(app, ["update", str(sat_folder), "--to", str(destination)])
    assert result.exit_code == 1
    assert "xsd/cfdv40.xsd" in result.stderr
    assert verify(open_snapshot(destination)) == []


def test_update_rejects_a_folder_with_another_manifest(sat_folder: Path, tmp_path: Path) -> None:
    options = ["update", str(sat_folder), "--sha256", "0" * 64, "--to", str(tmp_path / "copy")]
    result = RUNNER.invoke(app, options)
    assert result.exit_code == 1
    assert "0" * 64 in result.stderr
    assert not (tmp_path / "copy").exists()


def test_update_reports_a_read_only_destination(sat_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def reject(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("tempfile.mkdtemp", reject)
    result = RUNNER.invoke(app, ["update", str(sat_folder), "--to", str(sat_folder.parent / "copy")])
    assert result.exit_code == 1
    assert "No se pudo escribir en " in result.stderr
    assert "TIMBRA_SNAPSHOT" in result.stderr


def test_status_prints_edition_and_age_of_every_catalog(tmp_path: Path) -> None:
    folder = tmp_path / "sat"
    (folder / "catalogs/cfdi40").mkdir(parents=True)
    (folder / "catalogs/cfdi40/c_Moneda.csv").write_text("clave\nMXN\nUSD\n", "utf-8")
    (folder / "catalogs/cfdi40/c_Colonia.keys").write_bytes(pack_keys(["0001|01000"], (4, 5)))
    edition = Edition("fuente 1", WallClock().now().date() - timedelta(days=3))
    (folder / "editions.json").write_bytes(editions_json({"cfdi40/c_Moneda": edition}))
    write_manifest(folder, SnapshotSource("paquete", "26.1.0", "a" * 64))
    result = RUNNER.invoke(app, ["status", "--to", str(folder)])
    assert result.exit_code == 0, result.output
    rows = [line.split("\t") for line in result.stdout.splitlines() if "\t" in line]
    assert rows == [
        ["cfdi40/c_Colonia", "1", "unknown", "unknown", "unknown"],
        ["cfdi40/c_Moneda", "2", "fuente 1", edition.published.isoformat(), "3 days"],
    ]


def test_every_catalog_of_the_snapshot_has_an_edition() -> None:
    catalogs = catalog_editions(open_snapshot(locate(None)))
    assert len(catalogs) > 150
    assert [catalog.name for catalog in catalogs if catalog.edition is None or catalog.keys < 1] == []


def test_check_prints_the_differences_of_each_table(tmp_path: Path) -> None:
    file = tmp_path / "c_MetodoPago.csv"
    file.write_text("clave,Descripción\nPUE,Pago en una sola exhibición\nPEX,Pago en especie\n", "utf-8")
    result = RUNNER.invoke(app, ["check", str(file)])
    assert result.exit_code == 0, result.output
    assert [line.split("\t") for line in result.stdout.splitlines()] == [
        ["c_MetodoPago", "", "2", "1", "1", "0"],
        ["c_MetodoPago", "added", "PEX", "Pago en especie"],
        ["c_MetodoPago", "ended", "PPD", ""],
    ]


def test_check_prints_json_for_each_file(tmp_path: Path) -> None:
    same, unknown = tmp_path / "c_MetodoPago.csv", tmp_path / "c_Nada.csv"
    same.write_text("clave,Descripción\nPUE,\nPPD,\n", "utf-8")
    unknown.write_text("clave,Descripción\n1,uno\n", "utf-8")
    result = RUNNER.invoke(app, ["check", "--json", str(same), str(unknown)])
    reports = [json.loads(line) for line in result.stdout.splitlines()]
    assert reports == [
        {
            "file": str(same),
            "tables": [{"name": "c_MetodoPago", "edition": "", "rows": 2, "differences": []}],
            "not_compared": [],
        },
        {"file": str(unknown), "tables": [], "not_compared": ["c_Nada"]},
    ]


def test_check_compares_an_error_matrix_with_the_rules(tmp_path: Path) -> None:
    file = tmp_path / "matriz.csv"
    file.write_text("ELEMENTO,ATRIBUTO,VALIDACIÓN,CÓDIGO ERROR\nComprobante,Total,Regla,CFDI40998\n", "utf-8")
    result = RUNNER.invoke(app, ["check", str(file)])
    assert result.exit_code == 0, result.output
    assert ["cfdi40", "added", "CFDI40998", "Comprobante Total"] in [
        line.split("\t") for line in result.stdout.splitlines()
    ]


def test_check_reports_a_file_without_tables(tmp_path: Path) -> None:
    file = tmp_path / "notas.csv"
    file.write_text("a,b\n1,2\n", "utf-8")
    result = RUNNER.invoke(app, ["check", str(file)])
    assert result.exit_code == 1
    assert "no tiene catálogos ni una matriz" in result.stderr
