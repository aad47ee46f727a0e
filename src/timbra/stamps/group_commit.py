"""Group commit: claims that wait at the same moment share one transaction."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial

from timbra.core.bounds import Bound, BoundKind
from timbra.core.errors import ServiceError
from timbra.pools.event_loop import Allowed, allowed_on_event_loop
from timbra.stamps.port import Claim, Outcome, StampStore

MAX_BATCH_SIZE = 64
OF_ONE_DOCUMENT = ("document-damaged", "archive-storage")
"""Codes of an earlier stamp that cannot be read, which one claim of a batch finds."""

_Waiting = tuple[Claim, "asyncio.Future[Outcome]"]
_Results = Sequence[Outcome | BaseException]


class GroupCommit:
    """A queue of claims of one event loop, which commits one batch at a time (decision 0004).

    A request that is cancelled before its commit stores nothing; after the commit its stamp stays, as after a lost
    response.
    """

    def __init__(self, store: StampStore, *, largest_batch: int = MAX_BATCH_SIZE, in_thread: bool = False) -> None:
        """Use a store.

        Args:
            largest_batch: The number of claims of a batch.
            in_thread: Whether the loop prepares further stamps while a batch is committed; otherwise it waits.
        """
        self._store = store
        self._largest = largest_batch
        self._thread = ThreadPoolExecutor(1, "commit") if in_thread else None
        self._waiting: deque[_Waiting] = deque()
        self._busy_loop: asyncio.AbstractEventLoop | None = None

    async def claim(self, claim: Claim) -> Outcome:
        """Return the outcome of a claim after the commit of its batch; raise what `StampStore.claim` raises."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Outcome] = loop.create_future()
        self._waiting.append((claim, future))
        if self._busy_loop is not loop:
            self._schedule(loop)
        return await future

    def _schedule(self, loop: asyncio.AbstractEventLoop) -> None:
        self._busy_loop = loop
        loop.call_soon(self._commit, loop)

    def _continue(self, loop: asyncio.AbstractEventLoop) -> None:
        self._busy_loop = None
        if self._waiting:
            self._schedule(loop)

    def _commit(self, loop: asyncio.AbstractEventLoop) -> None:
        batch: list[_Waiting] = []
        try:
            self._take(batch)
            if self._thread is not None and batch:
                work = loop.run_in_executor(self._thread, self._results, [claim for claim, _ in batch])
                work.add_done_callback(partial(self._end, loop, batch))
                return
            with allowed_on_event_loop(Allowed.STAMP_COMMIT):
                _settle(batch, self._results([claim for claim, _ in batch]))
        except Exception as error:  # memory is exhausted, or the system starts no thread: no request waits for ever
            _abandon(batch, error)
        self._continue(loop)

    def _end(self, loop: asyncio.AbstractEventLoop, batch: Sequence[_Waiting], done: asyncio.Future[_Results]) -> None:
        try:
            failure = done.exception()
            _settle(batch, done.result() if failure is None else [failure] * len(batch))
        except Exception as error:
            _abandon(batch, error)
        self._continue(loop)

    def _take(self, batch: list[_Waiting]) -> None:
        while self._waiting and len(batch) < self._largest:
            claim, future = self._waiting.popleft()
            if not future.cancelled():
                batch.append((claim, future))

    def _results(self, claims: Sequence[Claim]) -> _Results:
        """Commit the claims, each alone after a failed batch: one that cannot be stored must not make the others fail.

        One whose earlier stamp cannot be read must not either.

        When the database is out of reach, it is for every claim alike.
        """
        if not claims:
            return ()
        try:
            return self._store.claim(claims)
        except Exception as error:
            if len(claims) == 1 or (isinstance(error, ServiceError) and error.code not in OF_ONE_DOCUMENT):
                return [error] * len(claims)
        return [result for claim in claims for result in self._results([claim])]


def _settle(batch: Sequence[_Waiting], results: _Results) -> None:
    for (_, future), result in zip(batch, results, strict=True):
        if future.cancelled():
            continue
        if isinstance(result, BaseException):
            _fail(future, result)
        else:
            future.set_result(result)


def _abandon(batch: Sequence[_Waiting], error: Exception) -> None:
    for _, future in batch:
        if not future.done():
            _fail(future, error)


def _fail(future: asyncio.Future[Outcome], error: BaseException) -> None:
    """Set an exception of its own for each future: one object in several tasks would mix their tracebacks."""
    if isinstance(error, ServiceError):
        own = ServiceError(error.code, error.detail, data=error.data, retry_after=error.retry_after)
        own.__cause__ = error.__cause__
        future.set_exception(own)
    else:
        future.set_exception(error)


BOUNDS = (
    Bound(
        "GroupCommit",
        BoundKind.QUEUE,
        f"{MAX_BATCH_SIZE} claims of a transaction; as many wait as requests are in progress",
        "Further claims are of the next transaction.",
    ),
)
