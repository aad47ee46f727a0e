"""The code of a rejection, for property tests over any input."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from timbra.core.errors import ServiceError

T = TypeVar("T")


def outcome(work: Callable[[], T]) -> tuple[T | None, str | None]:
    """Return the result and None, or None and the code of the rejection. Other exceptions propagate."""
    try:
        return work(), None
    except ServiceError as rejected:
        return None, rejected.code
