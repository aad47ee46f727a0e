"""The checkpoint of SQLite runs off the request path and bounds the log."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.support.store_records import MovableClock, claim

from timbra.database import database as database_module
from timbra.database.database import Database, open_database
from timbra.database.engines import detached
from timbra.stamps.repository import DatabaseStamps


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


def test_checkpoint_restarts_the_longest_log_itself(sqlite_address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database_module, "LONGEST_LOG_PAGES", 10)
    assert modes_after_a_fill(sqlite_address, left=1) == ["PASSIVE", "RESTART"]


def test_checkpoint_makes_no_writer_wait_for_a_long_reader(
    sqlite_address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database_module, "LONG_LOG_PAGES", 10)
    monkeypatch.setattr(database_module, "LONGEST_LOG_PAGES", 10)
    assert set(modes_after_a_fill(sqlite_address, left=20)) == {"PASSIVE"}


def modes_after_a_fill(address: str, left: int) -> list[str]:
    """Return the modes of the checkpoints that one call makes, each of which leaves so many pages."""
    database = open_database(address)
    stamps = DatabaseStamps(database, MovableClock())
    cleaner = IncompleteCleaner(database, left)
    fill(stamps, 0)
    database._move_log(cleaner)  # type: ignore[arg-type]
    stamps.close()
    cleaner.connection.close()
    database.close()
    return cleaner.modes


class IncompleteCleaner:
    """A connection for checkpoints, with its cursor; it reports pages that a commit or a reader would leave."""

    def __init__(self, database: Database, left: int) -> None:
        self.connection = detached(database.engine)
        self._cursor = self.connection.cursor()
        self._left = left
        self.modes: list[str] = []

    def cursor(self) -> IncompleteCleaner:
        return self

    def execute(self, statement: str) -> None:
        self.modes.append(statement.partition("(")[2].rstrip(")"))
        self._cursor.execute(statement)

    def fetchone(self) -> tuple[int, int, int]:
        busy, logged, moved = self._cursor.fetchone() or (0, 0, 0)
        return busy, logged, moved - self._left

    def close(self) -> None:
        self._cursor.close()


def test_checkpoint_does_nothing_on_postgresql(postgresql_address: str) -> None:
    database: Database = open_database(postgresql_address)
    database.checkpoint()
    database.close()
