"""What is told of each request, in the log and in the meters, by the API and by the pages alike."""

from __future__ import annotations

import secrets
from itertools import count
from time import perf_counter

import structlog
from starlette.types import Scope

from timbra.meters import REFUSALS, REQUEST_SECONDS, REQUESTS, Meters

log: structlog.stdlib.BoundLogger = structlog.get_logger("timbra.api")
HEADER = b"x-request-id"


class Journal:
    """One per application and worker. Request ids are a mark that it draws, and a number."""

    def __init__(self, meters: Meters) -> None:
        self._meters = meters
        self._mark = secrets.token_hex(8)
        self._numbers = count(1)

    def open(self, scope: Scope) -> Entry:
        """The entry of a request that begins; every line that is logged until its end carries the request id."""
        request_id = f"{self._mark}-{next(self._numbers):06x}"
        structlog.contextvars.bind_contextvars(request_id=request_id)
        return Entry(self._meters, scope, request_id)


class Entry:
    """One request."""

    __slots__ = ("_begun", "_meters", "_scope", "request_id")

    def __init__(self, meters: Meters, scope: Scope, request_id: str) -> None:
        self._begun = perf_counter()
        self._meters = meters
        self._scope = scope
        self.request_id = request_id
        meters.requests_open += 1

    def note(self, what: str) -> None:
        """For a request that gets no answer."""
        log.info(what, method=self._scope["method"], path=self._scope["path"])

    def answered(self, operation: str, status: int, *, code: str | None = None, account: int | None = None) -> None:
        """For an answer that was sent. code: of the refusal; account: whose token it was."""
        seconds = perf_counter() - self._begun
        meters = self._meters
        meters.count(REQUESTS, (operation, str(status)))
        meters.observe(REQUEST_SECONDS, (operation,), seconds)
        if code is not None:
            meters.count(REFUSALS, (code,))
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
        self._meters.requests_open -= 1
