"""Request bodies that are processed while they arrive, limited in size and time as `request_body` limits others."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from typing import IO

from starlette.requests import ClientDisconnect
from starlette.types import Receive

from timbra.pools.threads import RunInThread
from timbra.web.parsing.request_body import MEBIBYTE, BodyRejectedError, MinimumRate, body_too_large


async def body_chunks(
    receive: Receive, headers: Mapping[str, str], limit: int, rate: MinimumRate
) -> AsyncIterator[bytes]:
    """Yield the pieces of a body as they arrive; the memory of a body is that of one piece.

    Args:
        receive: ASGI receive function of the request.
        headers: By lower-case name.
        limit: Largest body in bytes.
        rate: The slowest transfer.

    Raises:
        BodyRejectedError: "TB4001" (too large), "TB4002" (incomplete or too slow).
        ClientDisconnect: The client has closed the connection.
    """
    declared = int(headers.get("content-length", "0"))
    if declared > limit:
        raise body_too_large(limit)
    loop = asyncio.get_running_loop()
    started, size, more = loop.time(), 0, True
    while more:
        try:
            async with asyncio.timeout(rate.idle_seconds):
                message = await receive()
        except TimeoutError:
            detail = f"El cuerpo dejó de llegar durante {rate.idle_seconds:g} segundos."
            raise BodyRejectedError("TB4002", detail) from None
        if message["type"] == "http.disconnect":
            raise ClientDisconnect
        piece, more = message.get("body", b""), message.get("more_body", False)
        size += len(piece)
        rate.check(loop.time() - started, size)
        if size > limit:
            raise body_too_large(limit)
        if piece:
            yield piece
    if size < declared:
        raise BodyRejectedError("TB4002", f"Llegaron {size} de los {declared} bytes que anuncia Content-Length.")


async def write_body(chunks: AsyncIterator[bytes], target: IO[bytes], run_in_thread: RunInThread) -> int:
    """Write a body to a file, a mebibyte at a time in a thread; return its size."""
    size, buffer = 0, bytearray()
    async for piece in chunks:
        buffer += piece
        size += len(piece)
        if len(buffer) >= MEBIBYTE:
            await run_in_thread(target.write, bytes(buffer))
            buffer.clear()
    await run_in_thread(target.write, bytes(buffer))
    await run_in_thread(target.flush)
    return size
