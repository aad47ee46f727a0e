"""Access log: one log line and the metrics of each request, for the API and for the pages."""

from __future__ import annotations

import secrets
from itertools import count
from time import perf_counter

import structlog
from starlette.types import Scope

from timbra.core.metrics import HTTP_REQUEST_DURATION, HTTP_REQUESTS, REJECTIONS, MetricsRegistry
from timbra.core.trace_context import TRACEPARENT, request_id_of
from timbra.core.tracing import Span, begin_request

log: structlog.stdlib.BoundLogger = structlog.get_logger("timbra.api")
REQUEST_ID_HEADER = b"x-request-id"
TRACEPARENT_HEADER = TRACEPARENT.encode()
FIRST_SERVER_ERROR = 500


class AccessLog:
    """The access log of one application in one worker.

    A request id is a random prefix of this object and a sequence number; that of a request with the header
    `traceparent` begins with its trace, see `timbra.core.trace_context`.
    """

    def __init__(self, metrics: MetricsRegistry) -> None:
        self._metrics = metrics
        self._prefix = secrets.token_hex(8)
        self._sequence = count(1)

    def open(self, scope: Scope) -> AccessLogEntry:
        """Open the entry of a new request, and bind its request id to all log lines of this context."""
        sequence = next(self._sequence)
        header = next((value for name, value in scope["headers"] if name == TRACEPARENT_HEADER), b"").decode("latin-1")
        span = begin_request(header)
        if span is not None:
            request_id = span.traceparent.partition("-")[2]
        else:
            traced = header and request_id_of(header, f"{self._prefix[:8]}{sequence:08x}")
            request_id = traced or f"{self._prefix}-{sequence:06x}"
        structlog.contextvars.bind_contextvars(request_id=request_id)
        return AccessLogEntry(self._metrics, scope, request_id, span)


class AccessLogEntry:
    """The entry of one request; it counts as in flight until `close`."""

    __slots__ = ("_metrics", "_scope", "_span", "_started_at", "request_id")

    def __init__(self, metrics: MetricsRegistry, scope: Scope, request_id: str, span: Span | None = None) -> None:
        self._started_at = perf_counter()
        self._metrics = metrics
        self._scope = scope
        self._span = span
        self.request_id = request_id
        metrics.requests_in_flight += 1

    def log_aborted(self, reason: str) -> float:
        """Log a request that gets no response.

        Args:
            reason: The log message, such as "disconnected".

        Returns:
            Seconds since the request's headers.
        """
        log.info(reason, method=self._scope["method"], path=self._scope["path"])
        if self._span is not None:
            self._describe(self._span)
            self._span.end(reason)
        return perf_counter() - self._started_at

    def log_response(
        self, operation: str, status: int, *, code: str | None = None, account: int | None = None
    ) -> float:
        """Log a response that was sent, and count it.

        Args:
            operation: Name of the operation, as the metrics label it.
            code: Error code of the response; None for success.
            account: Id of the account that sent the request; None for an anonymous one.

        Returns:
            Seconds since the request's headers.
        """
        seconds = perf_counter() - self._started_at
        metrics = self._metrics
        metrics.count(HTTP_REQUESTS, (operation, str(status)))
        metrics.observe(HTTP_REQUEST_DURATION, (operation,), seconds)
        if code is not None:
            metrics.count(REJECTIONS, (code,))
        if self._span is not None:
            self._describe(self._span, operation)
            self._span.set("http.response.status_code", status)
            if code is not None:
                self._span.set("timbra.code", code)
            self._span.end(f"HTTP {status}" if status >= FIRST_SERVER_ERROR else "")
        client = self._scope.get("client")
        log.info(
            "answered",
            client=client[0] if client else None,
            method=self._scope["method"],
            path=self._scope["path"],
            status=status,
            code=code,
            account=account,
            milliseconds=round(seconds * 1000, 3),
        )
        return seconds

    def _describe(self, span: Span, operation: str = "") -> None:
        span.set("http.request.method", self._scope["method"])
        span.set("url.path", self._scope["path"])
        if operation:
            span.rename(operation)

    def close(self) -> None:
        """End the request, with or without a response."""
        self._metrics.requests_in_flight -= 1
