"""A synchronization over a bulk download in memory."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.synchronizing import SyncTest

from timbra.database.database import Database, open_database


@pytest.fixture
def syncing(sqlite_address: str, tmp_path: Path) -> Iterator[SyncTest]:
    opened = open_database(sqlite_address, "sandbox")
    yield SyncTest(opened, tmp_path / "packages")
    opened.close()


@pytest.fixture
def syncing_in_both(database: Database, tmp_path: Path) -> SyncTest:
    """A synchronization in SQLite, and in PostgreSQL."""
    return SyncTest(database, tmp_path / "packages")
