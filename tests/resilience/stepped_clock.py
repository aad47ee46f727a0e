"""`timbra` with a wall clock that a test can step: the file of TIMBRA_TEST_WALL has seconds to add.

Batches of signatures have faults when `faulty_batches.FOLDER` is set.
"""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

from tests.resilience import faulty_batches

from timbra.cli.main import run
from timbra.core import clock

VARIABLE = "TIMBRA_TEST_WALL"


class SteppedClock:
    """The machine's clock plus the seconds in the file."""

    def now(self) -> datetime:
        seconds = float(Path(os.environ[VARIABLE]).read_text() or 0)
        return datetime.now(UTC) + timedelta(seconds=seconds)


def step(path: Path, seconds: float) -> None:
    """Step the wall clock of all workers of every server that reads this file."""
    fresh = path.with_suffix(".new")
    fresh.write_text(str(seconds))
    fresh.replace(path)


if __name__ == "__main__":
    clock.WallClock.now = SteppedClock.now  # type: ignore[assignment,method-assign]
    if faulty_batches.FOLDER in os.environ:
        faulty_batches.install()
    run()
