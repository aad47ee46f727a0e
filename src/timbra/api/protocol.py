"""HTTP/1 as uvicorn reads it, with the tolerance and the bounds that it leaves to its user.

- Bytes that follow a request and are no HTTP (a client which counts Content-Length in characters sends them) do not
  take the answer of that request away.
- A client that closes its sending side still gets its answer; a body cut short that way is judged as it came.
- A request head has a longest time and a largest size. What cannot be read as HTTP is told in the envelope.
- A client that does not read its answer is left after a while. Connections are counted: when there are too many, the
  one idle longest makes room, or the new one is turned away in the envelope.
"""

from __future__ import annotations

from asyncio import TimerHandle, Transport
from dataclasses import dataclass, field
from typing import Any

import orjson
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

from timbra.api.errors import envelope, status_of
from timbra.api.exchange import JSON
from timbra.api.faults import HANG_UP
from timbra.errors import ServiceError

MAX_HEAD_BYTES = 64 * 1024
LINGER_SECONDS = 2.0
SURPLUS = 256
"""Connections beyond the limit that are told so; what comes on top of them is cut off."""
TOO_MANY = "El servidor tiene demasiadas conexiones; intente de nuevo."
TOO_SLOW = "La cabecera de la solicitud no llegó a tiempo."
UNREADABLE = "Lo recibido no se puede leer como HTTP/1.1 o HTTP/1.0."


@dataclass(frozen=True, slots=True)
class Limits:
    """Seconds for a request head, seconds without reading while an answer waits, connections of one worker."""

    head_seconds: float = 30
    answer_seconds: float = 30
    connections: int = 4096


@dataclass(slots=True)
class Door:
    """What the connections of one worker share. idle: those without a request, the one idle longest first."""

    limits: Limits = field(default_factory=Limits)
    idle: dict[TolerantProtocol, None] = field(default_factory=dict)


class TolerantProtocol(HttpToolsProtocol):
    """One connection."""

    _answer_timer: TimerHandle | None = None
    _unsent = 0
    _head_timer: TimerHandle | None = None
    _head_bytes = 0
    _reading_head = False
    _unreadable = False

    def __init__(self, *given: Any, door: Door | None = None, **named: Any) -> None:
        super().__init__(*given, **named)
        self._door = door or Door()

    def connection_made(self, transport: Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._door.idle[self] = None
        self._arm_head_timer()
        if len(self.connections) > self._door.limits.connections:
            self._make_room()

    def connection_lost(self, exc: Exception | None) -> None:
        self._door.idle.pop(self, None)
        self._disarm_head_timer()
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
        self._door.idle.pop(self, None)
        self._reading_head = False
        self._disarm_head_timer()
        super().on_headers_complete()

    def on_response_complete(self) -> None:
        self._watch_reader()
        if not self.pipeline:
            self._door.idle[self] = None
        super().on_response_complete()

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
        self._head_timer = self.loop.call_later(self._door.limits.head_seconds, self._head_took_too_long)

    def _disarm_head_timer(self) -> None:
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None

    def _head_took_too_long(self) -> None:
        self._head_timer = None
        if self._in_progress() or self.transport.is_closing():
            return
        if self._reading_head:
            self._turn_away(ServiceError("TB4000", TOO_SLOW))
        else:
            self.transport.close()

    def _make_room(self) -> None:
        """The connection idle longest goes; when all are busy, this one does."""
        if len(self.connections) > self._door.limits.connections + SURPLUS:
            self.transport.abort()
            return
        longest = next(iter(self._door.idle))
        del self._door.idle[longest]
        longest.give_way(is_newest=longest is self)

    def give_way(self, *, is_newest: bool) -> None:
        """Ends this connection. Whoever has begun to ask, or has just come to, is told why."""
        if is_newest or self._reading_head:
            self._turn_away(ServiceError("CO1000", TOO_MANY, retry_after=1))
        elif self.transport.get_write_buffer_size():
            self.transport.abort()
        else:
            self.transport.close()

    def _turn_away(self, error: ServiceError) -> None:
        """Tells why, and listens a little longer to what is not heard: closing at once would take the answer back."""
        self._unreadable = True
        self._reading_head = False
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
            self._answer_timer = self.loop.call_later(self._door.limits.answer_seconds, self._look_at_reader)

    def _look_at_reader(self) -> None:
        self._answer_timer = None
        before, now = self._unsent, self.transport.get_write_buffer_size()
        if now and now >= before:
            self.transport.abort()
        else:
            self._watch_reader()
