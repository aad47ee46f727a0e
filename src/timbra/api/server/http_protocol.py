"""HTTP/1 as uvicorn reads it, with the tolerance and the bounds that it leaves to its user.

- Bytes that follow a request and are no HTTP (a client which counts Content-Length in characters sends them) do not
  take the answer of that request away.
- A client that closes its sending side still gets its answer; a body that was cut short is handled as received.
- A request head has a longest time and a largest size. What cannot be read as HTTP is told in the envelope.
- A client that does not read its answer is left after a while. Connections are counted: when there are too many, the
  one idle longest makes room, or the one whose body is slowest, or the new one is turned away in the envelope. Probes
  are always answered (`timbra.api.server.connections`).
- What follows of the body of a request that is already answered is dropped, within bounds of time and size.
"""

from __future__ import annotations

from asyncio import TimerHandle, Transport
from dataclasses import dataclass, field
from typing import Any

import orjson
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

from timbra.api.framework.error_responses import envelope, status_of
from timbra.api.framework.fault_injection import ABORT_CONNECTION
from timbra.api.framework.request_context import JSON
from timbra.api.server.connections import AUTHENTICATED, Slots
from timbra.errors import ServiceError

MAX_HEAD_BYTES = 64 * 1024
LINGER_SECONDS = 2.0
PROBES = (b"/health/live", b"/health/ready")
TOO_MANY = "El servidor tiene demasiadas conexiones; intente de nuevo."
TOO_SLOW = "La cabecera de la solicitud no llegó a tiempo."
UNREADABLE = "Lo recibido no se puede leer como HTTP/1.1 o HTTP/1.0."


@dataclass(frozen=True, slots=True)
class ConnectionLimits:
    """Seconds for a request head, seconds without reading while an answer waits, connections of one worker.

    unread_bytes: that are read and dropped of a body whose request is already answered, for `head_seconds` at most.
    """

    header_timeout_seconds: float = 30
    answer_seconds: float = 30
    connections: int = 4096
    unread_bytes: int = 40 * 1024 * 1024


@dataclass(slots=True)
class ConnectionPool:
    """What the connections of one worker share."""

    limits: ConnectionLimits = field(default_factory=ConnectionLimits)
    slots: Slots[TolerantProtocol] = field(init=False)

    def __post_init__(self) -> None:
        self.slots = Slots(self.limits.connections)


class TolerantProtocol(HttpToolsProtocol):
    """One connection."""

    _answer_timer: TimerHandle | None = None
    _unsent = 0
    _head_timer: TimerHandle | None = None
    _head_bytes = 0
    _reading_head = False
    _unread_left: int | None = None
    _unread_timer: TimerHandle | None = None
    _unreadable = False

    def __init__(self, *given: Any, connection_pool: ConnectionPool | None = None, **named: Any) -> None:
        super().__init__(*given, **named)
        self._connection_pool = connection_pool or ConnectionPool()

    def connection_made(self, transport: Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._arm_head_timer()
        self._connection_pool.slots.opened(self, self.loop.time())

    def connection_lost(self, exc: Exception | None) -> None:
        self._connection_pool.slots.closed(self)
        self._disarm_head_timer()
        self._stop_dropping()
        if self._answer_timer is not None:
            self._answer_timer.cancel()
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
        elif self._unread_left is not None:
            self._unread_left -= len(data)
            if self._unread_left < 0:
                self.transport.abort()

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
        self.scope["extensions"] = {ABORT_CONNECTION: {"close": self.abort_connection}}

    def on_headers_complete(self) -> None:
        if self._unreadable:
            return
        self._reading_head = False
        self._disarm_head_timer()
        if not self._in_progress() and not self._is_admitted():
            self._reject(ServiceError("CO1000", TOO_MANY, retry_after=1))
            return
        super().on_headers_complete()
        self._note_awaited_body()

    def on_body(self, body: bytes) -> None:
        if not self._unreadable:
            super().on_body(body)

    def on_message_complete(self) -> None:
        if self._unreadable:
            return
        self._connection_pool.slots.body_complete(self)
        if self._unread_left is not None:
            self._stop_dropping()
            self._arm_head_timer()
        super().on_message_complete()

    def on_response_complete(self) -> None:
        self._watch_reader()
        if not self.pipeline:
            self._connection_pool.slots.request_ended(self, self.loop.time())
            if self.cycle.more_body:
                self._drop_rest_of_body()
        super().on_response_complete()
        self._note_awaited_body()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._watch_reader()

    def send_400_response(self, msg: str) -> None:
        """Ends the input; the answer of a request in progress still goes out, before it the envelope of a bad one."""
        self._unreadable = True
        self._reading_head = False
        if self._in_progress():
            self._end_of_input()
            return
        self.logger.info("unreadable request: %s", msg)
        self._tell(ServiceError("TB4000", UNREADABLE))
        self.transport.close()

    def abort_connection(self) -> None:
        """Breaks the connection without an answer."""
        self.cycle.disconnected = True
        self.transport.abort()

    @property
    def is_authenticated(self) -> bool:
        """Whether the application has noted the caller of the request in progress."""
        return AUTHENTICATED in self.cycle.scope["state"]

    def _in_progress(self) -> bool:
        return bool(self.cycle) and not self.cycle.response_complete

    def _is_admitted(self) -> bool:
        is_probe = self.parser.get_method() == b"GET" and self.url.partition(b"?")[0] in PROBES
        return self._connection_pool.slots.request_begins(self, self.loop.time(), always=is_probe)

    def _note_awaited_body(self) -> None:
        """The body that comes now is the one of the request in progress, unless others wait before it."""
        if self._in_progress() and self.cycle.more_body and not self.pipeline:
            self._connection_pool.slots.body_awaited(self, self.loop.time())

    def _drop_rest_of_body(self) -> None:
        """The answer went out before the body was read: its rest may come, so that the client gets to read."""
        limits = self._connection_pool.limits
        self._unread_left = limits.unread_bytes
        self._unread_timer = self.loop.call_later(limits.header_timeout_seconds, self.transport.abort)

    def _stop_dropping(self) -> None:
        self._unread_left = None
        if self._unread_timer is not None:
            self._unread_timer.cancel()
            self._unread_timer = None

    def _end_of_input(self) -> None:
        """No further byte is read: the body so far is the whole body, and the connection ends with the answer."""
        self._unreadable = True
        for cycle in (self.cycle, *(waiting for waiting, _ in self.pipeline)):
            cycle.keep_alive = False
            cycle.more_body = False
            cycle.message_event.set()

    def _arm_head_timer(self) -> None:
        self._head_timer = self.loop.call_later(
            self._connection_pool.limits.header_timeout_seconds, self._head_took_too_long
        )

    def _disarm_head_timer(self) -> None:
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None

    def _head_took_too_long(self) -> None:
        self._head_timer = None
        if self._in_progress() or self.transport.is_closing():
            return
        if self._reading_head:
            self._reject(ServiceError("TB4000", TOO_SLOW))
        else:
            self.transport.close()

    def drop_request(self) -> None:
        """Ends a request whose body is still awaited: the client is told why, the application that it went away."""
        if self.cycle.response_started:
            self.cut_off()
            return
        self.cycle.disconnected = True
        self.cycle.message_event.set()
        self._reject(ServiceError("CO1000", TOO_MANY, retry_after=1))

    def cut_off(self) -> None:
        """Breaks the connection at once, without a word."""
        self.transport.abort()

    def evict_idle(self) -> None:
        """Ends this connection, which has no request in progress. A client that has begun one is told why."""
        if self._reading_head:
            self._reject(ServiceError("CO1000", TOO_MANY, retry_after=1))
        elif self.transport.get_write_buffer_size():
            self.transport.abort()
        else:
            self.transport.close()

    def _reject(self, error: ServiceError) -> None:
        """Tells why, and listens a little longer to what is not heard: closing at once would take the answer back."""
        self._unreadable = True
        self._reading_head = False
        self._connection_pool.slots.rejected(self)
        self._tell(error)
        if self.transport.can_write_eof():
            self.transport.write_eof()
        self.loop.call_later(LINGER_SECONDS, self.transport.abort)

    def _tell(self, error: ServiceError) -> None:
        body = orjson.dumps(envelope(error))
        lines = [f"content-type: {JSON}", f"content-length: {len(body)}", "connection: close"]
        if error.retry_after is not None:
            lines.append(f"retry-after: {error.retry_after}")
        head = STATUS_LINE[status_of(error)] + "\r\n".join([*lines, "", ""]).encode("ascii")
        self.transport.write(head + body)

    def _watch_reader(self) -> None:
        """While something waits to be sent, the client must read."""
        self._unsent = self.transport.get_write_buffer_size()
        if self._unsent and self._answer_timer is None:
            self._answer_timer = self.loop.call_later(self._connection_pool.limits.answer_seconds, self._look_at_reader)

    def _look_at_reader(self) -> None:
        self._answer_timer = None
        before, now = self._unsent, self.transport.get_write_buffer_size()
        if now and now >= before:
            self.transport.abort()
        else:
            self._watch_reader()
