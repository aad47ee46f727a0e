"""Request bodies, read once and within bounds: of size, and of silence."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

from starlette.requests import ClientDisconnect, Request

from timbra.errors import ServiceError

MEBIBYTE = 1024 * 1024


class BodyRefusedError(ServiceError):
    """A body that was not read to its end, so that the connection cannot serve another request."""


async def read_body(request: Request, limit: int, silence: float) -> bytes:
    """The whole body, at most `limit` bytes. silence: seconds to wait for the next piece.

    A body over the limit is refused at once when the client waits for leave (`Expect`), otherwise after the rest was
    read and dropped, so that a client which sends first and reads later gets the answer.
    Raises BodyRefusedError TB4001 (too large), TB4002 (incomplete); ClientDisconnect.
    """
    declared = _declared_length(request)
    if declared > limit and "expect" in request.headers:
        raise _too_large(limit)
    pieces: list[bytes] = []
    size = 0
    async for piece in _pieces(request, silence):
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


async def _pieces(request: Request, silence: float) -> AsyncIterator[bytes]:
    more = True
    while more:
        try:
            async with asyncio.timeout(silence):
                message = await request.receive()
        except TimeoutError:
            raise BodyRefusedError("TB4002", f"El cuerpo dejó de llegar durante {silence:g} segundos.") from None
        if message["type"] == "http.disconnect":
            raise ClientDisconnect
        more = message.get("more_body", False)
        yield message.get("body", b"")


def _declared_length(request: Request) -> int:
    """Content-Length, which the HTTP parser has already checked; 0 when absent (chunked or no body)."""
    return int(request.headers.get("content-length", "0"))


def _too_large(limit: int) -> BodyRefusedError:
    return BodyRefusedError("TB4001", f"El límite es de {limit / MEBIBYTE:g} MiB.")
