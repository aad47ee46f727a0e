"""The check of the file of a SQLite database: the structure of every page that it uses."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from timbra.core.errors import ServiceError

MAX_PROBLEMS = 20
STEPS = 10_000
"""Instructions of SQLite between two questions whether to stop."""


class CheckStoppedError(Exception):
    """The check was stopped before its end."""


def file_problems(
    file: Path, must_stop: Callable[[], bool] = lambda: False, *, with_indexes: bool = False
) -> list[str]:
    """Return what SQLite finds wrong in a database that may be in use, in Spanish; empty for a sound file.

    Not noticed: other bytes inside a value, and anything in free pages.

    Args:
        must_stop: Asked meanwhile, by SQLite 3.41 and later.
        with_indexes: Whether every index is compared with its table too, in several times the time.

    Raises:
        CheckStoppedError: `must_stop` was true.
    """
    try:
        with closing(sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True)) as connection:
            connection.set_progress_handler(must_stop, STEPS)
            pragma = "integrity_check" if with_indexes else "quick_check"
            found = [str(line) for [line] in connection.execute(f"PRAGMA {pragma}({MAX_PROBLEMS})")]
    except sqlite3.DatabaseError as error:
        if error.sqlite_errorcode == sqlite3.SQLITE_INTERRUPT:
            raise CheckStoppedError from error
        found = [str(error)]
    lines = (line for text in found for line in text.splitlines())
    return [f"SQLite: {line}" for line in lines if line not in ("ok", "*** in database main ***")]


def require_sound(file: Path) -> None:
    """Check a database. Raises ServiceError: "database-damaged" with the first problem."""
    if problems := file_problems(file):
        raise ServiceError("database-damaged", problems[0])
