"""Streaming reader of the file of a part: a PKCS#7 message in gzip, read in pieces that fit in memory."""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO

from timbra.core.errors import ServiceError
from timbra.lists.sources.text import is_html

PIECE = 256 * 1024
MAX_PART_BYTES = 32 * 1024**3
"""The limit of a decompressed part, against decompression bombs. The SAT's parts have had about half a gigabyte."""
_GZIP = b"\x1f\x8b"
_GZIP_WINDOW = 31


class PartFile:
    """One part. Iteration yields its decompressed bytes."""

    def __init__(
        self, path: Path, on_read: Callable[[int], None] | None = None, max_bytes: int = MAX_PART_BYTES
    ) -> None:
        """Read a file.

        Args:
            path: The file, compressed or not.
            on_read: Called with the number of bytes of each read from disk.
            max_bytes: The maximum size of the decompressed part.
        """
        self.path = path
        self._digest = hashlib.sha256()
        self._on_read = on_read
        self._max_bytes = max_bytes

    @property
    def sha256(self) -> str:
        """The SHA-256 of the file on disk, in hexadecimal; complete after the iteration."""
        return self._digest.hexdigest()

    def __iter__(self) -> Iterator[bytes]:
        """Yield the decompressed bytes.

        Raises:
            ServiceError: "list-unreadable" when the file cannot be read, is damaged, truncated or too large.
        """
        total = 0
        try:
            with self.path.open("rb") as file:
                for piece in self._decompressed(file):
                    total += len(piece)
                    if total > self._max_bytes:
                        raise ServiceError(
                            "list-unreadable", f"{self.path.name}: descomprimida rebasa {self._max_bytes} bytes."
                        )
                    yield piece
        except zlib.error as cause:
            raise ServiceError("list-unreadable", f"{self.path.name}: el gzip está dañado.") from cause
        except OSError as cause:
            raise ServiceError("list-unreadable", f"{self.path.name}: {cause.strerror or cause}.") from cause

    def _decompressed(self, file: BinaryIO) -> Iterator[bytes]:
        blocks = self._blocks(file)
        first = next(blocks, b"")
        if not first.startswith(_GZIP):
            if is_html(first):
                raise ServiceError("list-unreadable", f"{self.path.name}: es una página HTML, no una lista.")
            yield first
            yield from blocks
            return
        yield from self._members(first, blocks)

    def _members(self, rest: bytes, blocks: Iterator[bytes]) -> Iterator[bytes]:
        """Yield the members of a gzip file in order; its end may be padded with zeros."""
        while rest:
            decompressor = zlib.decompressobj(_GZIP_WINDOW)
            while not decompressor.eof:
                piece = decompressor.decompress(rest, PIECE)
                if piece:
                    yield piece
                rest = decompressor.unconsumed_tail
                if not rest and not decompressor.eof:
                    rest = next(blocks, b"")
                    if not rest and not piece:
                        raise ServiceError("list-unreadable", f"{self.path.name}: el archivo está incompleto.")
            rest = (decompressor.unused_data or next(blocks, b"")).lstrip(b"\x00")
            while not rest and (block := next(blocks, b"")):
                rest = block.lstrip(b"\x00")

    def _blocks(self, file: BinaryIO) -> Iterator[bytes]:
        while block := file.read(PIECE):
            self._digest.update(block)
            if self._on_read is not None:
                self._on_read(len(block))
            yield block
