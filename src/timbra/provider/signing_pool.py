"""Threads that sign with a device, so that the event loop does not wait for it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import ParamSpec, TypeVar

from timbra.core.errors import ServiceError
from timbra.core.metrics import MetricsRegistry
from timbra.pools import PoolLimits, ThreadPool
from timbra.seals.rsa_signature import Digest
from timbra.seals.signers.port import Signer

P = ParamSpec("P")
T = TypeVar("T")
RETRY_AFTER = 5
BUSY = "El dispositivo de firma tiene demasiadas firmas en espera."
WAITING = 1024
"""Signatures that wait for a thread; further ones are rejected at once."""


class SigningPool:
    """As many threads as the device has sessions. One instance belongs to one event loop."""

    def __init__(self, sessions: int, seconds: float, metrics: MetricsRegistry | None = None) -> None:
        """Start the threads at first use.

        Args:
            sessions: The number of threads.
            seconds: The longest wait for a signature; a device that hangs keeps its thread, not the request.
        """
        limits = PoolLimits(running=sessions, per_account=sessions, waiting=WAITING, waiting_per_account=WAITING)
        self._pool = ThreadPool("signing", limits, BUSY, metrics, may_hang=True)
        self._seconds = seconds

    async def run(self, work: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Run work that signs.

        Raises:
            ServiceError: "signer-unavailable" when it takes too long; "CO1000" when too many signatures wait; those of
                the work.
        """
        try:
            return await asyncio.wait_for(self._pool.run("", work, *args, **kwargs), self._seconds)
        except TimeoutError as cause:
            raise self._hangs() from cause

    def limited(self, signer: Signer) -> Signer:
        """Return a signer for other threads than the event loop's, which waits as long as `run`."""
        return _LimitedSigner(self, signer)

    def run_blocking(self, work: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Run work that signs, for a caller in another thread than the event loop's.

        Raises:
            ServiceError: "signer-unavailable" when it takes too long; those of the work.
        """
        future = self._pool.submit(work, *args, **kwargs)
        try:
            return future.result(self._seconds)
        except TimeoutError as cause:
            future.cancel()
            raise self._hangs() from cause

    def _hangs(self) -> ServiceError:
        detail = f"El dispositivo de firma no respondió en {self._seconds:g} s."
        return ServiceError("signer-unavailable", detail, retry_after=RETRY_AFTER)

    def close(self) -> None:
        """End the threads after their running work."""
        self._pool.close()


@dataclass(frozen=True, slots=True)
class _LimitedSigner:
    """A `Signer` that does not wait longer than its pool permits."""

    pool: SigningPool
    signer: Signer

    def sign(self, data: bytes, digest: Digest = "sha256") -> bytes:
        """See `Signer.sign`; ServiceError("signer-unavailable") when the device does not respond in time."""
        return self.pool.run_blocking(self.signer.sign, data, digest)
