"""The command `timbra fsck`."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest
from tests.fsck.support import changed, populated, stored
from tests.support.cancellation_app import CancellationApp
from typer.testing import CliRunner

from timbra.archive.build import archive_services
from timbra.archive.storage import storage_of
from timbra.backup.backup import make_backup
from timbra.cli.main import app as commands
from timbra.core.periods import DayPeriod
from timbra.database.build import opened_database
from timbra.database.tables.stamps import STAMP


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[CancellationApp]:
    with populated(tmp_path_factory.mktemp("data") / "sandbox", "sqlite") as made:
        yield made


def run(app: CancellationApp, *arguments: str) -> tuple[int, str, str]:
    result = CliRunner().invoke(commands, ["fsck", *arguments, "--data", str(app.container.settings.data)])
    return result.exit_code, result.stdout, result.stderr


def test_fsck_of_sound_data_prints_the_rows_and_ends_with_0(app: CancellationApp) -> None:
    code, output, errors = run(app)
    assert (code, output) == (0, "")
    assert "differences: 0" in errors


def test_fsck_names_the_difference_and_its_cure_and_repairs_it(app: CancellationApp) -> None:
    _, total = stored(app.container, STAMP, STAMP.c.total)
    with changed(app.container, STAMP, STAMP.c.total, "1.00"):
        code, output, errors = run(app)
        [line] = output.splitlines()
        assert (code, line.split("\t")[0:2], line.split("\t")[3:]) == (
            1,
            ["column-differs", "stamp"],
            ["total", "1.00", total, "repair"],
        )
        assert "timbra fsck --repair" in errors
        code, output, _ = run(app, "--repair")
        assert (code, output.strip().rpartition("\t")[2]) == (0, "repaired")
        assert run(app)[0] == 0


def test_fsck_as_json_has_each_difference(app: CancellationApp) -> None:
    with changed(app.container, STAMP, STAMP.c.cfdi, b"\x01damaged"):
        code, output, _ = run(app, "--repair", "--json")
    report = json.loads(output)
    [found] = report["findings"]
    assert (code, report["isComplete"], report["rows"]["stamp"]) == (1, True, 6)
    assert (found["code"], found["cure"], found["repaired"]) == ("document-damaged", "restore", False)


def check(app: CancellationApp, path: Path) -> tuple[int, list[list[str]], str]:
    code, output, errors = run(app, str(path))
    return code, [line.split("\t") for line in output.splitlines()], errors


def test_fsck_of_a_backup_checks_what_it_restores(app: CancellationApp, tmp_path: Path) -> None:
    data, now = app.container.settings.data, app.container.wall.now()
    database = app.container.get(opened_database)
    make_backup(data, database, tmp_path / "sound.tar.zst", None, now)
    with changed(app.container, STAMP, STAMP.c.total, "1.00"):
        make_backup(data, database, tmp_path / "changed.tar.zst", None, now)
    assert check(app, tmp_path / "sound.tar.zst")[:2] == (0, [])
    code, found, _ = check(app, tmp_path / "changed.tar.zst")
    assert (code, [(line[0], line[3]) for line in found]) == (1, [("column-differs", "total")])
    (tmp_path / "cut.tar.zst").write_bytes((tmp_path / "sound.tar.zst").read_bytes()[:-9])
    code, found, errors = check(app, tmp_path / "cut.tar.zst")
    assert (code, found) == (1, [])
    assert "El respaldo no se puede usar" in errors


def test_fsck_repairs_no_backup(app: CancellationApp, tmp_path: Path) -> None:
    (tmp_path / "backup").write_bytes(b"")
    assert run(app, str(tmp_path / "backup"), "--repair")[0] == 2


def test_fsck_of_an_archive_compares_lines_documents_and_events(app: CancellationApp, tmp_path: Path) -> None:
    archive, period = app.container.get(archive_services).archive, DayPeriod(date(2026, 11, 1), date(2026, 11, 30))
    archive.export("sound", period, storage_of(str(tmp_path)))
    assert check(app, tmp_path / "sound")[:2] == (0, [])
    with changed(app.container, STAMP, STAMP.c.total, "1.00"), changed(app.container, STAMP, STAMP.c.cfdi, b"x", 2):
        archive.export("changed", period, storage_of(str(tmp_path)))
    code, found, _ = check(app, tmp_path / "changed")
    assert (code, sorted((line[0], line[3]) for line in found)) == (
        1,
        [("column-differs", "total"), ("document-damaged", "cfdi")],
    )
    with changed(app.container, STAMP, STAMP.c.stamped_at, 0):
        archive.export("lost", period, storage_of(str(tmp_path)))
    assert [(line[0], line[3]) for line in check(app, tmp_path / "lost")[1]] == [("stamp-missing", "subject")]
    with (tmp_path / "sound" / "data" / "documents.csv").open("ab") as file:
        file.write(b"\n")
    assert [line[0] for line in check(app, tmp_path / "sound")[1]] == ["archive-differs"]


def test_fsck_of_another_data_folder_checks_it(app: CancellationApp, tmp_path: Path) -> None:
    shutil.copytree(app.container.settings.data, tmp_path / "copy")
    assert check(app, tmp_path / "copy")[:2] == (0, [])
