"""Opening a database, its transactions and its revisions."""

from __future__ import annotations

import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import func, insert, select, text
from sqlalchemy.exc import IntegrityError, OperationalError, ProgrammingError
from tests.store.databases import sqlite_url

from timbra.errors import ServiceError
from timbra.store.database import Database, open_database
from timbra.store.engines import BEGIN
from timbra.store.tables.core import IDENTITY

OPEN = "import sys; from timbra.store.database import open_database; open_database(sys.argv[1], 'sandbox').close()"


@pytest.fixture
def other(address: str, database: Database) -> Iterator[Database]:
    """The same database as another process has it."""
    opened = open_database(address, "sandbox")
    yield opened
    opened.close()


def put(database: Database, name: str) -> None:
    with database.write() as connection:
        connection.execute(insert(IDENTITY).values(name=name, value=""))


def names(database: Database) -> set[str]:
    with database.read() as connection:
        return set(connection.execute(select(IDENTITY.c.name)).scalars()) - {"environment"}


def fail_after_writing(database: Database) -> None:
    with database.write() as connection:
        connection.execute(insert(IDENTITY).values(name="lost", value=""))
        database.bump(connection, "area")
        raise KeyError("lost")


def test_a_write_is_seen_by_others_after_its_end(database: Database, other: Database) -> None:
    with database.write() as connection:
        connection.execute(insert(IDENTITY).values(name="a", value=""))
        assert names(other) == set()
    assert names(other) == {"a"}


def test_an_exception_undoes_a_write_and_its_revision(database: Database, other: Database) -> None:
    with pytest.raises(KeyError):
        fail_after_writing(database)
    other.poll()
    assert names(other) == set()
    assert database.revision("area") == other.revision("area") == 0


def test_a_read_on_sqlite_sees_one_state(sqlite_address: str) -> None:
    database, other = open_database(sqlite_address), open_database(sqlite_address)
    with database.read() as connection:
        assert connection.execute(select(func.count()).select_from(IDENTITY)).scalar_one() == 0
        put(other, "a")
        assert connection.execute(select(func.count()).select_from(IDENTITY)).scalar_one() == 0
    database.close()
    other.close()


def test_a_broken_constraint_stays_what_it_is(database: Database) -> None:
    put(database, "a")
    with pytest.raises(IntegrityError):
        put(database, "a")


def test_a_mistaken_statement_stays_what_it_is(database: Database) -> None:
    with pytest.raises((OperationalError, ProgrammingError)), database.read() as connection:
        connection.execute(text("SELECT nothing FROM nowhere"))


def test_an_own_change_is_known_at_once_and_a_foreign_one_after_a_poll(database: Database, other: Database) -> None:
    assert database.revision("area") == 0
    for wanted in (1, 2):
        with database.write() as connection:
            database.bump(connection, "area")
        assert database.revision("area") == wanted
        assert other.revision("area") == wanted - 1
        other.poll()
        assert other.revision("area") == wanted
    assert other.revision("another") == 0


def test_a_poll_without_changes_keeps_what_is_known(database: Database) -> None:
    with database.write() as connection:
        database.bump(connection, "area")
    for _ in range(3):
        database.poll()
        assert database.revision("area") == 1


def test_an_opened_database_knows_its_revisions(address: str, database: Database) -> None:
    with database.write() as connection:
        database.bump(connection, "area")
    fresh = open_database(address)
    assert fresh.revision("area") == 1
    fresh.close()


def test_a_database_belongs_to_one_environment(address: str, database: Database) -> None:
    assert database.environment == "sandbox"
    with pytest.raises(ServiceError, match="sandbox"):
        open_database(address, "production")
    again = open_database(address, "sandbox")
    again.close()


def test_several_processes_open_a_new_database_at_once(empty_address: str) -> None:
    processes = [
        subprocess.Popen([sys.executable, "-W", "error", "-c", OPEN, empty_address], stderr=subprocess.PIPE, text=True)
        for _ in range(4)
    ]
    errors = [process.communicate(timeout=60)[1] for process in processes]
    assert [process.returncode for process in processes] == [0] * 4, errors


def test_opening_an_up_to_date_database_does_not_import_alembic(address: str) -> None:
    code = f"{OPEN}; sys.exit('alembic' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code, address], check=False, timeout=60).returncode == 0


def test_sqlite_is_durable_and_checks_foreign_keys(sqlite_address: str) -> None:
    database = open_database(sqlite_address)
    with database.read() as connection:
        settings = [
            connection.exec_driver_sql(f"PRAGMA {name}").scalar_one()
            for name in ("journal_mode", "synchronous", "foreign_keys")
        ]
    database.close()
    assert settings == ["wal", 2, 1]


def test_sqlite_writers_wait_for_each_other(sqlite_address: str) -> None:
    count = (
        "import sys; from sqlalchemy import text; from timbra.store.database import open_database\n"
        "database = open_database(sys.argv[1])\n"
        "for _ in range(50):\n"
        "    with database.write() as connection:\n"
        '        connection.execute(text("SELECT number FROM revision")).all()\n'
        "        database.bump(connection, 'area')\n"
        "database.close()\n"
    )
    processes = [subprocess.Popen([sys.executable, "-c", count, sqlite_address]) for _ in range(3)]
    assert [process.wait(timeout=60) for process in processes] == [0] * 3
    database = open_database(sqlite_address)
    assert database.revision("area") == 150
    database.close()


def test_the_sqlite_file_is_its_owners_alone(tmp_path: Path) -> None:
    open_database(sqlite_url(tmp_path)).close()
    assert stat.S_IMODE((tmp_path / "timbra.db").stat().st_mode) == 0o600


def test_a_readers_transaction_takes_no_write_lock(sqlite_address: str) -> None:
    database = open_database(sqlite_address)
    with database.read() as connection:
        assert BEGIN not in connection.get_execution_options()
        put(database, "a")
    database.close()


@pytest.mark.parametrize(
    "url",
    [
        "",
        "nonsense",
        "sqlite://",
        "sqlite:///:memory:",
        "mysql://user:secreto@127.0.0.1/x",
        "nosuch+driver://user:secreto@127.0.0.1/x",
        "postgresql://user:secreto@127.0.0.1:1/x",
    ],
)
def test_a_useless_address_is_told_without_its_password(url: str) -> None:
    with pytest.raises(ServiceError) as refusal:
        open_database(url)
    assert refusal.value.code == "CO1000"
    assert refusal.value.detail
    assert "secreto" not in str(refusal.value)


def test_a_file_that_is_no_database_is_told(tmp_path: Path) -> None:
    (tmp_path / "timbra.db").write_bytes(b"not a database" * 1000)
    with pytest.raises(ServiceError, match="CO1000"):
        open_database(sqlite_url(tmp_path))
