"""The daily check of the database file; its result is in a file, because the database may be what is damaged."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from pathlib import Path

import orjson
import structlog

from timbra.core.clock import Clock
from timbra.database.sqlite_check import CheckStoppedError, file_problems

LOG = structlog.get_logger("timbra.integrity")
FILE = "integrity.json"
"""In the data folder; no part of a backup."""
PERIOD = timedelta(days=1)


class DatabaseIntegrity:
    """Checks the file of a SQLite database once a day, and knows the last result.

    Args:
        database: The file; None for another database than SQLite, which is not checked.
        folder: The data folder.
        wall: Wall time.
        must_stop: Asked during the check.
    """

    def __init__(self, database: Path | None, folder: Path, wall: Clock, must_stop: Callable[[], bool]) -> None:
        self._database = database
        self._file = folder / FILE
        self._wall = wall
        self._must_stop = must_stop

    def check_if_due(self) -> None:
        """Check the file when the last check is older than a day, and record and log the result; a periodic job."""
        now = self._wall.now()
        checked_at, _ = self._last()
        if self._database is None or (checked_at is not None and timedelta() <= now - checked_at < PERIOD):
            return
        try:
            problems = file_problems(self._database, self._must_stop)
        except CheckStoppedError:
            return  # The next start checks.
        if problems:
            LOG.error("database damaged", problems=problems)
        draft = self._file.with_name(f".{FILE}")
        draft.touch(mode=0o600)
        draft.write_bytes(orjson.dumps({"checked_at": now.isoformat(), "problems": problems}))
        draft.replace(self._file)

    def problems(self) -> Sequence[str]:
        """Return what the last check found, one Spanish sentence; empty when it found nothing."""
        checked_at, problems = self._last()
        if not problems or checked_at is None:
            return ()
        return (
            f"La base de datos está dañada (revisión del {checked_at:%Y-%m-%dT%H:%M:%SZ}): {problems[0]}. "
            "Detenga el servidor y restaure el último respaldo verificado.",
        )

    def _last(self) -> tuple[datetime | None, Sequence[str]]:
        """Return when the last check was and what it found; nothing when its file is missing or unreadable."""
        try:
            content = orjson.loads(self._file.read_bytes())
            return datetime.fromisoformat(content["checked_at"]), [str(each) for each in content["problems"]]
        except (OSError, ValueError, KeyError, TypeError):
            return None, ()
