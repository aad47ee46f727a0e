"""Request bodies in gzip, inflated in pieces while they arrive, so that the limits of bodies count inflated bytes."""

from __future__ import annotations

import asyncio
import zlib
from collections.abc import Mapping

from starlette.types import Message, Receive

from timbra.core.text import storable
from timbra.web.parsing.request_body import BodyRejectedError, body_too_large

HEADER = "content-encoding"
GZIP = frozenset({"gzip", "x-gzip"})
PIECE = 64 * 1024
"""Most inflated bytes before other requests have their turn."""
_GZIP_WINDOW = 31


def inflated(receive: Receive, headers: Mapping[str, str], limit: int) -> tuple[Receive, Mapping[str, str]]:
    """Return the receive function and the headers of the decoded body; both as they are without a coding.

    Args:
        receive: ASGI receive function of the request.
        headers: By lower-case name.
        limit: Largest body in bytes, here of the encoded one.

    Raises:
        BodyRejectedError: "TB4008" for another coding than gzip. The returned function raises it for damaged gzip, and
            "TB4001" for an encoded body beyond the limit.
    """
    coding = headers.get(HEADER, "").strip().lower()
    if coding in ("", "identity"):
        return receive, headers
    if coding not in GZIP:
        raise BodyRejectedError(
            "TB4008", f"El cuerpo viene en {storable(coding, 40)}; se admite gzip, o sin comprimir."
        )
    if int(headers.get("content-length", "0")) > limit:
        raise body_too_large(limit)
    # Content-Length is that of the encoded body, whose end the inflater checks.
    plain = {name: value for name, value in headers.items() if name not in (HEADER, "content-length")}
    return _Inflater(receive, limit).receive, plain


class _Inflater:
    """Receives a body in gzip; returns messages of at most `PIECE` inflated bytes."""

    def __init__(self, receive: Receive, limit: int) -> None:
        self._receive = receive
        self._limit = limit
        self._size = 0
        self._waiting = b""
        self._more = True
        self._is_full = False
        self._decompressor = zlib.decompressobj(_GZIP_WINDOW)

    async def receive(self) -> Message:
        if self._waiting or self._is_full or not self._more:
            await asyncio.sleep(0)
        else:
            message = await self._receive()
            if message["type"] != "http.request":
                return message
            self._waiting, self._more = message.get("body", b""), message.get("more_body", False)
            self._size += len(self._waiting)
            if self._size > self._limit:
                raise body_too_large(self._limit)
        piece = self._inflate() if self._size else b""
        rest = self._waiting or self._is_full or self._more
        if not rest and self._size and not self._decompressor.eof:
            raise _damaged("está incompleto")
        return {"type": "http.request", "body": piece, "more_body": bool(rest)}

    def _inflate(self) -> bytes:
        """Return at most `PIECE` inflated bytes; the decompressor may keep more of them after a full piece."""
        if self._decompressor.eof:
            if self._waiting:
                raise _damaged("trae más después de su final")
            return b""
        try:
            piece = self._decompressor.decompress(self._waiting, PIECE)
        except zlib.error as error:
            raise _damaged("está dañado") from error
        self._is_full = len(piece) == PIECE and not self._decompressor.eof
        self._waiting = self._decompressor.unconsumed_tail or self._decompressor.unused_data
        return piece


def _damaged(fault: str) -> BodyRejectedError:
    return BodyRejectedError("TB4008", f"El cuerpo en gzip {fault}.")
