"""Opening a database, its transactions and its cache versions."""

from __future__ import annotations

import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import Connection, event, func, insert, select, text
from sqlalchemy.exc import IntegrityError, OperationalError, ProgrammingError
from tests.support.databases import sqlite_url
from tests.support.effort import rounds
from tests.support.shared_results import durable_sqlite

from timbra.core.errors import ServiceError
from timbra.database.database import Database, open_database
from timbra.database.engines import BEGIN, REUSE_BYTES, detached
from timbra.database.tables.core import IDENTITY

PROCESSES = rounds(2, 4)
OPEN = "import sys; from timbra.database.database import open_database; open_database(sys.argv[1], 'sandbox').close()"


@pytest.fixture
def other(address: str, database: Database) -> Iterator[Database]:
    """Return the same database as opened by another process."""
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


def test_write_is_visible_to_others_after_its_commit(database: Database, other: Database) -> None:
    with database.write() as connection:
        connection.execute(insert(IDENTITY).values(name="a", value=""))
        assert names(other) == set()
    assert names(other) == {"a"}


def test_write_rolls_back_the_cache_version_on_an_exception(database: Database, other: Database) -> None:
    with pytest.raises(KeyError):
        fail_after_writing(database)
    other.poll()
    assert names(other) == set()
    assert database.cache_version("area") == other.cache_version("area") == 0


def test_read_sees_one_state_on_sqlite(sqlite_address: str) -> None:
    database, other = open_database(sqlite_address), open_database(sqlite_address)
    with database.read() as connection:
        assert connection.execute(select(func.count()).select_from(IDENTITY)).scalar_one() == 0
        put(other, "a")
        assert connection.execute(select(func.count()).select_from(IDENTITY)).scalar_one() == 0
    database.close()
    other.close()


def test_write_re_raises_an_integrity_error(database: Database) -> None:
    put(database, "a")
    with pytest.raises(IntegrityError):
        put(database, "a")


def test_read_re_raises_a_programming_error(database: Database) -> None:
    with pytest.raises((OperationalError, ProgrammingError)), database.read() as connection:
        connection.execute(text("SELECT nothing FROM nowhere"))


def test_cache_version_includes_a_foreign_change_after_a_poll(database: Database, other: Database) -> None:
    assert database.cache_version("area") == 0
    for wanted in (1, 2):
        with database.write() as connection:
            database.bump(connection, "area")
        assert database.cache_version("area") == wanted
        assert other.cache_version("area") == wanted - 1
        other.poll()
        assert other.cache_version("area") == wanted
    assert other.cache_version("another") == 0


def test_poll_keeps_the_cache_versions_when_nothing_changed(database: Database) -> None:
    with database.write() as connection:
        database.bump(connection, "area")
    for _ in range(3):
        database.poll()
        assert database.cache_version("area") == 1


@pytest.fixture
def process(address: str, tmp_path: Path) -> Iterator[Callable[[], Database]]:
    """Open the database as another process of the node."""
    opened: list[Database] = []

    def open_one() -> Database:
        opened.append(open_database(address, "sandbox", generation=tmp_path / "generation"))
        return opened[-1]

    yield open_one
    for one in opened:
        one.close()


def count_change(database: Database) -> None:
    with database.write() as connection:
        database.bump(connection, "area")


def test_cache_version_is_known_to_all_processes_of_a_node_when_the_write_ends(process: Callable[[], Database]) -> None:
    one, other = process(), process()
    for wanted in (1, 2, 3):
        count_change(one)
        assert (other.cache_version("area"), one.cache_version("area")) == (wanted, wanted)
    count_change(other)
    assert (one.cache_version("area"), other.cache_version("area")) == (4, 4)


def test_cache_version_needs_no_query_while_nothing_changes(process: Callable[[], Database]) -> None:
    one, other = process(), process()
    count_change(one)
    assert other.cache_version("area") == 1
    statements: list[str] = []
    event.listen(other.engine, "before_cursor_execute", lambda *given: statements.append(given[2]))
    put(one, "a")
    assert [other.cache_version("area") for _ in range(100)] == [1] * 100
    assert statements == []


def test_cache_version_is_not_known_to_others_after_a_rollback(process: Callable[[], Database]) -> None:
    one, other = process(), process()
    with pytest.raises(KeyError):
        fail_after_writing(one)
    assert other.cache_version("area") == 0


def test_cache_version_is_read_by_one_of_several_threads(process: Callable[[], Database]) -> None:
    one, other = process(), process()
    with ThreadPoolExecutor(8) as pool:
        for wanted in range(1, 21):
            count_change(one)
            assert set(pool.map(lambda _: other.cache_version("area"), range(8))) == {wanted}


def test_cache_version_is_known_after_a_poll_when_the_generation_file_was_lost(
    process: Callable[[], Database], tmp_path: Path
) -> None:
    one, other = process(), process()
    (tmp_path / "generation").unlink()
    count_change(one)
    other.poll()
    one.poll()
    assert other.cache_version("area") == 1
    count_change(one)
    assert other.cache_version("area") == 2


def test_open_database_reads_the_cache_versions(address: str, database: Database) -> None:
    with database.write() as connection:
        database.bump(connection, "area")
    fresh = open_database(address)
    assert fresh.cache_version("area") == 1
    fresh.close()


def test_open_database_rejects_another_environment(address: str, database: Database) -> None:
    assert database.environment == "sandbox"
    with pytest.raises(ServiceError, match="sandbox"):
        open_database(address, "production")
    again = open_database(address, "sandbox")
    again.close()


def test_open_database_migrates_once_in_several_processes(empty_address: str) -> None:
    processes = [
        subprocess.Popen([sys.executable, "-W", "error", "-c", OPEN, empty_address], stderr=subprocess.PIPE, text=True)
        for _ in range(PROCESSES)
    ]
    errors = [process.communicate(timeout=60)[1] for process in processes]
    assert [process.returncode for process in processes] == [0] * PROCESSES, errors


def test_open_database_does_not_import_alembic_when_up_to_date(address: str) -> None:
    code = f"{OPEN}; sys.exit('alembic' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code, address], check=False, timeout=60).returncode == 0


def test_sqlite_is_durable_and_checks_foreign_keys(sqlite_address: str) -> None:
    with durable_sqlite(), closing(open_database(sqlite_address)) as database, database.read() as connection:
        settings = [
            connection.exec_driver_sql(f"PRAGMA {name}").scalar_one()
            for name in ("journal_mode", "synchronous", "foreign_keys")
        ]
    assert settings == ["wal", 2, 1]


def test_write_waits_for_the_disk_unless_its_work_can_be_done_again(sqlite_address: str) -> None:
    def level(connection: Connection) -> int:
        found: int = connection.exec_driver_sql("PRAGMA synchronous").scalar_one()
        return found

    with durable_sqlite(), closing(open_database(sqlite_address)) as database:
        with database.write(durable=False) as connection:
            levels = [level(connection)]
        for _ in range(2):
            with database.write() as connection:
                levels.append(level(connection))
            with pytest.raises(KeyError), database.write(durable=False):
                raise KeyError
        held = detached(database.engine)
        levels += [row[0] for row in held.cursor().execute("PRAGMA synchronous").fetchall()]
        held.close()
    assert levels == [1, 2, 2, 2]


def test_sqlite_reuses_pages_of_its_caches_from_a_bound_of_the_process(sqlite_address: str) -> None:
    with closing(open_database(sqlite_address)) as database, database.read() as connection:
        assert connection.exec_driver_sql("PRAGMA soft_heap_limit").scalar_one() == REUSE_BYTES


def test_sqlite_writers_wait_for_each_other(sqlite_address: str) -> None:
    count = (
        "import sys; from sqlalchemy import text; from timbra.database.database import open_database\n"
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
    assert database.cache_version("area") == 150
    database.close()


def test_sqlite_file_has_mode_0600(tmp_path: Path) -> None:
    open_database(sqlite_url(tmp_path)).close()
    assert stat.S_IMODE((tmp_path / "timbra.db").stat().st_mode) == 0o600


def test_read_takes_no_write_lock(sqlite_address: str) -> None:
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
def test_open_database_hides_the_password_of_an_invalid_url(url: str) -> None:
    with pytest.raises(ServiceError) as rejection:
        open_database(url)
    assert rejection.value.code == "CO1000"
    assert rejection.value.detail
    assert "secreto" not in str(rejection.value)


def test_open_database_rejects_a_file_that_is_no_database(tmp_path: Path) -> None:
    (tmp_path / "timbra.db").write_bytes(b"not a database" * 1000)
    with pytest.raises(ServiceError, match="CO1000"):
        open_database(sqlite_url(tmp_path))
