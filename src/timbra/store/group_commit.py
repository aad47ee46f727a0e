"""Group commit: the claims that wait when the event loop comes round share one transaction."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Sequence

from timbra.errors import ServiceError
from timbra.store.port import Claim, Outcome, StampStore

LARGEST_BATCH = 64

_Waiting = tuple[Claim, "asyncio.Future[Outcome]"]


class GroupCommit:
    """Belongs to one event loop. The commit runs inline in it: a thread of its own costs more than it gains.

    A request that is cancelled before its commit leaves nothing; after it, its stamp stays, as for any lost answer.
    """

    def __init__(self, store: StampStore, *, largest_batch: int = LARGEST_BATCH) -> None:
        self._store = store
        self._largest = largest_batch
        self._waiting: deque[_Waiting] = deque()
        self._scheduled = False

    async def claim(self, claim: Claim) -> Outcome:
        """The outcome of one claim, after the commit of its batch; raises what `StampStore.claim` raises."""
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
            outcomes = self._store.claim([claim for claim, _ in batch])
        except ServiceError as refusal:
            # The database is out of reach, for every claim alike.
            for _, future in batch:
                _fail(future, refusal)
        except Exception as error:
            self._settle_apart(batch, error)
        else:
            for (_, future), outcome in zip(batch, outcomes, strict=True):
                future.set_result(outcome)

    def _settle_apart(self, batch: Sequence[_Waiting], error: Exception) -> None:
        """One claim that cannot be stored must not refuse its neighbours: the batch left nothing, each tries alone."""
        if len(batch) == 1:
            _fail(batch[0][1], error)
            return
        for waiting in batch:
            self._settle([waiting])


def _fail(future: asyncio.Future[Outcome], error: Exception) -> None:
    """Each waiter gets a refusal of its own: one object raised in several tasks would mix their tracebacks."""
    if isinstance(error, ServiceError):
        own = ServiceError(error.code, error.detail, data=error.data, retry_after=error.retry_after)
        own.__cause__ = error.__cause__
        future.set_exception(own)
    else:
        future.set_exception(error)
