"""Damaged databases: no command accepts one, and a former archive stays until the new one is verified."""

from __future__ import annotations

import asyncio
import random
import sqlite3
from collections.abc import Callable
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import orjson
import pytest
from tests.support.effort import LONG
from tests.support.store_records import NOON, claim

from timbra.accounts.build import account_services
from timbra.app.composition import open_container
from timbra.backup import backup
from timbra.backup.backup import make_backup
from timbra.backup.protection import OpeningKeys
from timbra.backup.reading import read_archive, verify_archive
from timbra.backup.restore import restore
from timbra.cli.jobs import delivery_jobs
from timbra.core.clock import FixedClock
from timbra.core.errors import ServiceError
from timbra.database.build import opened_database
from timbra.database.sqlite_check import CheckStoppedError, file_problems
from timbra.operations.build import operations_services
from timbra.operations.integrity import DatabaseIntegrity
from timbra.operations.watches import database_integrity
from timbra.settings import Settings
from timbra.stamping.build import stamping_services

FILE = "integrity.json"

STAMPS = 40
PAGES = 1000 if LONG else 40


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with stamps, removed rows (free pages), and everything in the file of the database."""
    folder = tmp_path_factory.mktemp("sound") / "data"
    with open_container(Settings(data=folder)) as container:
        _ = container.get(account_services).accounts
        container.get(stamping_services).stamps.claim([claim(number) for number in range(STAMPS)])
    with closing(sqlite3.connect(folder / "timbra.db")) as connection:
        connection.execute("CREATE TABLE removed (content BLOB)")
        connection.executemany("INSERT INTO removed VALUES (?)", [(bytes(9000),) for _ in range(20)])
        connection.execute("DROP TABLE removed")
        connection.commit()
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return folder


def page_size(file: Path) -> int:
    return int.from_bytes(file.read_bytes()[16:18], "big")


def free_leaves(file: Path) -> set[int]:
    """Return the free pages whose content SQLite never reads, by the format of its files."""
    content, size = file.read_bytes(), page_size(file)
    free, trunk = set(), int.from_bytes(content[32:36], "big")
    while trunk:
        page = content[(trunk - 1) * size : trunk * size]
        count = int.from_bytes(page[4:8], "big")
        free |= {int.from_bytes(page[8 + 4 * index : 12 + 4 * index], "big") for index in range(count)}
        trunk = int.from_bytes(page[:4], "big")
    return free


def overwrite(file: Path, page: int, draw: random.Random) -> None:
    size = page_size(file)
    with file.open("r+b") as opened:
        opened.seek((page - 1) * size)
        opened.write(draw.randbytes(size))


def damaged(sound: Path, folder: Path, page: int) -> Path:
    folder.mkdir()
    (folder / "timbra.db").write_bytes((sound / "timbra.db").read_bytes())
    overwrite(folder / "timbra.db", page, random.Random(page))
    return folder / "timbra.db"


def test_file_problems_notices_every_overwritten_page_that_is_not_free(sound: Path, tmp_path: Path) -> None:
    file, draw = tmp_path / "timbra.db", random.Random(1)
    content = (sound / "timbra.db").read_bytes()
    file.write_bytes(content)
    count, free = len(content) // page_size(file), free_leaves(file)
    assert (file_problems(file), bool(free)) == ([], True)
    for page in draw.sample(range(1, count + 1), min(PAGES, count)):
        overwrite(file, page, draw)
        assert bool(file_problems(file)) is (page not in free), page
        file.write_bytes(content)


def test_file_problems_notices_a_truncated_and_a_foreign_file(sound: Path, tmp_path: Path) -> None:
    file = tmp_path / "timbra.db"
    file.write_bytes((sound / "timbra.db").read_bytes()[:-8192])
    assert file_problems(file)
    file.write_bytes(b"not a database " * 1000)
    assert file_problems(file) == ["SQLite: file is not a database"]


@pytest.mark.skipif(sqlite3.sqlite_version_info < (3, 41), reason="older SQLite checks to the end")
def test_file_problems_stops_on_request(sound: Path) -> None:
    with pytest.raises(CheckStoppedError):
        file_problems(sound / "timbra.db", lambda: True)


def used_page(sound: Path) -> int:
    """Return a page of the stamps, which neither the start nor the copy of a database reads."""
    with closing(sqlite3.connect(sound / "timbra.db")) as connection:
        return int(connection.execute("SELECT rootpage FROM sqlite_master WHERE name = 'stamp'").fetchone()[0])


def code_of(call: Callable[[], object]) -> str:
    with pytest.raises(ServiceError) as caught:
        call()
    return caught.value.code


def back_up(data: Path, archive: Path, verify: Callable[[Path], None] | None = None) -> None:
    with open_container(Settings(data=data)) as container:
        make_backup(
            data, container.get(opened_database), archive, None, NOON, verify=verify, replace=verify is not None
        )


def check(draft: Path) -> None:
    verify_archive(draft, OpeningKeys(), draft.parent)


def archive_of_damaged_database(sound: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return an archive with whole hashes of a damaged database, as programs without the check wrote them."""
    damaged(sound, tmp_path / "data", used_page(sound))
    with monkeypatch.context() as patch:
        patch.setattr(backup, "require_sound", lambda _: None)
        back_up(tmp_path / "data", tmp_path / "archive")
    assert read_archive(tmp_path / "archive", OpeningKeys()).manifest.database == "sqlite"
    return tmp_path / "archive"


def test_create_rejects_a_damaged_database_and_leaves_no_file(sound: Path, tmp_path: Path) -> None:
    damaged(sound, tmp_path / "data", used_page(sound))
    assert code_of(lambda: back_up(tmp_path / "data", tmp_path / "archive")) == "database-damaged"
    assert [path.name for path in tmp_path.iterdir()] == ["data"]


def test_verify_and_restore_reject_the_archive_of_a_damaged_database(
    sound: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    archive = archive_of_damaged_database(sound, tmp_path, monkeypatch)
    (tmp_path / "work").mkdir()
    assert code_of(lambda: verify_archive(archive, OpeningKeys(), tmp_path / "work")) == "database-damaged"
    assert list((tmp_path / "work").iterdir()) == []
    restored = tmp_path / "restored"
    assert code_of(lambda: restore(archive, restored, "sandbox", NOON)) == "database-damaged"
    assert list(restored.iterdir()) == []


def test_restore_of_a_damaged_database_keeps_the_present_folder(
    sound: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    archive = archive_of_damaged_database(sound, tmp_path, monkeypatch)
    present = tmp_path / "present"
    present.mkdir()
    (present / "kept").touch()
    assert code_of(lambda: restore(archive, present, "sandbox", NOON, force=True)) == "database-damaged"
    assert [path.name for path in present.iterdir()] == ["kept"]


def test_former_archive_stays_when_the_new_one_fails_and_is_replaced_when_it_is_verified(
    sound: Path, tmp_path: Path
) -> None:
    archive = tmp_path / "archives" / "archive"
    archive.parent.mkdir()
    back_up(sound, archive)
    first = archive.read_bytes()

    damaged(sound, tmp_path / "damaged", used_page(sound))
    assert code_of(lambda: back_up(tmp_path / "damaged", archive, check)) == "database-damaged"

    def fail(draft: Path) -> None:
        assert archive.read_bytes() == first
        check(draft)
        raise ServiceError("backup-damaged")

    assert code_of(lambda: back_up(sound, archive, fail)) == "backup-damaged"
    assert (archive.read_bytes(), [path.name for path in archive.parent.iterdir()]) == (first, ["archive"])

    with open_container(Settings(data=sound)) as container:
        container.get(stamping_services).stamps.claim([claim(STAMPS)])
    back_up(sound, archive, check)
    assert archive.read_bytes() != first
    check(archive)
    assert [path.name for path in archive.parent.iterdir()] == ["archive"]


@pytest.mark.parametrize("crash_after", range(3))
def test_a_verifiable_archive_exists_at_every_step_of_the_replacement(
    sound: Path, tmp_path: Path, crash_after: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    archive = tmp_path / "archive"
    back_up(sound, archive)
    renames = 0
    rename = backup._rename

    def crashing(source: Path, target: Path) -> None:
        nonlocal renames
        if renames == crash_after:
            raise KeyboardInterrupt
        renames += 1
        rename(source, target)

    with monkeypatch.context() as patch:
        patch.setattr(backup, "_rename", crashing)
        try:
            back_up(sound, archive, check)
        except KeyboardInterrupt:
            assert crash_after < 2
    whole = archive if archive.exists() else tmp_path / "archive.previous"
    check(whole)
    back_up(sound, archive, check)
    check(archive)


def integrity(file: Path | None, folder: Path, clock: FixedClock) -> DatabaseIntegrity:
    return DatabaseIntegrity(file, folder, clock, lambda: False)


def test_daily_check_reports_damage_until_a_later_check_finds_none(sound: Path, tmp_path: Path) -> None:
    file = damaged(sound, tmp_path / "data", used_page(sound))
    daily = integrity(file, file.parent, FixedClock(NOON))
    assert daily.problems() == ()
    daily.check_if_due()
    [problem] = daily.problems()
    assert problem.startswith(f"La base de datos está dañada (revisión del {NOON:%Y-%m-%dT%H:%M:%SZ}): SQLite: ")
    assert (file.parent / FILE).stat().st_mode & 0o777 == 0o600
    file.write_bytes((sound / "timbra.db").read_bytes())
    integrity(file, file.parent, FixedClock(NOON + timedelta(hours=23))).check_if_due()
    assert daily.problems() == (problem,)
    integrity(file, file.parent, FixedClock(NOON + timedelta(hours=24))).check_if_due()
    assert daily.problems() == ()


def test_daily_check_runs_after_the_clock_was_set_back_and_with_an_unreadable_result(
    sound: Path, tmp_path: Path
) -> None:
    file = damaged(sound, tmp_path / "data", used_page(sound))
    for content in (b'{"checked_at": "2126-01-01T00:00:00+00:00", "problems": []}', b"{", b"[]"):
        (file.parent / FILE).write_bytes(content)
        daily = integrity(file, file.parent, FixedClock(NOON))
        daily.check_if_due()
        assert len(daily.problems()) == 1


def test_daily_check_leaves_postgresql_alone(tmp_path: Path) -> None:
    daily = integrity(None, tmp_path, FixedClock(NOON))
    daily.check_if_due()
    assert (daily.problems(), list(tmp_path.iterdir())) == ((), [])


def test_readiness_names_the_damage_of_the_last_check(tmp_path: Path) -> None:
    with open_container(Settings(data=tmp_path)) as container:
        container.get(database_integrity).check_if_due()
        assert asyncio.run(container.get(operations_services).health_checks.warnings()) == []
        record = '{"checked_at": "2026-11-27T10:00:00+00:00", "problems": ["SQLite: x"]}'
        (tmp_path / FILE).write_text(record)
    with open_container(Settings(data=tmp_path)) as container:
        [warning] = asyncio.run(container.get(operations_services).health_checks.warnings())
    assert warning.startswith("La base de datos está dañada (revisión del 2026-11-27T10:00:00Z): SQLite: x.")


def test_delivery_process_runs_the_daily_check(tmp_path: Path) -> None:
    with open_container(Settings(data=tmp_path)) as container:
        [job] = [each for each in delivery_jobs(container) if each.name == "integrity"]
        asyncio.run(asyncio.to_thread(job.work))
    assert orjson.loads((tmp_path / FILE).read_bytes())["problems"] == []
