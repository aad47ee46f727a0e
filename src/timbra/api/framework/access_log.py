"""What is told of each request, in the log and in the metrics, by the API and by the pages alike."""

from __future__ import annotations

import secrets
from itertools import count
from time import perf_counter

import structlog
from starlette.types import Scope

from timbra.metrics import HTTP_REQUEST_DURATION, HTTP_REQUESTS, REJECTIONS, MetricsRegistry

log: structlog.stdlib.BoundLogger = structlog.get_logger("timbra.api")
HEADER = b"x-request-id"


class AccessLog:
    """One per application and worker. Request ids are a mark that it draws, and a number."""

    def __init__(self, metrics: MetricsRegistry) -> None:
        self._metrics = metrics
        self._mark = secrets.token_hex(8)
        self._numbers = count(1)

    def open(self, scope: Scope) -> AccessLogEntry:
        """The entry of a request that begins; every line that is logged until its end carries the request id."""
        request_id = f"{self._mark}-{next(self._numbers):06x}"
        structlog.contextvars.bind_contextvars(request_id=request_id)
        return AccessLogEntry(self._metrics, scope, request_id)


class AccessLogEntry:
    """One request."""

    __slots__ = ("_begun", "_metrics", "_scope", "request_id")

    def __init__(self, metrics: MetricsRegistry, scope: Scope, request_id: str) -> None:
        self._begun = perf_counter()
        self._metrics = metrics
        self._scope = scope
        self.request_id = request_id
        metrics.requests_in_flight += 1

    def note(self, what: str) -> None:
        """For a request that gets no answer."""
        log.info(what, method=self._scope["method"], path=self._scope["path"])

    def answered(self, operation: str, status: int, *, code: str | None = None, account: int | None = None) -> None:
        """Log an answer that was sent. code: of the error; account: of the token."""
        seconds = perf_counter() - self._begun
        metrics = self._metrics
        metrics.count(HTTP_REQUESTS, (operation, str(status)))
        metrics.observe(HTTP_REQUEST_DURATION, (operation,), seconds)
        if code is not None:
            metrics.count(REJECTIONS, (code,))
        log.info(
            "answered",
            method=self._scope["method"],
            path=self._scope["path"],
            status=status,
            code=code,
            account=account,
            milliseconds=round(seconds * 1000, 3),
        )

    def close(self) -> None:
        """At the end, whatever happened."""
        self._metrics.requests_in_flight -= 1
