"""Guard against database calls in the thread of a running event loop, where they would block other requests."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from enum import Enum, StrEnum


class Allowed(StrEnum):
    """Every database call that may run in the thread of the event loop, with the reason."""

    FIRST_USE = "A service that is built at first use: a server builds its services before it serves requests."
    STAMP_COMMIT = "A batch of stamps on SQLite: a thread would cost a fifth of the throughput (decision 0004)."


class DatabaseOnEventLoopError(RuntimeError):
    """A database call was rejected because it would block a running event loop."""


class _Mode(Enum):
    UNCHECKED = "unchecked"
    FORBIDDEN = "forbidden"
    ALLOWED = "allowed"


_default = _Mode.UNCHECKED
_mode: ContextVar[_Mode | None] = ContextVar("database_on_event_loop", default=None)


def forbid_on_event_loop() -> None:
    """Reject, in this process from now on, database calls on an event loop that `Allowed` does not list. For tests.

    Without it such a call makes the loop wait.
    """
    global _default
    _default = _Mode.FORBIDDEN


@contextmanager
def allowed_on_event_loop(_reason: Allowed) -> Iterator[None]:
    """Allow database calls on the event loop within the block."""
    token = _mode.set(_Mode.ALLOWED)
    try:
        yield
    finally:
        _mode.reset(token)


def require_thread() -> None:
    """Check a database call before it runs.

    Raises:
        DatabaseOnEventLoopError: The call would block the event loop, and this process or block forbids that.
    """
    mode = _mode.get() or _default
    if mode is _Mode.FORBIDDEN and is_on_event_loop():
        raise DatabaseOnEventLoopError("A database call on the event loop: run it in a thread.")


def is_on_event_loop() -> bool:
    """Whether this thread runs an event loop."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True
