"""The code of a rejection, for properties over any input."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from timbra.errors import ServiceError

T = TypeVar("T")


def outcome(work: Callable[[], T]) -> tuple[T | None, str | None]:
    """The result and no code, or no result and the code of the rejection. Any other exception goes on."""
    try:
        return work(), None
    except ServiceError as rejected:
        return None, rejected.code
