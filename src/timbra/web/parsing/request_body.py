"""Reading of request bodies, limited in size, in time and in the memory of all bodies of a worker."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING, Protocol

from starlette.requests import ClientDisconnect
from starlette.types import Receive

from timbra.core.errors import ServiceError

if TYPE_CHECKING:
    from timbra.web.request_environment import RequestLimits

MEBIBYTE = 1024 * 1024
SMALL_BODY_BYTES = MEBIBYTE
LARGE_BODY_FRACTION = 0.75
"""Fraction of the memory for bodies that bodies larger than `SMALL_BODY_BYTES` may fill."""
ANONYMOUS_FRACTION = 0.5
"""The same fraction for bodies of callers without an account."""
NO_MEMORY = "El servidor recibe demasiados datos a la vez; intente de nuevo."


class BodyRejectedError(ServiceError):
    """A body was not read to its end, so that the connection cannot serve another request."""


@dataclass(frozen=True, slots=True)
class MinimumRate:
    """The slowest transfer of a body that the server accepts.

    Attributes:
        idle_seconds: Longest wait for the next chunk.
        min_bytes_per_second: Lowest average rate, after the first `idle_seconds`.
        max_seconds: Longest transfer.
    """

    idle_seconds: float
    min_bytes_per_second: float
    max_seconds: float = 600

    def check(self, seconds: float, size: int) -> None:
        """Check the progress of a transfer.

        Args:
            seconds: Since its start.
            size: Bytes received.

        Raises:
            BodyRejectedError: "TB4002" when it is too slow.
        """
        if seconds > self.idle_seconds + size / self.min_bytes_per_second:
            raise BodyRejectedError(
                "TB4002", f"El cuerpo llega a menos de {self.min_bytes_per_second:g} bytes por segundo."
            )
        if seconds > self.max_seconds:
            raise BodyRejectedError("TB4002", f"El cuerpo no llegó completo en {self.max_seconds:g} segundos.")


def minimum_rate(limits: RequestLimits) -> MinimumRate:
    """Return the slowest transfer that the limits allow."""
    return MinimumRate(limits.body_idle_seconds, limits.body_min_bytes_per_second, limits.body_max_seconds)


class BodyMemory(Protocol):
    """The memory of all bodies of a worker.

    Attributes:
        body_bytes: Bytes in use.
    """

    body_bytes: int


class MemoryBudget:
    """The memory that the body of one request uses, of the memory that a worker has for bodies.

    Small bodies may use all of it, so that a few large ones do not cause the rejection of every invoice. The only body
    of a worker always gets memory.
    """

    def __init__(self, worker: BodyMemory, max_bytes: int, large_fraction: float = LARGE_BODY_FRACTION) -> None:
        """Start with nothing in use.

        Args:
            worker: The memory of all bodies of the worker.
            max_bytes: Its size.
            large_fraction: The fraction of it that a body larger than `SMALL_BODY_BYTES` may fill, from 0 to 1.
        """
        self._worker = worker
        self._max_bytes = max_bytes
        self._large_fraction = large_fraction
        self._acquired = 0

    def acquire(self, size: int) -> bool:
        """Acquire memory.

        Args:
            size: Additional bytes.

        Returns:
            False when the budget does not have them; then nothing is acquired.
        """
        others = self._worker.body_bytes - self._acquired
        total = self._acquired + size
        fraction = 1 if total <= SMALL_BODY_BYTES else self._large_fraction
        if others > 0 and others + total > self._max_bytes * fraction:
            return False
        self._add(size)
        return True

    def release(self) -> None:
        """Give back all acquired memory."""
        self._add(-self._acquired)

    def _add(self, size: int) -> None:
        self._worker.body_bytes += size
        self._acquired += size


async def read_body(
    receive: Receive, headers: Mapping[str, str], limit: int, rate: MinimumRate, memory: MemoryBudget
) -> bytes:
    """Read a whole body.

    A body that is too large, or that finds no memory, is rejected at once when the client waits for `100 Continue`
    (`Expect`). Otherwise the server reads and drops up to `limit` bytes more, so that a client which sends everything
    before it reads gets the response.

    Args:
        receive: ASGI receive function of the request.
        headers: By lower-case name.
        limit: Largest body in bytes.
        rate: The slowest transfer.
        memory: Acquires the size of the body; the caller releases it after the response.

    Raises:
        BodyRejectedError: "TB4001" (too large), "TB4002" (incomplete or too slow), "CO1000" (no memory).
        ClientDisconnect: The client has closed the connection.
    """
    declared = _declared_length(headers)
    if declared > limit and "expect" in headers:
        raise body_too_large(limit)
    chunks: list[bytes] = []
    size, more, rejected = 0, True, declared > limit
    started = asyncio.get_running_loop().time()
    with IdleTimeout(rate.idle_seconds) as timeout:
        while more:
            chunk, more = await _next_chunk(receive)
            size += len(chunk)
            rate.check(timeout.renew() - started, size)
            if size > 2 * limit:
                raise body_too_large(limit)
            rejected = rejected or size > limit or not memory.acquire(len(chunk))
            if not rejected:
                chunks.append(chunk)
            elif chunks:
                chunks.clear()
                memory.release()
    if max(size, declared) > limit:
        raise body_too_large(limit)
    if rejected:
        raise BodyRejectedError("CO1000", NO_MEMORY, retry_after=1)
    if size < declared:
        raise BodyRejectedError("TB4002", f"Llegaron {size} de los {declared} bytes que anuncia Content-Length.")
    return chunks[0] if len(chunks) == 1 else b"".join(chunks)


async def _next_chunk(receive: Receive) -> tuple[bytes, bool]:
    """Return the next chunk, and whether more may follow."""
    message = await receive()
    if message["type"] == "http.disconnect":
        raise ClientDisconnect
    return message.get("body", b""), message.get("more_body", False)


class IdleTimeout:
    """Context manager: raises BodyRejectedError in a block that does not call `renew` every `seconds`.

    `renew` only stores the time; the timer, when it fires too early, is set again for the remainder. A body of
    thousands of chunks therefore costs one timer, as a body of one chunk does.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._loop = asyncio.get_running_loop()
        self._expired = False

    def __enter__(self) -> IdleTimeout:
        task = asyncio.current_task()
        if task is None:
            raise RuntimeError("Bodies are read inside a task.")
        self._task = task
        self._cancelling = task.cancelling()
        self._timer = self._loop.call_later(self._seconds, self._check)
        self.renew()
        return self

    def renew(self) -> float:
        """Start the timeout again and return the current time of the event loop."""
        now = self._loop.time()
        self._deadline = now + self._seconds
        return now

    def _check(self) -> None:
        remaining = self._deadline - self._loop.time()
        if remaining > 0:
            self._timer = self._loop.call_later(remaining, self._check)
        else:
            self._expired = True
            self._task.cancel()

    def __exit__(self, kind: type[BaseException] | None, _: BaseException | None, __: TracebackType | None) -> None:
        self._timer.cancel()
        timed_out = self._expired and self._task.uncancel() <= self._cancelling
        if timed_out and kind is asyncio.CancelledError:
            raise BodyRejectedError("TB4002", f"El cuerpo dejó de llegar durante {self._seconds:g} segundos.") from None


def _declared_length(headers: Mapping[str, str]) -> int:
    """Return Content-Length, which the HTTP parser has checked; 0 when absent (chunked or no body)."""
    return int(headers.get("content-length", "0"))


def body_too_large(limit: int) -> BodyRejectedError:
    """Return the rejection of a body beyond a limit in bytes."""
    return BodyRejectedError("TB4001", f"El límite es de {limit / MEBIBYTE:g} MiB.")
