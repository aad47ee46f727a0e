"""Plain invoices of concurrent requests: what waits at the same time is stamped at once."""

from __future__ import annotations

import asyncio
import re
from typing import TYPE_CHECKING, Literal

import structlog

from timbra.core.bounds import Bound, BoundKind
from timbra.core.errors import ServiceError
from timbra.core.metrics import PLAIN_INVOICES
from timbra.stamping.plain.batches import PlainRequest

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from timbra.core.metrics import MetricsRegistry
    from timbra.pools import RunInThread
    from timbra.stamping.models import StampingOperation, StampRequest, StampResult
    from timbra.stamping.plain.batches import PlainBatches, PlainStamp

    _Waiting = tuple[PlainRequest, asyncio.Future[PlainStamp | None]]

Mode = Literal["on", "compare"]
LARGEST = 64 * 1024
"""Size of a document above which the ordinary path processes it."""
MOST = 16
"""Documents of a batch, so that the event loop is free again after some milliseconds."""
DECIDED_BY_INSERT = frozenset({"307", "CFDI3307", "AU2001"})
"""Rejections of documents that satisfy every check."""
RELATIONS = b"CfdiRelacionados"
_STAMP = re.compile(r"<tfd:TimbreFiscalDigital [^>]*/>")

log = structlog.get_logger()


class PlainQueue:
    """Issues and stamps the plain invoices of one event loop.

    A request waits until the event loop has run what is ready, so that others join its batch; no timer is involved.

    Args:
        batches: stamps several documents at once.
        metrics: counts the documents.
        mode: `compare` stamps by both paths; the ordinary one decides, and a difference is logged and counted.
    """

    def __init__(self, batches: PlainBatches, metrics: MetricsRegistry, mode: Mode) -> None:
        self.mode = mode
        self._batches = batches
        self._metrics = metrics
        self._loop: asyncio.AbstractEventLoop | None = None
        self._waiting: list[_Waiting] = []

    async def stamp(
        self, request: StampRequest, operation: StampingOperation, run_in_thread: RunInThread
    ) -> PlainStamp | None:
        """Return the stamp of a plain invoice, which is not stored; None for a document of the ordinary path."""
        if len(request.xml) > LARGEST:
            return None
        loop = asyncio.get_running_loop()
        if self._loop is not loop:
            if self._loop is not None and self._loop.is_running():
                return None  # one loop at a time has batches
            self._loop, self._waiting = loop, []
        requested = PlainRequest(request, operation)
        if RELATIONS in request.xml:
            requested = await self._with_related(requested, run_in_thread)
        issued: asyncio.Future[PlainStamp | None] = loop.create_future()
        if not self._waiting:
            loop.call_soon(loop.call_soon, self._flush)  # after the sockets that are ready have been read
        self._waiting.append((requested, issued))
        stamp = await issued
        self._metrics.count(PLAIN_INVOICES, ("ordinary" if stamp is None else "plain",))
        return stamp

    async def _with_related(self, requested: PlainRequest, run_in_thread: RunInThread) -> PlainRequest:
        try:
            return await run_in_thread(self._batches.with_related, requested)
        except Exception:
            log.exception("a document with relations is left to the ordinary path")
            return requested

    async def compared(
        self,
        request: StampRequest,
        operation: StampingOperation,
        run_in_thread: RunInThread,
        ordinary: Callable[[], Awaitable[StampResult]],
    ) -> StampResult:
        """Return the result of the ordinary path, after a comparison with that of the other one."""
        plain = await self.stamp(request, operation, run_in_thread)
        try:
            result = await ordinary()
        except ServiceError as error:
            if plain is not None and error.code not in DECIDED_BY_INSERT:
                self._report(request, error.code)
            raise
        if plain is not None and _without_stamp(plain.stamp.cfdi.decode()) != _without_stamp(result.cfdi):
            self._report(request, None)
        return result

    def _report(self, request: StampRequest, code: str | None) -> None:
        self._metrics.count(PLAIN_INVOICES, ("different",))
        log.error("plain invoice differs", request_id=request.request_id, code=code)

    def _flush(self) -> None:
        """Stamp the longest-waiting documents, and come back for the others; after a failure none waits for ever."""
        waiting = self._waiting
        try:
            self._stamp_longest_waiting(waiting)
        except Exception:
            self._waiting = []
            for _, future in waiting:
                if not future.done():
                    future.set_result(None)
            log.exception("plain invoices are left to the ordinary path")

    def _stamp_longest_waiting(self, every: list[_Waiting]) -> None:
        waiting = [each for each in every if not each[1].done()]  # without cancelled requests
        group, self._waiting = waiting[:MOST], waiting[MOST:]
        if self._waiting:
            asyncio.get_running_loop().call_soon(self._flush)
        if group:
            stamps = self._batches.stamp([request for request, _ in group])
            for (_, future), stamp in zip(group, stamps, strict=True):
                future.set_result(stamp)


def _without_stamp(cfdi: str) -> str:
    return _STAMP.sub("", cfdi)


BOUNDS = (
    Bound(
        "PlainQueue",
        BoundKind.QUEUE,
        f"{MOST} documents of a batch; the requests in progress wait",
        "Further documents are of the next batch; HTTP limits the requests.",
    ),
)
