"""Request bodies, read once and within bounds: of size, of time, and of what a worker holds at once."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING, Protocol

from starlette.requests import ClientDisconnect
from starlette.types import Receive

from timbra.errors import ServiceError

if TYPE_CHECKING:
    from timbra.service.request_environment import RequestLimits

MEBIBYTE = 1024 * 1024
SMALL = MEBIBYTE
LARGE_PART = 0.75
"""Part of the memory for bodies that bodies beyond `SMALL` may fill."""
ANONYMOUS_PART = 0.5
"""The same for bodies of callers without an account."""
NO_ROOM = "El servidor recibe demasiados datos a la vez; intente de nuevo."


class BodyRejectedError(ServiceError):
    """A body that was not read to its end, so that the connection cannot serve another request."""


@dataclass(frozen=True, slots=True)
class MinimumRate:
    """How slowly a body may come.

    silence: seconds to wait for the next piece. least: bytes a second beyond those. longest: seconds in all.
    """

    silence: float
    least: float
    longest: float = 600

    def check(self, seconds: float, size: int) -> None:
        """Raises BodyRefusedError TB4002 for so many bytes after so many seconds."""
        if seconds > self.silence + size / self.least:
            raise BodyRejectedError("TB4002", f"El cuerpo llega a menos de {self.least:g} bytes por segundo.")
        if seconds > self.longest:
            raise BodyRejectedError("TB4002", f"El cuerpo no llegó completo en {self.longest:g} segundos.")


def minimum_rate(limits: RequestLimits) -> MinimumRate:
    """The slowest transfer that the limits allow."""
    return MinimumRate(limits.body_idle_seconds, limits.body_min_bytes_per_second, limits.body_max_seconds)


class BodyMemory(Protocol):
    """What knows how many bytes of bodies a worker holds."""

    body_bytes: int


class MemoryBudget:
    """What one request holds of the memory that a worker has for bodies.

    most: bytes in all. large_part: of these, the part that a body beyond `SMALL` may fill. The rest is kept for small
    bodies, so that a few large ones do not turn every invoice away. A body that is alone always has room.
    """

    def __init__(self, worker: BodyMemory, most: int, large_part: float = LARGE_PART) -> None:
        self._worker = worker
        self._most = most
        self._large_part = large_part
        self._held = 0

    def take(self, size: int) -> bool:
        """Holds so many bytes more; False when there is no room for them."""
        others = self._worker.body_bytes - self._held
        wanted = self._held + size
        if others > 0 and others + wanted > self._most * (1 if wanted <= SMALL else self._large_part):
            return False
        self._hold(size)
        return True

    def release(self) -> None:
        """Holds nothing any more."""
        self._hold(-self._held)

    def _hold(self, more: int) -> None:
        self._worker.body_bytes += more
        self._held += more


async def read_body(
    receive: Receive, headers: Mapping[str, str], limit: int, pace: MinimumRate, share: MemoryBudget
) -> bytes:
    """The whole body, at most `limit` bytes. headers: by lower-case name. share: keeps holding it afterwards.

    A body over the limit, or without room, is rejected at once when the client waits for leave (`Expect`), otherwise
    after the rest was read and dropped, so that a client which sends first and reads later gets the answer.
    Raises BodyRefusedError TB4001 (too large), TB4002 (incomplete, too slow), CO1000 (no room); ClientDisconnect.
    """
    declared = _declared_length(headers)
    if declared > limit and "expect" in headers:
        raise _too_large(limit)
    pieces: list[bytes] = []
    size, more, rejected = 0, True, declared > limit
    begun = asyncio.get_running_loop().time()
    with IdleTimeout(pace.silence) as timeout:
        while more:
            piece, more = await _next_piece(receive)
            size += len(piece)
            pace.check(timeout.renew() - begun, size)
            if size > 2 * limit:
                raise _too_large(limit)
            rejected = rejected or size > limit or not share.take(len(piece))
            if not rejected:
                pieces.append(piece)
            elif pieces:
                pieces.clear()
                share.release()
    if max(size, declared) > limit:
        raise _too_large(limit)
    if rejected:
        raise BodyRejectedError("CO1000", NO_ROOM, retry_after=1)
    if size < declared:
        raise BodyRejectedError("TB4002", f"Llegaron {size} de los {declared} bytes que anuncia Content-Length.")
    return pieces[0] if len(pieces) == 1 else b"".join(pieces)


async def _next_piece(receive: Receive) -> tuple[bytes, bool]:
    """A piece, and whether there may be more. ClientDisconnect."""
    message = await receive()
    if message["type"] == "http.disconnect":
        raise ClientDisconnect
    return message.get("body", b""), message.get("more_body", False)


class IdleTimeout:
    """Raises BodyRefusedError in a block that went some seconds without `renew`: `asyncio.timeout` with one timer.

    A body may come in thousands of pieces, and most come in one: renewing only notes the time, and the timer, when it
    goes off too early, is set again for the remainder.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._loop = asyncio.get_running_loop()
        self._over = False

    def __enter__(self) -> IdleTimeout:
        task = asyncio.current_task()
        if task is None:
            raise RuntimeError("Bodies are read inside a task.")
        self._task = task
        self._cancelling = task.cancelling()
        self._timer = self._loop.call_later(self._seconds, self._look)
        self.renew()
        return self

    def renew(self) -> float:
        """The current time, from which the timeout starts again."""
        now = self._loop.time()
        self._ends = now + self._seconds
        return now

    def _look(self) -> None:
        left = self._ends - self._loop.time()
        if left > 0:
            self._timer = self._loop.call_later(left, self._look)
        else:
            self._over = True
            self._task.cancel()

    def __exit__(self, kind: type[BaseException] | None, _: BaseException | None, __: TracebackType | None) -> None:
        self._timer.cancel()
        ours = self._over and self._task.uncancel() <= self._cancelling
        if ours and kind is asyncio.CancelledError:
            raise BodyRejectedError("TB4002", f"El cuerpo dejó de llegar durante {self._seconds:g} segundos.") from None


def _declared_length(headers: Mapping[str, str]) -> int:
    """Content-Length, which the HTTP parser has already checked; 0 when absent (chunked or no body)."""
    return int(headers.get("content-length", "0"))


def _too_large(limit: int) -> BodyRejectedError:
    return BodyRejectedError("TB4001", f"El límite es de {limit / MEBIBYTE:g} MiB.")
