"""`timbra` with a wall clock that a test may step: the file that TIMBRA_TEST_WALL names holds seconds to add."""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

from timbra import clock
from timbra.cli.main import run

VARIABLE = "TIMBRA_TEST_WALL"


class SteppedClock:
    """The machine's clock and what the file says now."""

    def now(self) -> datetime:
        seconds = float(Path(os.environ[VARIABLE]).read_text() or 0)
        return datetime.now(UTC) + timedelta(seconds=seconds)


def step(path: Path, seconds: float) -> None:
    """Steps the wall clock of every server that reads this file, at once and for all of its workers."""
    fresh = path.with_suffix(".new")
    fresh.write_text(str(seconds))
    fresh.replace(path)


if __name__ == "__main__":
    clock.WallClock.now = SteppedClock.now  # type: ignore[assignment,method-assign]
    run()
