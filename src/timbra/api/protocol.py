"""HTTP/1 as uvicorn reads it, with the tolerance and the bounds that it leaves to its user.

- Bytes that follow a request and are no HTTP (a client which counts Content-Length in characters sends them) do not
  take the answer of that request away.
- A client that closes its sending side still gets its answer; a body cut short that way is judged as it came.
- A request head has a longest time and a largest size. What cannot be read as HTTP is told in the envelope.
"""

from __future__ import annotations

from asyncio import TimerHandle, Transport

import orjson
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

from timbra.api.errors import envelope, status_of
from timbra.api.exchange import JSON
from timbra.api.faults import HANG_UP
from timbra.errors import ServiceError

HEAD_SECONDS = 30.0
MAX_HEAD_BYTES = 64 * 1024


class TolerantProtocol(HttpToolsProtocol):
    """One connection."""

    _head_timer: TimerHandle | None = None
    _head_bytes = 0
    _reading_head = False
    _unreadable = False

    def connection_made(self, transport: Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._arm_head_timer()

    def connection_lost(self, exc: Exception | None) -> None:
        self._disarm_head_timer()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self._unreadable:
            return
        super().data_received(data)
        if self._reading_head:
            self._head_bytes += len(data)
            if self._head_bytes > MAX_HEAD_BYTES:
                self.send_400_response("The request head is too large.")
            elif self._head_timer is None:
                self._arm_head_timer()

    def eof_received(self) -> bool:  # type: ignore[override]
        """Keeps the connection open for the answer of a request in progress."""
        if not self._in_progress():
            return False
        self._end_of_input()
        return True

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._reading_head = True
        self._head_bytes = 0
        self.scope["extensions"] = {HANG_UP: {"close": self.hang_up}}

    def on_headers_complete(self) -> None:
        self._reading_head = False
        self._disarm_head_timer()
        super().on_headers_complete()

    def send_400_response(self, msg: str) -> None:
        """Ends the input; the answer of a request in progress still goes out, before it the envelope of a bad one."""
        self._unreadable = True
        self._reading_head = False
        if self._in_progress():
            self._end_of_input()
            return
        error = ServiceError("TB4000", "Lo recibido no se puede leer como HTTP/1.1 o HTTP/1.0.")
        body = orjson.dumps(envelope(error))
        head = STATUS_LINE[
            status_of(error)
        ] + f"content-type: {JSON}\r\ncontent-length: {len(body)}\r\nconnection: close\r\n\r\n".encode("ascii")
        self.logger.info("unreadable request: %s", msg)
        self.transport.write(head + body)
        self.transport.close()

    def hang_up(self) -> None:
        """Breaks the connection without an answer."""
        self.cycle.disconnected = True
        self.transport.abort()

    def _in_progress(self) -> bool:
        return bool(self.cycle) and not self.cycle.response_complete

    def _end_of_input(self) -> None:
        """No further byte is read: the body so far is the whole body, and the connection ends with the answer."""
        self._unreadable = True
        for cycle in (self.cycle, *(waiting for waiting, _ in self.pipeline)):
            cycle.keep_alive = False
            cycle.more_body = False
            cycle.message_event.set()

    def _arm_head_timer(self) -> None:
        self._head_timer = self.loop.call_later(HEAD_SECONDS, self._head_took_too_long)

    def _disarm_head_timer(self) -> None:
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None

    def _head_took_too_long(self) -> None:
        self._head_timer = None
        if not self._in_progress():
            self.transport.close()
