"""LISTEN/NOTIFY of PostgreSQL: a node reads the changes of other nodes at once instead of at its next poll."""

from __future__ import annotations

import logging
import selectors
import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from sqlalchemy import Engine

from timbra.core.errors import ServiceError
from timbra.database.engines import detached
from timbra.database.errors import failures_translated

log = logging.getLogger(__name__)

CHANNEL = "timbra_revision"
RETRY_SECONDS = 1.0
CLOSE_SECONDS = 5.0


class Listener:
    """A thread with a connection of its own that listens for notifications until `close`.

    While its connection is lost, changes are detected by the periodic poll.
    """

    def __init__(self, engine: Engine, on_notification: Callable[[], None]) -> None:
        """Start the thread.

        Args:
            on_notification: Called in the thread after each notification and after each reconnection.
        """
        self._engine = engine
        self._on_notification = on_notification
        self._closing = threading.Event()
        self._listening = True
        self._woken, self._wake = socket.socketpair()
        self._thread = threading.Thread(target=self._run, name="timbra-listener", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Stop the thread and close its connection; wait at most `CLOSE_SECONDS` for a server that does not respond."""
        self._closing.set()
        self._wake.close()
        self._thread.join(CLOSE_SECONDS)

    def _run(self) -> None:
        with self._woken:
            while not self._closing.is_set():
                try:
                    with failures_translated():
                        self._listen()
                except ServiceError as error:
                    self._report(error)
                except Exception:
                    log.exception("listening failed")
                self._closing.wait(RETRY_SECONDS)

    def _listen(self) -> None:
        """Listen until the listener is closed; raise the error that breaks the connection."""
        held = detached(self._engine)
        connection: Any = held.dbapi_connection
        try:
            connection.autocommit = True
            connection.execute(f"LISTEN {CHANNEL}")
            self._listening = True
            with selectors.DefaultSelector() as selector:
                selector.register(self._woken, selectors.EVENT_READ)
                selector.register(connection.fileno(), selectors.EVENT_READ)
                # What was committed before LISTEN took effect is not notified.
                self._on_notification()
                while not self._closing.is_set():
                    selector.select()
                    if list(connection.notifies(timeout=0)):
                        self._on_notification()
        finally:
            with suppress(Exception):
                connection.close()

    def _report(self, error: ServiceError) -> None:
        """Log each lost connection once."""
        if self._listening:
            log.warning("listening to the database was interrupted, polling goes on: %s", error.detail)
        self._listening = False
