"""An online backup of a SQLite database."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from timbra.errors import ServiceError
from timbra.store.database.database import Database
from timbra.store.database.errors import failures_translated


def copy_database(database: Database, target: Path) -> None:
    """Copy the committed state to a new file while other processes write. SQLite only.

    The copy is one step of one snapshot: SQLite restarts a copy in several steps after each commit.

    Raises:
        ServiceError: "CO1000" when the disk is full or the database cannot be read.
    """
    source = database.engine.url.database
    if database.dialect != "sqlite" or source is None:
        raise ValueError("only SQLite is copied")
    target.touch(mode=0o600)
    with failures_translated(), closing(sqlite3.connect(source)) as whole, closing(sqlite3.connect(target)) as copy:
        whole.backup(copy, pages=-1)


def require_unused(file: Path) -> None:
    """ServiceError("restore-in-use") while any process has this SQLite database open."""
    try:
        with closing(sqlite3.connect(file, timeout=0, isolation_level=None)) as connection:
            # Leaving the write-ahead log needs the database for oneself; the next to open it brings the log back.
            connection.execute("PRAGMA journal_mode=DELETE")
    except sqlite3.OperationalError as error:
        raise ServiceError("restore-in-use") from error
    except sqlite3.DatabaseError:
        return  # damaged: that is what it is restored for
