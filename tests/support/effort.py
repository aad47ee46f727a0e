"""The amount of work of expensive tests: little in the suite, much in `make test-long`."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")
LONG = os.environ.get("TIMBRA_TEST_LONG") == "1"


def cases(quick: Sequence[T], long: Sequence[T]) -> Sequence[T]:
    """Return the parameters of a test: `long` when TIMBRA_TEST_LONG=1, else `quick`."""
    return long if LONG else quick


def rounds(quick: int, long: int) -> int:
    """Return the number of rounds: `long` when TIMBRA_TEST_LONG=1, else `quick`."""
    return long if LONG else quick
