"""Waiting until a condition holds. The deadline is generous: only a test that fails takes this long."""

from __future__ import annotations

import time
from collections.abc import Callable

DEADLINE_SECONDS = 60
POLL_SECONDS = 0.01


def wait_until(holds: Callable[[], bool]) -> None:
    """Wait until a condition holds; AssertionError after `DEADLINE_SECONDS`."""
    deadline = time.monotonic() + DEADLINE_SECONDS
    while not holds():
        assert time.monotonic() < deadline, "the condition does not hold in time"
        time.sleep(POLL_SECONDS)
