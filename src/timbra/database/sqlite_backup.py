"""An online backup of a SQLite database."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from timbra.core.errors import ServiceError
from timbra.database.database import Database
from timbra.database.errors import failures_translated


def copy_database(database: Database, target: Path) -> None:
    """Copy the committed state to a new file while other processes write. SQLite only.

    The copy is one step of one snapshot: SQLite restarts a copy in several steps after each commit.

    Args:
        database: The open database.
        target: The new file.

    Raises:
        ServiceError: "CO1000" when the disk is full or the database cannot be read.
        ValueError: The database is not SQLite.
    """
    source = database.engine.url.database
    if database.dialect != "sqlite" or source is None:
        raise ValueError("only SQLite is copied")
    target.touch(mode=0o600)
    with failures_translated(), closing(sqlite3.connect(source)) as whole, closing(sqlite3.connect(target)) as copy:
        whole.backup(copy, pages=-1)


def require_unused(file: Path) -> None:
    """Check that no process has this SQLite database open. Raises ServiceError: "restore-in-use"."""
    try:
        with closing(sqlite3.connect(file, timeout=0, isolation_level=None)) as connection:
            # A switch to another journal needs exclusive access; the next process to open the database restores WAL.
            connection.execute("PRAGMA journal_mode=DELETE")
    except sqlite3.OperationalError as error:
        raise ServiceError("restore-in-use") from error
    except sqlite3.DatabaseError:
        return  # a damaged database may be replaced
