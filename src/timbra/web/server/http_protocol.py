"""HTTP/1 on uvicorn's httptools protocol, with the tolerance and the limits that uvicorn does not have.

- Bytes after a request that are not HTTP do not cancel the response to that request. Clients that count Content-Length
  in characters send such bytes.
- A client that closes its sending side (half-close) still receives the response; a truncated body is handled as
  received.
- A request head has a timeout and a maximum size. Input that is not HTTP is answered with the JSON error envelope.
- A client that does not read its response is disconnected after the write timeout.
- The number of connections is limited; `timbra.web.server.connections` decides which connection is evicted or rejected.
  Health checks are always answered.
- The rest of a body whose request is already answered is discarded, up to a limit of time and size.
- A connection of a proxy that speaks the PROXY protocol begins with a head that names the client.
- An offer of another protocol, such as HTTP/2 by the HTTP client of Java, is ignored: the request is read without it.
"""

from __future__ import annotations

import sys
from asyncio import TimerHandle, Transport
from dataclasses import dataclass, field
from typing import Any

import orjson
from httptools import HttpParserUpgrade, HttpRequestParser
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

from timbra.core.errors import ServiceError
from timbra.web.framework.client_address import ProxyTrust, read_address
from timbra.web.framework.error_responses import envelope, status_of
from timbra.web.framework.fault_injection import ABORT_CONNECTION
from timbra.web.framework.request_context import JSON_CONTENT_TYPE
from timbra.web.framework.scope_state import AUTHENTICATED
from timbra.web.server.connections import IDLE_GRACE_SECONDS, SLOW_BODY_SECONDS, ConnectionTracker
from timbra.web.server.proxy_protocol import read_head
from timbra.web.server.upgrade_offers import head_without_upgrade

MAX_HEAD_BYTES = 64 * 1024
LINGER_SECONDS = 2.0
"""Time between the response to a rejected connection and its abort."""
HEALTH_CHECKS = (b"/health/live", b"/health/ready")
TOO_MANY = "El servidor tiene demasiadas conexiones; intente de nuevo."
TOO_SLOW = "La cabecera de la solicitud no llegó a tiempo."
UNREADABLE = "Lo recibido no se puede leer como HTTP/1.1 o HTTP/1.0."


@dataclass(frozen=True, slots=True)
class ConnectionLimits:
    """Limits of the connections of one worker.

    Attributes:
        header_timeout_seconds: Longest time for a request head; also for the rest of a body that is discarded.
        write_timeout_seconds: Longest time without progress while the response waits for the client to read.
        max_connections: Idle and active connections.
        max_discarded_bytes: Bytes that are read and discarded of a body whose request is already answered.
        idle_grace_seconds: Time for a request head before an idle connection may be evicted.
        slow_body_seconds: Time for the body of an authenticated request before it may be evicted.
    """

    header_timeout_seconds: float = 30
    write_timeout_seconds: float = 30
    max_connections: int = 4096
    max_discarded_bytes: int = 40 * 1024 * 1024
    idle_grace_seconds: float = IDLE_GRACE_SECONDS
    slow_body_seconds: float = SLOW_BODY_SECONDS


@dataclass(slots=True)
class ConnectionPool:
    """State that the connections of one worker share: their limits, and the tracker that enforces the maximum."""

    limits: ConnectionLimits = field(default_factory=ConnectionLimits)
    proxies: ProxyTrust = field(default_factory=ProxyTrust)
    """Their connections begin with a head of the PROXY protocol; by default there are none."""
    tracker: ConnectionTracker[TolerantProtocol] = field(init=False)

    def __post_init__(self) -> None:
        self.tracker = ConnectionTracker(
            self.limits.max_connections,
            idle_grace_seconds=self.limits.idle_grace_seconds,
            slow_body_seconds=self.limits.slow_body_seconds,
        )


class TolerantProtocol(HttpToolsProtocol):
    """The asyncio protocol of one connection.

    Args:
        args, kwargs: As for `HttpToolsProtocol`.
        connection_pool: Shared by all connections of the worker; one of its own when None.
    """

    _write_timer: TimerHandle | None = None
    _unsent_bytes = 0
    _header_timer: TimerHandle | None = None
    _head_bytes = 0
    _reading_head = False
    _discard_budget: int | None = None
    """Bytes of the rest of a body that may still be discarded; None when no body is discarded."""
    _discard_timer: TimerHandle | None = None
    _input_ended = False
    """Further input is ignored."""
    _segment = b""
    """The input that the parser reads."""
    _proxy_head: bytes | None = None
    """The begin of the connection while its head of the PROXY protocol is incomplete; None without one."""
    _unparsed: bytes | None = None
    """Input after the head of a request that offers another protocol; None without such a request."""

    def __init__(self, *args: Any, connection_pool: ConnectionPool | None = None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._connection_pool = connection_pool or ConnectionPool()

    def connection_made(self, transport: Transport) -> None:  # type: ignore[override]
        """Track the connection and start the header timeout."""
        super().connection_made(transport)
        if self.client is not None and self._connection_pool.proxies.trusts(read_address(self.client[0])):
            self._proxy_head = b""
        self._start_header_timer()
        self._connection_pool.tracker.add(self, self.loop.time())

    def connection_lost(self, exc: Exception | None) -> None:
        """Remove the connection from the tracker and cancel all timers."""
        self._connection_pool.tracker.remove(self)
        self._cancel_header_timer()
        self._stop_discarding()
        if self._write_timer is not None:
            self._write_timer.cancel()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Parse input; count the bytes of a request head or of a discarded body against their limits."""
        if self._proxy_head is not None:
            data = self._after_proxy_head(self._proxy_head + data)
        if self._input_ended or not data:
            return
        self._segment = data
        super().data_received(data)
        while self._unparsed is not None:
            rest, self._unparsed = self._unparsed, None
            self._read_without_offer(rest)
        if self._reading_head:
            self._head_bytes += len(data)
            if self._head_bytes > MAX_HEAD_BYTES:
                self.send_400_response("The request head is too large.")
            elif self._header_timer is None:
                self._start_header_timer()
        elif self._discard_budget is not None:
            self._discard_budget -= len(data)
            if self._discard_budget < 0:
                self.transport.abort()

    def _after_proxy_head(self, data: bytes) -> bytes:
        """Take the client's address from the head of the PROXY protocol, and return what follows it."""
        try:
            head = read_head(data)
        except ValueError as error:
            self._proxy_head = None
            self.send_400_response(f"PROXY protocol: {error}")
            return b""
        if head is None:
            self._proxy_head = data
            return b""
        self._proxy_head = None
        self.client = head.client or self.client
        return data[head.size :]

    def eof_received(self) -> bool:  # type: ignore[override]
        """Keep the connection open for the response to a request in progress."""
        if not self._in_progress():
            return False
        self._end_input()
        return True

    def on_message_begin(self) -> None:
        """Start a request head; offer `ABORT_CONNECTION` to the application."""
        super().on_message_begin()
        self._reading_head = True
        self._head_bytes = 0
        self.scope["extensions"] = {ABORT_CONNECTION: {"close": self.abort_connection}}

    def on_headers_complete(self) -> None:
        """Admit the request, or reject it when there are too many connections."""
        if self._input_ended or self._offers_upgrade():
            return
        self._reading_head = False
        self._cancel_header_timer()
        if not self._in_progress() and not self._is_admitted():
            self._reject(ServiceError("CO1000", TOO_MANY, retry_after=1))
            return
        super().on_headers_complete()
        self._track_body()

    def on_body(self, body: bytes) -> None:
        """Pass a chunk to the application, unless the input has ended."""
        if not self._input_ended:
            super().on_body(body)

    def on_message_complete(self) -> None:
        """Record that the body is complete; a discarded body leaves the connection ready for the next request."""
        if self._input_ended or self._offers_upgrade():
            return
        self._connection_pool.tracker.finish_body(self)
        if self._discard_budget is not None:
            self._stop_discarding()
            self._start_header_timer()
        super().on_message_complete()

    def on_response_complete(self) -> None:
        """Make the connection idle, unless a pipelined request follows; discard the rest of an unread body."""
        self._check_unsent_bytes()
        if not self.pipeline:
            self._connection_pool.tracker.finish_request(self, self.loop.time())
            if self.cycle.more_body:
                self._discard_rest_of_body()
        super().on_response_complete()
        self._track_body()

    def pause_writing(self) -> None:
        """Start the write timeout: the write buffer is full."""
        super().pause_writing()
        self._check_unsent_bytes()

    def send_400_response(self, msg: str) -> None:
        """End the input after a syntax error.

        The response to a request in progress is still sent. Without one, the response is an error envelope (TB4000).
        """
        self._input_ended = True
        self._reading_head = False
        if self._in_progress():
            self._end_input()
            return
        self.logger.info("unreadable request: %s", msg)
        self._write_error_response(ServiceError("TB4000", UNREADABLE))
        self.transport.close()

    def abort_connection(self) -> None:
        """Close the connection without a response, and mark the request as disconnected."""
        self.cycle.disconnected = True
        self.transport.abort()

    @property
    def is_authenticated(self) -> bool:
        """Whether the application has authenticated the caller of the request in progress."""
        return AUTHENTICATED in self.cycle.scope["state"]

    def evict_request(self) -> None:
        """Reject a request whose body is incomplete; for the application, the client disconnected."""
        if self.cycle.response_started:
            self.abort()
            return
        self.cycle.disconnected = True
        self.cycle.message_event.set()
        self._reject(ServiceError("CO1000", TOO_MANY, retry_after=1))

    def abort(self) -> None:
        """Close the connection at once, without a response."""
        self.transport.abort()

    def evict_idle(self) -> None:
        """Close this connection, which has no request in progress; an incomplete request head gets a rejection."""
        if self._reading_head:
            self._reject(ServiceError("CO1000", TOO_MANY, retry_after=1))
        elif self.transport.get_write_buffer_size():
            self.transport.abort()
        else:
            self.transport.close()

    def _offers_upgrade(self) -> bool:
        """Whether the parser has read a head that offers another protocol; it does not read the body of such a request.

        A CONNECT has no body.
        """
        return self.parser.should_upgrade() and self.parser.get_method() != b"CONNECT"

    def _unsupported_upgrade_warning(self) -> None:
        """Keep what follows the head of a request that offers another protocol: the parser stopped there."""
        stopped = sys.exception()
        if self._offers_upgrade() and isinstance(stopped, HttpParserUpgrade):
            self._unparsed = self._segment[stopped.args[0] :]

    def _read_without_offer(self, rest: bytes) -> None:
        """Read a request as if it had not offered another protocol: its head again without the offer, then the rest."""
        version = self.parser.get_http_version().encode("ascii")
        head = head_without_upgrade(self.parser.get_method(), self.url, version, self.headers)
        self.parser = HttpRequestParser(self)
        self.parser.set_dangerous_leniencies(lenient_data_after_close=True)
        super().data_received(head)
        self._segment = rest
        super().data_received(rest)

    def _in_progress(self) -> bool:
        return bool(self.cycle) and not self.cycle.response_complete

    def _is_admitted(self) -> bool:
        is_health_check = self.parser.get_method() == b"GET" and self.url.partition(b"?")[0] in HEALTH_CHECKS
        return self._connection_pool.tracker.admit_request(self, self.loop.time(), always=is_health_check)

    def _track_body(self) -> None:
        """Record that the body of the request in progress is incomplete; pipelined requests do not count."""
        if self._in_progress() and self.cycle.more_body and not self.pipeline:
            self._connection_pool.tracker.start_body(self, self.loop.time())

    def _discard_rest_of_body(self) -> None:
        """Read on after an early response: closing the connection now could lose the response."""
        limits = self._connection_pool.limits
        self._discard_budget = limits.max_discarded_bytes
        self._discard_timer = self.loop.call_later(limits.header_timeout_seconds, self.transport.abort)

    def _stop_discarding(self) -> None:
        self._discard_budget = None
        if self._discard_timer is not None:
            self._discard_timer.cancel()
            self._discard_timer = None

    def _end_input(self) -> None:
        """Ignore further input: the body so far is the whole body, and the connection closes after the response."""
        self._input_ended = True
        for cycle in (self.cycle, *(waiting for waiting, _ in self.pipeline)):
            cycle.keep_alive = False
            cycle.more_body = False
            cycle.message_event.set()

    def _start_header_timer(self) -> None:
        self._header_timer = self.loop.call_later(
            self._connection_pool.limits.header_timeout_seconds, self._on_header_timeout
        )

    def _cancel_header_timer(self) -> None:
        if self._header_timer is not None:
            self._header_timer.cancel()
            self._header_timer = None

    def _on_header_timeout(self) -> None:
        self._header_timer = None
        if self._in_progress() or self.transport.is_closing():
            return
        if self._reading_head:
            self._reject(ServiceError("TB4000", TOO_SLOW))
        else:
            self.transport.close()

    def _reject(self, error: ServiceError) -> None:
        """Send an error response and abort after `LINGER_SECONDS`.

        To close at once, with unread input, would reset the connection, and the client could lose the response.
        """
        self._input_ended = True
        self._reading_head = False
        self._connection_pool.tracker.start_closing(self)
        self._write_error_response(error)
        if self.transport.can_write_eof():
            self.transport.write_eof()
        self.loop.call_later(LINGER_SECONDS, self.transport.abort)

    def _write_error_response(self, error: ServiceError) -> None:
        body = orjson.dumps(envelope(error))
        lines = [f"content-type: {JSON_CONTENT_TYPE}", f"content-length: {len(body)}", "connection: close"]
        if error.retry_after is not None:
            lines.append(f"retry-after: {error.retry_after}")
        head = STATUS_LINE[status_of(error)] + "\r\n".join([*lines, "", ""]).encode("ascii")
        self.transport.write(head + body)

    def _check_unsent_bytes(self) -> None:
        """Start the write timeout while the write buffer is not empty."""
        self._unsent_bytes = self.transport.get_write_buffer_size()
        if self._unsent_bytes and self._write_timer is None:
            self._write_timer = self.loop.call_later(
                self._connection_pool.limits.write_timeout_seconds, self._on_write_timeout
            )

    def _on_write_timeout(self) -> None:
        """Abort when the client has read nothing since the last check."""
        self._write_timer = None
        before, now = self._unsent_bytes, self.transport.get_write_buffer_size()
        if now and now >= before:
            self.transport.abort()
        else:
            self._check_unsent_bytes()
