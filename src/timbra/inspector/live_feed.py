"""Notification of open live views of one worker: they sleep until calls were written, by any worker of any node.

Every batch of calls increments a cache version, which each worker reads with those of its caches anyway. A feed without
views compares two numbers; it has no timer and no query of its own.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from enum import StrEnum
from typing import Final

from timbra.core.errors import ServiceError

MAX_ACCOUNT_VIEWS: Final = 4
"""Live views of an account in one worker; one more ends the oldest."""
MAX_VIEWS: Final = 200
TOO_MANY: Final = "Hay demasiadas vistas en vivo abiertas; cierre alguna e intente de nuevo."


class EndReason(StrEnum):
    """Why the server ends a live view."""

    REPLACED = "replaced"
    STOPPING = "stopping"
    SESSION = "session"


class LiveView:
    """One open view; used on the event loop on which it was made."""

    def __init__(self, account_id: int) -> None:
        self.account_id = account_id
        self.ended: EndReason | None = None
        self._loop = asyncio.get_running_loop()
        self._changed = asyncio.Event()

    async def wait(self, seconds: float) -> bool:
        """Wait until calls were written or the view ends; return False when neither happened in time."""
        try:
            async with asyncio.timeout(seconds):
                await self._changed.wait()
        except TimeoutError:
            return False
        self._changed.clear()
        return True

    def wake(self) -> None:
        """End `wait`; for any thread."""
        self._loop.call_soon_threadsafe(self._changed.set)

    def end(self, reason: EndReason) -> None:
        """End the view; for the event loop."""
        self.ended = reason
        self._changed.set()


class LiveFeed:
    """The live views of one worker.

    Args:
        version: Returns the number of written batches as far as this process knows; None while it is unknown.
    """

    def __init__(self, version: Callable[[], int | None]) -> None:
        self._version = version
        self._seen: int | None = None
        self._views: list[LiveView] = []
        self._lock = threading.Lock()
        self._stopping = False

    @property
    def views(self) -> int:
        """Number of open views."""
        return len(self._views)

    def open(self, account_id: int) -> LiveView:
        """Open a view; the oldest one of an account with too many ends.

        Raises:
            ServiceError: "CO1000" with `retry_after` when the worker has too many views or is stopping.
        """
        with self._lock:
            own = [view for view in self._views if view.account_id == account_id and view.ended is None]
            if len(own) >= MAX_ACCOUNT_VIEWS:
                own[0].end(EndReason.REPLACED)
            elif len(self._views) >= MAX_VIEWS or self._stopping:
                raise ServiceError("CO1000", TOO_MANY, retry_after=5)
            view = LiveView(account_id)
            self._views.append(view)
        return view

    def close(self, view: LiveView) -> None:
        with self._lock:
            if view in self._views:
                self._views.remove(view)

    def notify(self) -> None:
        """Wake the views when calls were written since the last call of this method; for any thread."""
        version = self._version()
        if version == self._seen:
            return
        self._seen = version
        with self._lock:
            views = [*self._views]
        for view in views:
            view.wake()

    def stop(self) -> None:
        """End all views, because the worker stops; for the event loop."""
        with self._lock:
            self._stopping = True
            views = [*self._views]
        for view in views:
            view.end(EndReason.STOPPING)
