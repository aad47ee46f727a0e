"""`timbra bulk`: exit codes, resumption and output, with worker processes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.sandbox_app import FECHA, NOW, SandboxApp
from typer.testing import CliRunner, Result

from timbra import examples
from timbra.cli.main import app
from timbra.container.build import data_folder


@pytest.fixture(scope="module")
def sandbox_app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SandboxApp]:
    made = SandboxApp(tmp_path_factory.mktemp("sandbox"))
    made.store(made.mint())
    yield made
    made.container.close()


def run(sandbox_app: SandboxApp, *arguments: object) -> Result:
    command = ["bulk", *map(str, arguments)]
    environment = {"TIMBRA_CLOCK": NOW, "COLUMNS": "200", "TIMBRA_DATA": str(sandbox_app.container.get(data_folder))}
    return CliRunner().invoke(app, command, env=environment)


def test_bulk_validate_writes_continues_and_reports(sandbox_app: SandboxApp, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    issued = sandbox_app.issue(examples.ingreso(fecha=FECHA).encode())
    (tmp_path / "in" / "a.xml").write_bytes(issued.cfdi.encode())
    command = ("validate", tmp_path / "in", "--out", tmp_path / "out", "--workers", 1, "--with", "concepts")
    first = run(sandbox_app, *command)
    assert (first.exit_code, first.stdout.splitlines()[0]) == (0, "valid\t1")
    (tmp_path / "in" / "later.xml").write_bytes(b"")
    again = run(sandbox_app, *command)
    assert (again.exit_code, again.stdout) == (0, first.stdout)
    other = run(sandbox_app, *command[:-2])
    assert other.exit_code == 4
    assert "options: {'require_stamp': False, 'tables': ['concepts']} / " in other.stderr
    found = run(sandbox_app, "query", tmp_path / "out", "SELECT uuid, seal FROM documents")
    assert found.stdout == f"{issued.uuid}\tvalid\n"
    report = run(sandbox_app, "report", tmp_path / "out", "--html", tmp_path / "r.html", "--xlsx", tmp_path / "r.xlsx")
    assert report.exit_code == 0, report.output
    assert (tmp_path / "r.html").stat().st_size
    assert (tmp_path / "r.xlsx").stat().st_size


def test_bulk_status_stores_answers_and_asks_again_when_they_are_old(sandbox_app: SandboxApp, tmp_path: Path) -> None:
    issued = sandbox_app.issue(examples.ingreso({"@Folio": "9"}, fecha=FECHA).encode())
    (tmp_path / "a.xml").write_bytes(issued.cfdi.encode())
    out = tmp_path / "out"
    assert run(sandbox_app, "validate", tmp_path / "a.xml", "--out", out, "--workers", 1).exit_code == 0
    for arguments, due in (((), 1), ((), 0), (("--max-age", 0), 1)):
        result = run(sandbox_app, "status", out, *arguments)
        assert (result.exit_code, result.stderr) == (0, f"{due} due, {due} answered, 0 without an answer\n")
    columns = "status, cancelable, status_time IS NOT NULL"
    found = run(sandbox_app, "query", out, f"SELECT {columns} FROM documents").stdout
    assert found == "Vigente\tCancelable sin aceptación\tTrue\n"
    assert run(sandbox_app, "query", out, "SELECT count(*) FROM statuses").stdout == "2\n"


def test_bulk_validate_dry_run_counts_and_writes_nothing(sandbox_app: SandboxApp, tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_bytes(b"<a/>")
    result = run(sandbox_app, "validate", tmp_path, "--out", tmp_path / "out", "--dry-run", "--workers", 4)
    rows = dict(line.split("\t") for line in result.stdout.splitlines())
    assert result.exit_code == 0, result.output
    assert (rows["documents"], rows["processes"]) == ("1", "4")
    assert not (tmp_path / "out").exists()


def test_bulk_validate_exits_with_2_without_documents(sandbox_app: SandboxApp, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    result = run(sandbox_app, "validate", tmp_path / "in", "--out", tmp_path / "out")
    assert result.exit_code == 2
    assert list((tmp_path / "out").iterdir()) == []


def test_bulk_report_exits_with_4_without_a_run(sandbox_app: SandboxApp, tmp_path: Path) -> None:
    result = run(sandbox_app, "report", tmp_path)
    assert result.exit_code == 4
    assert len(result.stderr.splitlines()) == 1


def test_bulk_names_the_missing_library(
    sandbox_app: SandboxApp, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "timbra.bulk.report.database", None)
    monkeypatch.setitem(__import__("sys").modules, "duckdb", None)
    monkeypatch.delitem(__import__("sys").modules, "timbra.bulk.report.database")
    result = run(sandbox_app, "report", tmp_path)
    assert result.exit_code == 4
    assert "duckdb" in result.stderr
    assert "timbra[bulk]" in result.stderr
