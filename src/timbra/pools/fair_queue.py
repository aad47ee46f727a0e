"""A semaphore that is fair by account: round robin among accounts, with limits of running and of waiting work."""

from __future__ import annotations

import asyncio
from collections import Counter, deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from time import perf_counter

from timbra.core.bounds import Bound, BoundKind
from timbra.core.errors import ServiceError
from timbra.core.metrics import POOL_REJECTIONS, POOL_WAIT, MetricsRegistry

BUSY_SECONDS = 5
"""Retry-After of requests that find the queue full."""


@dataclass(frozen=True, slots=True)
class PoolLimits:
    """Limits of a queue, in requests.

    Attributes:
        running, waiting: limits of all accounts together.
        per_account, waiting_per_account: limits of one account.
    """

    running: int
    per_account: int
    waiting: int
    waiting_per_account: int


class FairQueue:
    """A fair semaphore. It belongs to one event loop and is used only from its thread.

    A free slot goes to the account that has waited longest since its last turn, first in, first out within the account.
    No account has more than `per_account` slots: with a lower limit than `running`, one account never has all slots.

    Args:
        name: label of the metrics.
        limits: limits of the queue.
        busy: Spanish detail of the rejection when the queue is full.
        metrics: metrics of the queue.
        retry_after: seconds that the rejection has.
    """

    def __init__(
        self,
        name: str,
        limits: PoolLimits,
        busy: str,
        metrics: MetricsRegistry | None = None,
        retry_after: int = BUSY_SECONDS,
    ) -> None:
        self._name = name
        self._limits = limits
        self._busy = busy
        self._retry_after = retry_after
        self._metrics = metrics or MetricsRegistry()
        self._running: Counter[str] = Counter()
        self._queues: dict[str, deque[asyncio.Future[None]]] = {}

    @property
    def running(self) -> int:
        """Slots in use."""
        return self._running.total()

    @property
    def waiting(self) -> int:
        return sum(map(len, self._queues.values()))

    @asynccontextmanager
    async def slot(self, account: str) -> AsyncIterator[None]:
        """Hold one slot for the duration of the block; raises as `acquire`."""
        await self.acquire(account)
        try:
            yield
        finally:
            self.release(account)

    async def acquire(self, account: str) -> None:
        """Wait for a slot; the caller must call `release` afterwards.

        Raises:
            ServiceError: "CO1000" with `retry_after` when the queue of the account or of all is full.
        """
        begun = perf_counter()
        if account in self._queues or not self._may_run(account):
            await self._wait(account)
        else:
            self._running[account] += 1
        self._metrics.observe(POOL_WAIT, (self._name,), perf_counter() - begun)

    def release(self, account: str) -> None:
        """Release a slot of the account; the next request in the queue gets it."""
        self._running[account] -= 1
        if not self._running[account]:
            del self._running[account]
        while (following := self._next()) is not None:
            self._grant(following)
        self._show_waiting()

    async def _wait(self, account: str) -> None:
        limits = self._limits
        if len(self._queues.get(account, ())) >= limits.waiting_per_account or self.waiting >= limits.waiting:
            self._metrics.count(POOL_REJECTIONS, (self._name,))
            raise ServiceError("CO1000", self._busy, retry_after=self._retry_after)
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._queues.setdefault(account, deque()).append(turn)
        self._show_waiting()
        try:
            await turn
        except asyncio.CancelledError:
            self._abandon(account, turn)
            raise

    def _abandon(self, account: str, turn: asyncio.Future[None]) -> None:
        """Remove a cancelled request from the queue, or release the slot that it has just received."""
        if turn.done() and not turn.cancelled():
            self.release(account)
            return
        queue = self._queues.get(account, deque())
        if turn in queue:
            queue.remove(turn)
        if not queue:
            self._queues.pop(account, None)
        self._show_waiting()

    def _next(self) -> str | None:
        return next((account for account in self._queues if self._may_run(account)), None)

    def _grant(self, account: str) -> None:
        queue = self._queues.pop(account)
        turn = queue.popleft()
        if queue:
            self._queues[account] = queue  # at the end of the round
        if not turn.cancelled():
            self._running[account] += 1
            turn.set_result(None)

    def _may_run(self, account: str) -> bool:
        return self.running < self._limits.running and self._running[account] < self._limits.per_account

    def _show_waiting(self) -> None:
        self._metrics.pool_queue_lengths[self._name] = self.waiting


BOUNDS = (
    Bound(
        "FairQueue",
        BoundKind.QUEUE,
        "the `PoolLimits` of each pool, of all accounts and of one",
        "A further request is rejected with CO1000 and `retry_after`, and counted.",
    ),
)
