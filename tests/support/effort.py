"""The amount of work of expensive tests: little in the suite, much in `make test-long`."""

from __future__ import annotations

import os

LONG = os.environ.get("TIMBRA_TEST_LONG") == "1"


def rounds(quick: int, long: int) -> int:
    """Return the number of rounds: `long` when TIMBRA_TEST_LONG=1, else `quick`."""
    return long if LONG else quick
