"""Signatures of concurrent requests: what waits at the same time is signed at once where the processor can."""

from __future__ import annotations

import asyncio
from base64 import b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from timbra.core.bounds import Bound, BoundKind
from timbra.core.metrics import SIGNATURE_BATCH_SIZE
from timbra.seals.signers.batches import FEWEST, LANES, SignatureBatches, SignatureRequest

if TYPE_CHECKING:
    from timbra.core.metrics import MetricsRegistry
    from timbra.seals.signers.port import Signer

Waiting = tuple[SignatureRequest, asyncio.Future[bytes]]


class SignatureQueue:
    """Signs for the requests of one event loop.

    While few requests are in progress, each is signed immediately. Otherwise its signature waits until the event loop
    has run what is ready, so that the other requests reach their signatures too; a batch has the seals of some
    requests and the stamps of others. No timer is involved: what waits when a batch ends is the next batch.

    Args:
        metrics: has the number of requests in progress, and gets the sizes of the batches.
        batches: makes the signatures.
    """

    def __init__(self, metrics: MetricsRegistry, batches: SignatureBatches | None = None) -> None:
        self._metrics = metrics
        self._batches = batches or SignatureBatches()
        self._announced = 0
        self._loop: asyncio.AbstractEventLoop | None = None
        self._waiting: list[Waiting] = []

    @contextmanager
    def concurrent(self, documents: int) -> Iterator[None]:
        """Announce documents that the block processes at the same time without the HTTP server."""
        self._announced += documents
        try:
            yield
        finally:
            self._announced -= documents

    async def seal(self, signer: Signer, cadena: str) -> str:
        """Return the seal of a cadena original in base64.

        Args:
            signer: The key.
            cadena: The cadena original; its UTF-8 is signed.

        Raises:
            ServiceError: "signature-faulty" when the signature does not verify, or an error of the signer.
        """
        return b64encode(await self._sign(signer, cadena.encode())).decode("ascii")

    async def _sign(self, signer: Signer, data: bytes) -> bytes:
        alone = bool(self._batches.reason) or self._metrics.requests_in_flight + self._announced < FEWEST
        if alone or not self._batches.accepts(signer):
            return signer.sign(data)
        loop = asyncio.get_running_loop()
        if self._loop is not loop:
            if self._loop is not None and self._loop.is_running():
                return signer.sign(data)  # one loop at a time has batches
            self._loop, self._waiting = loop, []
        signature: asyncio.Future[bytes] = loop.create_future()
        if not self._waiting:
            loop.call_soon(loop.call_soon, self._flush)  # after the sockets that are ready have been read
        self._waiting.append((SignatureRequest(signer, data), signature))
        return await signature

    def _flush(self) -> None:
        """Sign the longest-waiting requests, and come back for the others; after a failure none waits for ever."""
        waiting = self._waiting
        try:
            self._sign_longest_waiting(waiting)
        except Exception as error:
            self._waiting = []
            for _, future in waiting:
                if not future.done():
                    future.set_exception(error)

    def _sign_longest_waiting(self, every: list[Waiting]) -> None:
        waiting = [each for each in every if not each[1].done()]  # without cancelled requests
        group, self._waiting = waiting[:LANES], waiting[LANES:]
        if self._waiting:
            asyncio.get_running_loop().call_soon(self._flush)
        if not group:
            return
        self._metrics.observe(SIGNATURE_BATCH_SIZE, (), len(group))
        for (_, future), result in zip(group, self._results([request for request, _ in group]), strict=True):
            if isinstance(result, Exception):
                future.set_exception(result)
            else:
                future.set_result(result)

    def _results(self, requests: list[SignatureRequest]) -> list[bytes | Exception]:
        try:
            return self._batches.sign(requests)
        except Exception as error:
            return [error] * len(requests)


BOUNDS = (
    Bound(
        "SignatureQueue",
        BoundKind.QUEUE,
        "the requests in progress",
        "Signatures that wait are made in batches of the processor; HTTP limits the requests.",
    ),
)
