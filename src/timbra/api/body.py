"""Request bodies, read once and within bounds: of size, and of silence."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from types import TracebackType

from starlette.requests import ClientDisconnect
from starlette.types import Receive

from timbra.errors import ServiceError

MEBIBYTE = 1024 * 1024


class BodyRefusedError(ServiceError):
    """A body that was not read to its end, so that the connection cannot serve another request."""


async def read_body(receive: Receive, headers: Mapping[str, str], limit: int, silence: float) -> bytes:
    """The whole body, at most `limit` bytes. headers: by lower-case name. silence: seconds to wait for the next piece.

    A body over the limit is refused at once when the client waits for leave (`Expect`), otherwise after the rest was
    read and dropped, so that a client which sends first and reads later gets the answer.
    Raises BodyRefusedError TB4001 (too large), TB4002 (incomplete); ClientDisconnect.
    """
    declared = _declared_length(headers)
    if declared > limit and "expect" in headers:
        raise _too_large(limit)
    pieces: list[bytes] = []
    size, more = 0, True
    with _Patience(silence) as patience:
        while more:
            piece, more = await _next_piece(receive)
            patience.renew()
            size += len(piece)
            if size > 2 * limit:
                raise _too_large(limit)
            if max(size, declared) > limit:
                pieces.clear()
            else:
                pieces.append(piece)
    if max(size, declared) > limit:
        raise _too_large(limit)
    if size < declared:
        raise BodyRefusedError("TB4002", f"Llegaron {size} de los {declared} bytes que anuncia Content-Length.")
    return pieces[0] if len(pieces) == 1 else b"".join(pieces)


async def _next_piece(receive: Receive) -> tuple[bytes, bool]:
    """A piece, and whether there may be more. ClientDisconnect."""
    message = await receive()
    if message["type"] == "http.disconnect":
        raise ClientDisconnect
    return message.get("body", b""), message.get("more_body", False)


class _Patience:
    """Raises BodyRefusedError in a block that went some seconds without `renew`: `asyncio.timeout` with one timer.

    A body may come in thousands of pieces, and most come in one: renewing only notes the time, and the timer, when it
    goes off too early, is set again for the remainder.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._loop = asyncio.get_running_loop()
        self._over = False

    def __enter__(self) -> _Patience:
        task = asyncio.current_task()
        if task is None:
            raise RuntimeError("Bodies are read inside a task.")
        self._task = task
        self._cancelling = task.cancelling()
        self._timer = self._loop.call_later(self._seconds, self._look)
        self.renew()
        return self

    def renew(self) -> None:
        self._ends = self._loop.time() + self._seconds

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
            raise BodyRefusedError("TB4002", f"El cuerpo dejó de llegar durante {self._seconds:g} segundos.") from None


def _declared_length(headers: Mapping[str, str]) -> int:
    """Content-Length, which the HTTP parser has already checked; 0 when absent (chunked or no body)."""
    return int(headers.get("content-length", "0"))


def _too_large(limit: int) -> BodyRefusedError:
    return BodyRefusedError("TB4001", f"El límite es de {limit / MEBIBYTE:g} MiB.")
