"""Databases and accounts for these tests; `database` is SQLite, `any_database` is both kinds in turn."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import create_engine, text
from tests.accounts.support import ENVELOPE, MovableClock
from tests.support.databases import copy_sqlite, migrated_sqlite, need_postgresql, postgresql_database

from timbra.accounts.accounts import Accounts
from timbra.database.database import Database, open_database
from timbra.database.tables.accounts import (
    ACCOUNT,
    ACCOUNT_PROFILE,
    ACCOUNT_USER,
    APPROVAL,
    CSD,
    ENDED_SESSION,
    INFINITE_TOKEN,
    PASSKEY,
    PRINT_BRANDING,
    RECOVERY_CODE,
    SECRET,
    SIGN_IN_LINK,
    TOTP,
)
from timbra.database.tables.audit import AUDIT_TABLES
from timbra.database.tables.balances import BALANCE, BALANCE_ENTRY
from timbra.database.tables.core import CACHE_VERSION
from timbra.database.tables.logins import KNOWN_ORIGIN, LOGIN_LIMIT, NOTICE
from timbra.database.tables.stamps import EVENT


@pytest.fixture(scope="session")
def sqlite_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return migrated_sqlite(tmp_path_factory.mktemp("template"))


@pytest.fixture(scope="session")
def postgresql_server() -> Iterator[str]:
    need_postgresql()
    with postgresql_database() as url:
        open_database(url).close()
        yield url


@pytest.fixture
def sqlite_address(sqlite_template: Path, tmp_path: Path) -> str:
    return copy_sqlite(sqlite_template, tmp_path)


@pytest.fixture
def postgresql_address(postgresql_server: str) -> str:
    """One database for all tests, emptied before each, because creating one is slow."""
    engine = create_engine(postgresql_server)
    with engine.begin() as connection:
        for table in (
            APPROVAL,
            CSD,
            PASSKEY,
            TOTP,
            RECOVERY_CODE,
            SIGN_IN_LINK,
            INFINITE_TOKEN,
            ENDED_SESSION,
            SECRET,
            KNOWN_ORIGIN,
            LOGIN_LIMIT,
            NOTICE,
            PRINT_BRANDING,
            ACCOUNT_USER,
            ACCOUNT_PROFILE,
            BALANCE_ENTRY,
            BALANCE,
            ACCOUNT,
            EVENT,
            CACHE_VERSION,
        ):
            connection.execute(table.delete())
        for table in AUDIT_TABLES:
            connection.execute(text(f"ALTER TABLE {table.name} DISABLE TRIGGER USER"))
            connection.execute(table.delete())
            connection.execute(text(f"ALTER TABLE {table.name} ENABLE TRIGGER USER"))
        connection.execute(text("ALTER SEQUENCE account_id_seq RESTART"))
    engine.dispose()
    return postgresql_server


@pytest.fixture(params=["sqlite", "postgresql"])
def any_address(request: pytest.FixtureRequest) -> str:
    return str(request.getfixturevalue(f"{request.param}_address"))


@pytest.fixture
def any_database(any_address: str) -> Iterator[Database]:
    opened = open_database(any_address, "sandbox")
    yield opened
    opened.close()


@pytest.fixture
def database(sqlite_address: str) -> Iterator[Database]:
    opened = open_database(sqlite_address, "sandbox")
    yield opened
    opened.close()


@pytest.fixture
def wall() -> MovableClock:
    return MovableClock()


@pytest.fixture
def accounts(database: Database, wall: MovableClock) -> Iterator[Accounts]:
    opened = Accounts(database, ENVELOPE, "sandbox", wall, wall)
    yield opened
    opened.close()
