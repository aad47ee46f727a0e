"""`timbra` with the stepped clock of drills, and faults in batches of signatures with `faulty_batches.FOLDER`."""

from __future__ import annotations

import os

from tests.resilience import faulty_batches

from timbra.cli.main import run
from timbra.drill.stepped_clock import install, step

__all__ = ["VARIABLE", "step"]

VARIABLE = "DRILL_WALL_CLOCK"

if __name__ == "__main__":
    install()
    if faulty_batches.FOLDER in os.environ:
        faulty_batches.install()
    run()
