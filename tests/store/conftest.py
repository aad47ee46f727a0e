"""Every contract test of the store runs on SQLite and on PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.store.databases import (
    copy_sqlite,
    migrated_postgresql,
    migrated_sqlite,
    need_postgresql,
    postgresql_database,
)

from timbra.store.database.database import Database, open_database


@pytest.fixture(scope="session")
def sqlite_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return migrated_sqlite(tmp_path_factory.mktemp("template"))


@pytest.fixture(scope="session")
def postgresql_template() -> Iterator[str]:
    need_postgresql()
    with migrated_postgresql() as name:
        yield name


@pytest.fixture
def sqlite_address(sqlite_template: Path, tmp_path: Path) -> str:
    return copy_sqlite(sqlite_template, tmp_path)


@pytest.fixture
def postgresql_address(postgresql_template: str) -> Iterator[str]:
    with postgresql_database(postgresql_template) as url:
        yield url


@pytest.fixture(params=["sqlite", "postgresql"])
def address(request: pytest.FixtureRequest) -> str:
    """Return the address of a migrated, empty database."""
    return str(request.getfixturevalue(f"{request.param}_address"))


@pytest.fixture(params=["sqlite", "postgresql"])
def empty_address(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """Return the address of a database without tables."""
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path / 'new' / 'timbra.db'}"
        return
    need_postgresql()
    with postgresql_database() as url:
        yield url


@pytest.fixture
def database(address: str) -> Iterator[Database]:
    opened = open_database(address, "sandbox")
    yield opened
    opened.close()
