"""Queries to the authority's services, each in a thread of a pool, while the document is examined."""

from __future__ import annotations

import asyncio
import threading
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

from timbra.core.bounds import Bound, BoundKind
from timbra.core.errors import ServiceError

if TYPE_CHECKING:
    from timbra.sat.port import FiscalStatus, StatusQuery, StatusService
    from timbra.seals.certificates.trust_anchors import ProviderCertificate

T = TypeVar("T")

THREADS = 32
MAX_PER_ACCOUNT = 8
"""Queries of one account in progress, so that no account occupies the threads that others need."""


class ProviderCertificates(Protocol):
    """A repository of certificates of providers that the trust store does not have."""

    def provider(self, number: str) -> ProviderCertificate | None:
        """Return the certificate of that number, None when there is none.

        Raises:
            ServiceError: "authority-down" when the repository does not respond.
        """
        ...


class BackgroundQuery(Generic[T]):
    """A query that runs in a thread.

    Args:
        future: the result.
        deadline: reading of `now` at which the caller stops waiting.
        now: monotonic clock in seconds.
    """

    def __init__(self, future: Future[T], deadline: float, now: Callable[[], float]) -> None:
        self._future = future
        self._deadline = deadline
        self._now = now

    async def get(self) -> T:
        """Wait for the result, or raise what the query raised.

        Raises:
            ServiceError: "authority-down" at the deadline.
        """
        if self._future.done():
            return self._future.result()
        try:
            return await asyncio.wait_for(asyncio.wrap_future(self._future), max(0.0, self._deadline - self._now()))
        except TimeoutError as cause:
            raise ServiceError("authority-down", "No respondió a tiempo.") from cause


class BackgroundQueries:
    """Starts queries without waiting for them, for each account at most MAX_PER_ACCOUNT at a time.

    Args:
        status: The status service; None where none is configured.
        certificates: The repository of certificates; None where none is configured.
        timeout: Seconds from the start of a query to its deadline.
        now: Monotonic clock in seconds.
    """

    def __init__(
        self,
        status: StatusService | None,
        certificates: ProviderCertificates | None,
        timeout: float,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._status = status
        self._certificates = certificates
        self._timeout = timeout
        self._now = now
        self._pool = ThreadPoolExecutor(THREADS, "background-query")
        self._in_progress: Counter[str] = Counter()
        self._lock = threading.Lock()

    def status(self, query: StatusQuery, account: str = "") -> BackgroundQuery[FiscalStatus] | None:
        """Start the query of a CFDI's status.

        A query beyond the limit of its account raises ServiceError("authority-down") when its result is read.

        Args:
            query: identifies the CFDI.
            account: key of the limit.

        Returns:
            The query; None without a status service.
        """
        service = self._status
        return None if service is None else self._start(lambda: service.status(query), account)

    def provider(self, number: str, account: str = "") -> BackgroundQuery[ProviderCertificate | None] | None:
        """Start the query of a provider's certificate, limited as `status`.

        Args:
            account: key of the limit.

        Returns:
            The query; None without a repository.
        """
        certificates = self._certificates
        return None if certificates is None else self._start(lambda: certificates.provider(number), account)

    def _start(self, query: Callable[[], T], account: str) -> BackgroundQuery[T]:
        if self._acquire(account):
            future = self._submit(query, account)
        else:
            future = Future()
            future.set_exception(ServiceError("authority-down", "Hay demasiadas consultas de esta cuenta en curso."))
        return BackgroundQuery(future, self._now() + self._timeout, self._now)

    def _submit(self, query: Callable[[], T], account: str) -> Future[T]:
        try:
            future = self._pool.submit(copy_context().run, query)
        except RuntimeError:  # the pool is shut down
            self._release(account)
            raise
        future.add_done_callback(lambda _: self._release(account))
        return future

    def _acquire(self, account: str) -> bool:
        with self._lock:
            if self._in_progress[account] >= MAX_PER_ACCOUNT:
                return False
            self._in_progress[account] += 1
            return True

    def _release(self, account: str) -> None:
        with self._lock:
            self._in_progress[account] -= 1
            if not self._in_progress[account]:
                del self._in_progress[account]


BOUNDS = (
    Bound(
        "BackgroundQueries",
        BoundKind.POOL,
        f"{THREADS} queries, {MAX_PER_ACCOUNT} of an account",
        "A further query of the account is answered as unreachable; others wait.",
    ),
)
