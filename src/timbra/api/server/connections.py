"""The connections of one worker within their limit: which of them ends when there is no room for a new one.

The limit counts connections with a request in progress, and idle ones. Beyond it some more are held for a moment
(`SURPLUS`), so that the head of their request is read: a probe is always answered, anything else takes the place of a
request whose body is slow to come, or is rejected.
"""

from __future__ import annotations

from itertools import chain
from typing import Generic, Protocol, TypeVar

from starlette.types import Scope

SURPLUS = 256
"""Connections beyond the limit: those whose head is awaited, and those that are being told that there is no room."""
IDLE_GRACE_SECONDS = 1.0
"""Time for a request head before an idle connection may be closed to keep the limit."""
SLOW_BODY_SECONDS = 5.0
"""Time for the body of an authenticated request before another request may take its place; others have none."""
AUTHENTICATED = "timbra.authenticated"


def mark_authenticated(scope: Scope) -> None:
    """Notes for the server that the caller of this request is known."""
    scope.setdefault("state", {})[AUTHENTICATED] = True


class Connection(Protocol):
    """What can end to make room."""

    @property
    def is_authenticated(self) -> bool:
        """Whether the caller of the request in progress is known."""

    def evict_idle(self) -> None:
        """Ends a connection without a request in progress."""

    def drop_request(self) -> None:
        """Ends a request whose body is still awaited, with an answer that says why."""

    def cut_off(self) -> None:
        """Breaks the connection at once."""


C = TypeVar("C", bound=Connection)


class Slots(Generic[C]):
    """Every connection is in one group: idle, active, or closing. All times are those of the event loop, in seconds.

    idle: without a request in progress, since when. active: with one. receiving: the active ones whose body is still
    awaited, since when. closing: those that were rejected and are read on, so that the client gets the answer.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._idle: dict[C, float] = {}
        self._active: set[C] = set()
        self._receiving: dict[C, float] = {}
        self._closing: dict[C, None] = {}

    def opened(self, connection: C, now: float) -> None:
        """Takes in a new connection; ends the ones idle longest beyond the limit, or any one beyond the surplus."""
        self._idle[connection] = now
        while len(self._idle) + len(self._active) > self._limit:
            oldest, since = next(iter(self._idle.items()))
            if oldest is connection or now - since < IDLE_GRACE_SECONDS:
                break
            del self._idle[oldest]
            oldest.evict_idle()
        if len(self._idle) + len(self._active) + len(self._closing) > self._limit + SURPLUS:
            self._cut_one_off()

    def request_begins(self, connection: C, now: float, *, always: bool) -> bool:
        """Whether the request of an idle connection is served. always: even when there is no room."""
        if len(self._active) >= self._limit and not always:
            slow = self._slow_body(now)
            if slow is None:
                return False
            slow.drop_request()
        self._idle.pop(connection, None)
        self._active.add(connection)
        return True

    def body_awaited(self, connection: C, now: float) -> None:
        """The head of an active connection's request is read, its body is not."""
        if connection in self._active:
            self._receiving[connection] = now

    def body_complete(self, connection: C) -> None:
        self._receiving.pop(connection, None)

    def request_ended(self, connection: C, now: float) -> None:
        """The connection is idle."""
        if connection in self._active:
            self.closed(connection)
            self._idle[connection] = now

    def rejected(self, connection: C) -> None:
        """The connection is about to be closed."""
        self.closed(connection)
        self._closing[connection] = None

    def closed(self, connection: C) -> None:
        """The connection is in no group any more."""
        self._active.discard(connection)
        for group in (self._idle, self._receiving, self._closing):
            group.pop(connection, None)

    def _slow_body(self, now: float) -> C | None:
        """The active connection whose body is awaited longest, anonymous before authenticated."""
        for connection in self._receiving:
            if not connection.is_authenticated:
                return connection
        for connection, since in self._receiving.items():
            return connection if now - since >= SLOW_BODY_SECONDS else None
        return None

    def _cut_one_off(self) -> None:
        """The oldest of those that are closing, or else of those that are idle, the new one being the last of them."""
        oldest = next(chain(self._closing, self._idle))
        self.closed(oldest)
        oldest.cut_off()
