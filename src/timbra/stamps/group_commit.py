"""Group commit: claims that wait at the same moment share one transaction."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Sequence

from timbra.core.errors import ServiceError
from timbra.pools.event_loop import Allowed, allowed_on_event_loop
from timbra.stamps.port import Claim, Outcome, StampStore

MAX_BATCH_SIZE = 64

_Waiting = tuple[Claim, "asyncio.Future[Outcome]"]


class GroupCommit:
    """A queue of claims of one event loop. The commit runs in the loop, because a thread would reduce the throughput.

    A request that is cancelled before its commit stores nothing; after the commit its stamp stays, as after a lost
    response.
    """

    def __init__(self, store: StampStore, *, largest_batch: int = MAX_BATCH_SIZE) -> None:
        self._store = store
        self._largest = largest_batch
        self._waiting: deque[_Waiting] = deque()
        self._scheduled = False

    async def claim(self, claim: Claim) -> Outcome:
        """Return the outcome of a claim after the commit of its batch; raise what `StampStore.claim` raises."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Outcome] = loop.create_future()
        self._waiting.append((claim, future))
        self._schedule(loop)
        return await future

    def _schedule(self, loop: asyncio.AbstractEventLoop) -> None:
        if not self._scheduled:
            self._scheduled = True
            loop.call_soon(self._commit, loop)

    def _commit(self, loop: asyncio.AbstractEventLoop) -> None:
        self._scheduled = False
        batch = self._next_batch()
        if self._waiting:
            self._schedule(loop)
        if batch:
            self._settle(batch)

    def _next_batch(self) -> list[_Waiting]:
        batch: list[_Waiting] = []
        while self._waiting and len(batch) < self._largest:
            claim, future = self._waiting.popleft()
            if not future.cancelled():
                batch.append((claim, future))
        return batch

    def _settle(self, batch: Sequence[_Waiting]) -> None:
        try:
            with allowed_on_event_loop(Allowed.STAMP_COMMIT):
                outcomes = self._store.claim([claim for claim, _ in batch])
        except ServiceError as rejection:
            if rejection.code == "document-damaged":
                self._settle_apart(batch, rejection)
                return
            # The database is out of reach, for every claim alike.
            for _, future in batch:
                _fail(future, rejection)
        except Exception as error:
            self._settle_apart(batch, error)
        else:
            for (_, future), outcome in zip(batch, outcomes, strict=True):
                future.set_result(outcome)

    def _settle_apart(self, batch: Sequence[_Waiting], error: Exception) -> None:
        """Commit each claim alone after a failed batch: one that cannot be stored must not make the others fail."""
        if len(batch) == 1:
            _fail(batch[0][1], error)
            return
        for waiting in batch:
            self._settle([waiting])


def _fail(future: asyncio.Future[Outcome], error: Exception) -> None:
    """Set an exception of its own for each future: one object in several tasks would mix their tracebacks."""
    if isinstance(error, ServiceError):
        own = ServiceError(error.code, error.detail, data=error.data, retry_after=error.retry_after)
        own.__cause__ = error.__cause__
        future.set_exception(own)
    else:
        future.set_exception(error)
