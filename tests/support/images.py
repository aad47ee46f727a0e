"""Small generated images."""

from __future__ import annotations

import struct
import zlib


def red_png(width: int, height: int) -> bytes:
    """One colour, (200, 30, 30)."""
    rows = b"".join(b"\0" + bytes((200, 30, 30)) * width for _ in range(height))
    return png_header(width, height) + _chunk(b"IDAT", zlib.compress(rows)) + _chunk(b"IEND", b"")


def png_header(width: int, height: int) -> bytes:
    """Return a PNG that ends after its header."""
    return b"\x89PNG\r\n\x1a\n" + _chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))


def jpeg_header(width: int, height: int, before: bytes = b"") -> bytes:
    """A JPEG that ends after the head of its frame. before: segments that precede it."""
    frame = struct.pack(">HBHHB", 17, 8, height, width, 3)
    return b"\xff\xd8" + (before or b"\xff\xe0\x00\x02") + b"\xff\xc0" + frame


def _chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
