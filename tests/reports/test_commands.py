"""`timbra report`, `timbra archive` and `timbra manifest` on a data folder."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.support.data_folder import create_data
from tests.support.events import list_audit_events
from typer.testing import CliRunner, Result

from timbra.app.composition import open_container
from timbra.cli.main import app
from timbra.database.build import opened_database
from timbra.reports.catalog import REPORTS
from timbra.settings import Settings


class ReportShell:
    """Runs commands on one data folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        create_data(folder / "data")

    def run(self, *arguments: str | Path) -> Result:
        environment = {"TIMBRA_DATA": str(self.folder / "data")}
        return CliRunner().invoke(app, [*map(str, arguments)], env=environment)


@pytest.fixture
def shell(tmp_path: Path) -> ReportShell:
    return ReportShell(tmp_path)


def test_report_lists_the_reports(shell: ReportShell) -> None:
    assert [line.split("\t")[0] for line in shell.run("report").stdout.splitlines()] == list(REPORTS)


def test_report_writes_csv_and_workbook(shell: ReportShell) -> None:
    result = shell.run("report", "inventory")
    assert (result.exit_code, result.stdout_bytes.decode("utf-8-sig").splitlines()[0]) == (
        0,
        "Nodo,Componente,Versión,Licencia",
    )
    file = shell.folder / "inventory.xlsx"
    result = shell.run("report", "inventory", "-o", file)
    assert (result.exit_code, file.read_bytes()[:2]) == (0, b"PK")
    assert int(result.stdout.split("\t")[0]) > len(REPORTS)


def test_reports_and_archives_are_in_the_audit_log_with_the_operator(shell: ReportShell) -> None:
    assert shell.run("report", "inventory", "--month", "2026-10").exit_code == 0
    assert shell.run("archive", "export", shell.folder / "archives", "--month", "2026-10").exit_code == 0
    with open_container(Settings(data=shell.folder / "data")) as container:
        events = [
            one
            for kind in ("report.read", "archive.exported")
            for one in list_audit_events(container.get(opened_database), kind)
        ]
    assert [(event.actor_kind, event.subject) for event in events] == [
        ("operator", "inventory"),
        ("operator", "timbra-2026-10"),
    ]
    period, archive = (json.loads(event.body) for event in events)
    assert period == {"from": "2026-10-01", "to": "2026-10-31", "file": ""}
    assert archive == {"documents": 0, "events": 0, "location": str(shell.folder / "archives")}


@pytest.mark.parametrize(
    "arguments",
    [
        ("ledger",),
        ("stamps", "--month", "2026-13"),
        ("stamps", "--month", "2026-11", "--from", "2026-11-01"),
        ("stamps", "--from", "yesterday"),
        ("stamps", "--format", "xlsx"),
    ],
)
def test_report_rejects_wrong_options(shell: ReportShell, arguments: tuple[str, ...]) -> None:
    assert shell.run("report", *arguments).exit_code in (1, 2)


def test_archive_is_exported_once_and_verified(shell: ReportShell) -> None:
    place = shell.folder / "archives"
    result = shell.run("archive", "export", place, "--month", "2026-10")
    assert (result.exit_code, result.stdout.split("\t")[:2]) == (0, ["timbra-2026-10", "0"])
    assert shell.run("archive", "verify", place, "timbra-2026-10").stdout == result.stdout
    assert shell.run("archive", "export", place, "--month", "2026-10").exit_code == 1
    (place / "timbra-2026-10" / "data" / "documents.csv").write_text("")
    result = shell.run("archive", "verify", place, "timbra-2026-10")
    assert (result.exit_code, "documents.csv" in result.stderr) == (1, True)


def test_manifest_is_stored_listed_and_removed(shell: ReportShell) -> None:
    signed = shell.folder / "manifiesto.pdf"
    signed.write_bytes(b"%PDF-1.7")
    digest = shell.run("manifest", "add", "eku9003173c9", signed, "--signed", "2026-11-20").stdout.strip()
    [line] = shell.run("manifest", "list").stdout.splitlines()
    assert line.split("\t")[::4] == ["EKU9003173C9", digest]
    assert [shell.run("manifest", "remove", "EKU9003173C9").exit_code for _ in range(2)] == [0, 1]
