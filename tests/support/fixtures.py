"""Fixtures of the whole suite: databases, a sandbox, its portal, and a server."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.support.browser import Visitor
from tests.support.databases import (
    copy_sqlite,
    migrated_postgresql,
    migrated_sqlite,
    need_postgresql,
    postgresql_database,
)
from tests.support.sandbox_app import SandboxApp
from tests.support.server_fixtures import Server, serving

import timbra.cli.main  # noqa: F401  names the composition root, which commands open
from timbra.database.database import Database, open_database

if TYPE_CHECKING:
    from playwright.sync_api import Browser


@pytest.fixture(scope="session", autouse=True)
def _unchanged_logging() -> Iterator[None]:
    """Commands that run in the process of the tests must not configure its logging, with their own standard error."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("timbra.web.server.log_output.configure", lambda *_: None)
        yield


@pytest.fixture
def sandbox_app(tmp_path: Path) -> Iterator[SandboxApp]:
    made = SandboxApp(tmp_path / "data")
    yield made
    made.container.close()


@pytest.fixture(scope="module")
def module_sandbox_app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SandboxApp]:
    """One sandbox for the tests of a module, which do not depend on what the others store."""
    made = SandboxApp(tmp_path_factory.mktemp("sandbox") / "data")
    yield made
    made.container.close()


@pytest.fixture
def visitor(sandbox_app: SandboxApp) -> Visitor:
    return Visitor(sandbox_app)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A headless browser for the tests of a module."""
    from tests.support.chromium import chromium  # most modules need no browser

    with chromium() as opened:
        yield opened


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    with serving() as running:
        yield running


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
