"""A lock among the processes that open a PKCS#11 token."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO

from timbra.core.posix import try_lock

MAX_WAIT_SECONDS = 2.0
POLL_SECONDS = 0.005


@contextmanager
def hold_process_lock(module: Path) -> Iterator[None]:
    """Acquire the lock of a PKCS#11 module for the block; enter without it after `MAX_WAIT_SECONDS`.

    SoftHSM writes the token at each login, and other processes can read a partial token. The lock is on the module's
    file; no file is created. A module that is not a readable file (a bare name for the loader) is not locked.

    Args:
        module: The shared library of the token.
    """
    with ExitStack() as stack:
        if module.is_file() and os.access(module, os.R_OK):
            _wait_for_lock(stack.enter_context(module.open("rb")))
        yield


def _wait_for_lock(file: IO[bytes]) -> None:
    end = time.monotonic() + MAX_WAIT_SECONDS
    while not try_lock(file) and time.monotonic() < end:
        time.sleep(POLL_SECONDS)
