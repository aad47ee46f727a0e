"""Questions to the authority's services, asked in threads of their own while the document is judged."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

from timbra.errors import ServiceError

if TYPE_CHECKING:
    from timbra.authority.port import FiscalStatus, StatusQuery, StatusService
    from timbra.seals.anchors import ProviderCertificate

T = TypeVar("T")

THREADS = 32


class ProviderCertificates(Protocol):
    """Who has certificates of providers that the trust table does not know."""

    def provider(self, number: str) -> ProviderCertificate | None:
        """None when there is none of that number. ServiceError("authority-down") when that cannot be told now."""
        ...


class Inquiry(Generic[T]):
    """A question under way. deadline: of `now`, when nobody waits for it any longer."""

    def __init__(self, future: Future[T], deadline: float, now: Callable[[], float]) -> None:
        self._future = future
        self._deadline = deadline
        self._now = now

    async def answer(self) -> T:
        """The answer, or what the question raised; ServiceError("authority-down") when it is not there in time."""
        if self._future.done():
            return self._future.result()
        try:
            return await asyncio.wait_for(asyncio.wrap_future(self._future), max(0.0, self._deadline - self._now()))
        except TimeoutError as cause:
            raise ServiceError("authority-down", "No respondió a tiempo.") from cause


class Inquiries:
    """Starts questions at once. seconds: how long after its start an answer is waited for.

    status, certificates: None where no such service is at hand.
    """

    def __init__(
        self,
        status: StatusService | None,
        certificates: ProviderCertificates | None,
        seconds: float,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._status = status
        self._certificates = certificates
        self._seconds = seconds
        self._now = now
        self._pool = ThreadPoolExecutor(THREADS, "inquiry")

    def status(self, query: StatusQuery) -> Inquiry[FiscalStatus] | None:
        """Asks for the status of a CFDI; None where there is nobody to ask."""
        service = self._status
        return None if service is None else self._begun(lambda: service.status(query))

    def provider(self, number: str) -> Inquiry[ProviderCertificate | None] | None:
        """Asks for the certificate of a provider; None where there is nobody to ask."""
        certificates = self._certificates
        return None if certificates is None else self._begun(lambda: certificates.provider(number))

    def _begun(self, question: Callable[[], T]) -> Inquiry[T]:
        future = self._pool.submit(copy_context().run, question)
        return Inquiry(future, self._now() + self._seconds, self._now)
