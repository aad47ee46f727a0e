"""`timbra` with a wall clock that a drill steps: the file of DRILL_WALL_CLOCK has the seconds to add.

Only for rehearsals and sandboxes: `python -m timbra.drill.stepped_clock serve ...`.
"""

from __future__ import annotations

import os
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

from timbra.core import clock

VARIABLE = "DRILL_WALL_CLOCK"
ENVIRONMENTS = ("sandbox", "rehearsal")


class FileSteppedClock:
    """The machine's clock plus the seconds in the file."""

    def now(self) -> datetime:
        seconds = float(Path(os.environ[VARIABLE]).read_text() or 0)
        return datetime.now(UTC) + timedelta(seconds=seconds)


def step(path: Path, seconds: float) -> None:
    """Step the wall clock of all workers of every server that reads this file."""
    fresh = path.with_suffix(".new")
    fresh.write_text(str(seconds))
    fresh.replace(path)


def install() -> None:
    """Replace the wall clock of this process and of those that it starts."""
    if os.environ.get("TIMBRA_ENVIRONMENT", ENVIRONMENTS[0]) not in ENVIRONMENTS:
        sys.exit("The clock of a production server is not stepped.")
    clock.WallClock.now = FileSteppedClock.now  # type: ignore[assignment,method-assign]


if __name__ == "__main__":
    from timbra.cli.main import run

    install()
    run()
