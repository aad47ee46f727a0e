"""Admission control of one worker's connections: which one is closed when a new one exceeds the limit.

The limit counts connections with a request in progress and idle ones. Up to `SURPLUS` connections beyond the limit are
accepted, so that the head of their request is read. A health check is then always answered; any other request evicts
the request whose body is slowest, or is rejected.
"""

from __future__ import annotations

from itertools import chain
from typing import Generic, Protocol, TypeVar

SURPLUS = 256
"""Connections beyond the limit: those whose request head is incomplete, and those that are sent a rejection."""
IDLE_GRACE_SECONDS = 1.0
"""Time for a request head before an idle connection may be evicted."""
SLOW_BODY_SECONDS = 5.0
"""Time for the body of an authenticated request before it may be evicted; anonymous requests have none."""


class Connection(Protocol):
    """A connection that can be closed to keep the limit."""

    @property
    def is_authenticated(self) -> bool:
        """Whether the caller of the request in progress is authenticated."""

    def evict_idle(self) -> None:
        """Close a connection without a request in progress."""

    def evict_request(self) -> None:
        """Reject a request whose body is incomplete, with an error response."""

    def abort(self) -> None:
        """Close the connection at once, without a response."""


C = TypeVar("C", bound=Connection)


class ConnectionTracker(Generic[C]):
    """The connections of one worker, each in one of three groups: idle, active or closing.

    - idle: without a request in progress, oldest first.
    - active: with a request in progress; those whose body is incomplete are also in `_receiving`, oldest first.
    - closing: rejected, and open for a moment longer, so that the client receives the response.

    Arguments named `now` are times of the event loop, in seconds.
    """

    def __init__(
        self,
        limit: int,
        *,
        idle_grace_seconds: float = IDLE_GRACE_SECONDS,
        slow_body_seconds: float = SLOW_BODY_SECONDS,
    ) -> None:
        """Track no connection yet.

        Args:
            limit: Idle and active connections.
            idle_grace_seconds: Time for a request head before an idle connection may be evicted.
            slow_body_seconds: Time for the body of an authenticated request before it may be evicted.
        """
        self._limit = limit
        self._idle_grace_seconds = idle_grace_seconds
        self._slow_body_seconds = slow_body_seconds
        self._idle: dict[C, float] = {}
        self._active: set[C] = set()
        self._receiving: dict[C, float] = {}
        self._closing: dict[C, None] = {}

    def add(self, connection: C, now: float) -> None:
        """Add a new connection as idle.

        Beyond the limit, the oldest idle connections are evicted after `idle_grace_seconds`. Beyond the surplus, the
        oldest closing connection is aborted, or else the oldest idle one.
        """
        self._idle[connection] = now
        while len(self._idle) + len(self._active) > self._limit:
            oldest, since = next(iter(self._idle.items()))
            if oldest is connection or now - since < self._idle_grace_seconds:
                break
            del self._idle[oldest]
            oldest.evict_idle()
        if len(self._idle) + len(self._active) + len(self._closing) > self._limit + SURPLUS:
            self._abort_oldest()

    def admit_request(self, connection: C, now: float, *, always: bool) -> bool:
        """Make an idle connection active, if the limit allows it or a slow request can be evicted.

        Args:
            connection: The connection whose request head was read.
            now: The current time.
            always: Admit the request in any case; for health checks.

        Returns:
            Whether the request is served.
        """
        if len(self._active) >= self._limit and not always:
            slow = self._slowest_body(now)
            if slow is None:
                return False
            slow.evict_request()
        self._idle.pop(connection, None)
        self._active.add(connection)
        return True

    def start_body(self, connection: C, now: float) -> None:
        """Record that the request body of an active connection is incomplete."""
        if connection in self._active:
            self._receiving[connection] = now

    def finish_body(self, connection: C) -> None:
        """Record that the request body is complete."""
        self._receiving.pop(connection, None)

    def finish_request(self, connection: C, now: float) -> None:
        """Make an active connection idle."""
        if connection in self._active:
            self.remove(connection)
            self._idle[connection] = now

    def start_closing(self, connection: C) -> None:
        """Move a rejected connection to the closing ones."""
        self.remove(connection)
        self._closing[connection] = None

    def remove(self, connection: C) -> None:
        """Remove a connection from all groups."""
        self._active.discard(connection)
        for group in (self._idle, self._receiving, self._closing):
            group.pop(connection, None)

    def _slowest_body(self, now: float) -> C | None:
        """Return the active connection whose body started first, anonymous before authenticated."""
        for connection in self._receiving:
            if not connection.is_authenticated:
                return connection
        for connection, since in self._receiving.items():
            return connection if now - since >= self._slow_body_seconds else None
        return None

    def _abort_oldest(self) -> None:
        """Abort the oldest closing connection, or else the oldest idle one, which may be the new one."""
        oldest = next(chain(self._closing, self._idle))
        self.remove(oldest)
        oldest.abort()
