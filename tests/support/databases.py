"""Databases for tests; each is a copy of a template that is migrated once in each process.

PostgreSQL is a server of the process that runs the tests, which does not wait for the disk. Without the programs of a
server it is the one that listens at the usual port; TIMBRA_TEST_POSTGRESQL names another.
"""

from __future__ import annotations

import atexit
import os
import shutil
import socket
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from uuid import uuid4

from sqlalchemy import create_engine, text
from tests.support.postgresql_cluster import can_start, cluster
from tests.support.requirements import need

from timbra.database.database import open_database

USUAL_SERVER = "postgresql+psycopg://postgres@127.0.0.1:5432"
NO_DISK = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off", "max_connections": "200"}


@cache
def server() -> str:
    """Return the address of the PostgreSQL server, without a database."""
    named = os.environ.get("TIMBRA_TEST_POSTGRESQL")
    if named or not can_start():
        return named or USUAL_SERVER
    stack = ExitStack()
    started = stack.enter_context(cluster(settings=NO_DISK))
    atexit.register(stack.close)
    return f"postgresql+psycopg://postgres@127.0.0.1:{started.port}"


def sqlite_url(folder: Path) -> str:
    return f"sqlite:///{folder / 'timbra.db'}"


def need_postgresql() -> None:
    """Skip the test when no PostgreSQL listens, or fail it where PostgreSQL is required."""
    host, _, port = server().rpartition("@")[2].partition(":")
    try:
        socket.create_connection((host, int(port or 5432)), timeout=1).close()
        listens = True
    except OSError:
        listens = False
    need("postgresql", listens, "no server listens")


def administer(statement: str) -> None:
    engine = create_engine(f"{server()}/postgres", isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.execute(text(statement))
    engine.dispose()


@contextmanager
def postgresql_database(template: str = "template1") -> Iterator[str]:
    """The address of a new database, dropped at the end with its open connections."""
    name = f"timbra_test_{uuid4().hex}"
    administer(f"CREATE DATABASE {name} TEMPLATE {template}")
    try:
        yield f"{server()}/{name}"
    finally:
        administer(f"DROP DATABASE {name} WITH (FORCE)")


@contextmanager
def migrated_postgresql() -> Iterator[str]:
    """The name of a migrated database to copy from."""
    with postgresql_database() as url:
        open_database(url).close()
        yield url.rpartition("/")[2]


def migrated_sqlite(folder: Path) -> Path:
    open_database(sqlite_url(folder)).close()
    return folder / "timbra.db"


def copy_sqlite(template: Path, folder: Path) -> str:
    shutil.copyfile(template, folder / "timbra.db")
    return sqlite_url(folder)


_migrating = threading.Lock()


@cache
def _empty_sqlite() -> bytes:
    with TemporaryDirectory() as folder:
        return migrated_sqlite(Path(folder)).read_bytes()


def prepare_sqlite(folder: Path) -> None:
    """Put a migrated, empty database into a data folder that has none; to migrate takes longer than to copy.

    Threads may prepare one folder at the same time: the file appears complete, and one of them makes it.
    """
    file = folder / "timbra.db"
    if file.exists():
        return
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    with _migrating:
        content = _empty_sqlite()
    complete = folder / f"timbra.db.{uuid4()}"
    complete.write_bytes(content)
    with suppress(FileExistsError):
        os.link(complete, file)
    complete.unlink()
