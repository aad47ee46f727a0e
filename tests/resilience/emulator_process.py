"""The emulator of drills, as a program of the tests."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from tests.emulator.emulator_support import PROVIDER
from tests.support.forked_program import Program, start

from timbra.drill.emulator_process import EmulatorProcess
from timbra.drill.emulator_process import emulator_process as process_of


def launch(arguments: Sequence[str]) -> Program:
    variables = {**os.environ, "TIMBRA_LOG_LEVEL": "error"}
    return start("tests.support.guarded", *arguments, environment=variables, stdout=subprocess.DEVNULL)


@contextmanager
def emulator_process(data: Path) -> Iterator[EmulatorProcess]:
    """Yield an emulator that is not started yet."""
    with process_of(data, PROVIDER, launch) as process:
        yield process
