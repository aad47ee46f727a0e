"""`timbra report` on a data folder."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.support.data_folder import DataShell

from timbra.reports.catalog import REPORTS


@pytest.fixture
def shell(tmp_path: Path) -> DataShell:
    return DataShell(tmp_path)


def test_report_lists_the_reports(shell: DataShell) -> None:
    assert [line.split("\t")[0] for line in shell.run("report").stdout.splitlines()] == list(REPORTS)


def test_report_writes_csv_and_workbook(shell: DataShell) -> None:
    result = shell.run("report", "inventory")
    assert (result.exit_code, result.stdout_bytes.decode("utf-8-sig").splitlines()[0]) == (
        0,
        "Nodo,Componente,Versión,Licencia",
    )
    file = shell.folder / "inventory.xlsx"
    result = shell.run("report", "inventory", "-o", file)
    assert (result.exit_code, file.read_bytes()[:2]) == (0, b"PK")
    assert int(result.stdout.split("\t")[0]) > len(REPORTS)


def test_report_is_in_the_audit_log_with_the_operator(shell: DataShell) -> None:
    assert shell.run("report", "inventory", "--month", "2026-10").exit_code == 0
    [event] = shell.audit_events("report.read")
    assert (event.actor_kind, event.subject) == ("operator", "inventory")
    assert json.loads(event.body) == {"from": "2026-10-01", "to": "2026-10-31", "file": ""}


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
def test_report_rejects_wrong_options(shell: DataShell, arguments: tuple[str, ...]) -> None:
    assert shell.run("report", *arguments).exit_code in (1, 2)
