"""`timbra archive` on a data folder."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.support.data_folder import DataShell


@pytest.fixture
def shell(tmp_path: Path) -> DataShell:
    return DataShell(tmp_path)


def test_archive_is_in_the_audit_log_with_the_operator(shell: DataShell) -> None:
    place = shell.folder / "archives"
    assert shell.run("archive", "export", place, "--month", "2026-10").exit_code == 0
    [event] = shell.audit_events("archive.exported")
    assert (event.actor_kind, event.subject) == ("operator", "timbra-2026-10")
    assert json.loads(event.body) == {"documents": 0, "events": 0, "location": str(place)}


def test_archive_is_exported_once_and_verified(shell: DataShell) -> None:
    place = shell.folder / "archives"
    result = shell.run("archive", "export", place, "--month", "2026-10")
    assert (result.exit_code, result.stdout.split("\t")[:2]) == (0, ["timbra-2026-10", "0"])
    assert shell.run("archive", "verify", place, "timbra-2026-10").stdout == result.stdout
    assert shell.run("archive", "export", place, "--month", "2026-10").exit_code == 1
    (place / "timbra-2026-10" / "data" / "documents.csv").write_text("")
    result = shell.run("archive", "verify", place, "timbra-2026-10")
    assert (result.exit_code, "documents.csv" in result.stderr) == (1, True)


def test_moved_archive_is_recorded_and_in_the_audit_log(shell: DataShell) -> None:
    place, copy = shell.folder / "archives", shell.folder / "copies"
    exported = shell.run("archive", "export", place, "--month", "2026-10")
    place.rename(copy)
    moved = shell.run("archive", "move", copy, "timbra-2026-10")
    assert (moved.exit_code, moved.stdout) == (0, exported.stdout)
    assert f"\t{copy}\t" in shell.run("archive", "list").stdout
    [event] = shell.audit_events("archive.moved")
    assert (event.actor_kind, event.subject) == ("operator", "timbra-2026-10")
    assert json.loads(event.body)["location"] == str(copy)
    result = shell.run("archive", "move", place, "timbra-2026-10")
    assert (result.exit_code, "No hay un archivo completo" in result.stderr) == (1, True)
