"""Turns among the processes that open a PKCS#11 token."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO

LONGEST_WAIT = 2.0
POLL = 0.005


@contextmanager
def one_at_a_time(module: Path) -> Iterator[None]:
    """Enter alone among the processes that open tokens of the module, or after `LONGEST_WAIT` seconds all the same.

    SoftHSM writes the token at each login and shows others a token half written. The module's own file is what is
    locked: nothing is created. A module that is no readable file (a bare name for the loader) is not waited for.
    """
    with ExitStack() as stack:
        if module.is_file() and os.access(module, os.R_OK):
            _wait_for(stack.enter_context(module.open("rb")))
        yield


def _wait_for(file: IO[bytes]) -> None:
    end = time.monotonic() + LONGEST_WAIT
    while not _locked(file) and time.monotonic() < end:
        time.sleep(POLL)


if sys.platform == "win32":

    def _locked(file: IO[bytes]) -> bool:
        return not file.closed

else:
    import fcntl

    def _locked(file: IO[bytes]) -> bool:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True
