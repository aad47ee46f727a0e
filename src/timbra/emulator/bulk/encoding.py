"""Base64 of a file, piece by piece."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator
from typing import IO

PIECE_BYTES = 3 * 64 * 1024


def base64_pieces(file: IO[bytes], length: int, piece_bytes: int = PIECE_BYTES) -> Iterator[bytes]:
    """Yield the base64 of the first bytes of a file, without line breaks.

    Args:
        file: The file.
        length: How many bytes.
        piece_bytes: The size of a piece before its encoding, rounded up to a multiple of three.
    """
    size, left = -(-piece_bytes // 3) * 3, length
    while left > 0 and (piece := file.read(min(size, left))):
        yield b64encode(piece)
        left -= len(piece)


def base64_size(size: int) -> int:
    """Return the bytes of the base64 of a file."""
    return -(-size // 3) * 4
