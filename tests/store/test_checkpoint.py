"""The checkpoint of SQLite runs off the request path and bounds the log."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.store.records import MovableClock, claim

from timbra.store.database import database as database_module
from timbra.store.database.database import Database, open_database
from timbra.store.stamps.repository import DatabaseStamps


def fill(stamps: DatabaseStamps, start: int) -> None:
    stamps.claim([claim(number) for number in range(start, start + 200)])


def test_checkpoint_restarts_a_long_log(sqlite_address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database_module, "LONG_LOG_PAGES", 10)
    database = open_database(sqlite_address)
    stamps = DatabaseStamps(database, MovableClock())
    sizes = []
    for round_ in range(6):
        fill(stamps, round_ * 200)
        database.checkpoint()
        sizes.append((tmp_path / "timbra.db-wal").stat().st_size)
    assert sizes[-1] < 2 * sizes[1]
    assert len(stamps.page(None, limit=500).records) == 500
    stamps.close()
    database.close()


def test_checkpoint_moves_the_log_into_the_file(sqlite_address: str, tmp_path: Path) -> None:
    database = open_database(sqlite_address)
    stamps = DatabaseStamps(database, MovableClock())
    before = (tmp_path / "timbra.db").stat().st_size
    fill(stamps, 0)
    assert (tmp_path / "timbra.db").stat().st_size == before
    database.checkpoint()
    assert (tmp_path / "timbra.db").stat().st_size > before
    stamps.close()
    database.close()


def test_checkpoint_succeeds_while_a_reader_is_open(sqlite_address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    database = open_database(sqlite_address)
    stamps = DatabaseStamps(database, MovableClock())
    with database.read() as connection:
        connection.exec_driver_sql("SELECT count(*) FROM stamp").all()
        fill(stamps, 0)
        database.checkpoint()
    assert len(stamps.page(None, limit=500).records) == 200
    stamps.close()
    database.close()


def test_checkpoint_does_nothing_on_postgresql(postgresql_address: str) -> None:
    database: Database = open_database(postgresql_address)
    database.checkpoint()
    database.close()
