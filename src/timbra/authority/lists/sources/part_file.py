"""A part of a list as it is on disk: gzip around a PKCS#7, read in pieces that fit in memory."""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO

from timbra.errors import ServiceError

PIECE = 256 * 1024
LARGEST = 32 * 1024**3
"""Bytes that one part may unfold to. SAT's parts have been about half a gigabyte; a bomb ends here."""
_GZIP = b"\x1f\x8b"
_GZIP_WINDOW = 31


class PartFile:
    """One part. Iterating gives its bytes, unfolded; `sha256` is that of the file on disk.

    told: called with the bytes read from disk, for progress.
    """

    def __init__(self, path: Path, told: Callable[[int], None] | None = None, largest: int = LARGEST) -> None:
        self.path = path
        self._digest = hashlib.sha256()
        self._told = told
        self._largest = largest

    @property
    def sha256(self) -> str:
        return self._digest.hexdigest()

    def __iter__(self) -> Iterator[bytes]:
        """ServiceError("list-unreadable") for a file that cannot be read, is a broken gzip, is cut off or too large."""
        total = 0
        try:
            with self.path.open("rb") as file:
                for piece in self._unfolded(file):
                    total += len(piece)
                    if total > self._largest:
                        raise ServiceError(
                            "list-unreadable", f"{self.path.name}: descomprimida rebasa {self._largest} bytes."
                        )
                    yield piece
        except zlib.error as cause:
            raise ServiceError("list-unreadable", f"{self.path.name}: el gzip está dañado.") from cause
        except OSError as cause:
            raise ServiceError("list-unreadable", f"{self.path.name}: {cause.strerror or cause}.") from cause

    def _unfolded(self, file: BinaryIO) -> Iterator[bytes]:
        blocks = self._blocks(file)
        first = next(blocks, b"")
        if not first.startswith(_GZIP):
            yield first
            yield from blocks
            return
        yield from self._members(first, blocks)

    def _members(self, rest: bytes, blocks: Iterator[bytes]) -> Iterator[bytes]:
        """The members of a gzip file, one after another; zeros may fill its end."""
        while rest:
            unfold = zlib.decompressobj(_GZIP_WINDOW)
            while not unfold.eof:
                piece = unfold.decompress(rest, PIECE)
                if piece:
                    yield piece
                rest = unfold.unconsumed_tail
                if not rest and not unfold.eof:
                    rest = next(blocks, b"")
                    if not rest and not piece:
                        raise ServiceError("list-unreadable", f"{self.path.name}: el archivo está incompleto.")
            rest = (unfold.unused_data or next(blocks, b"")).lstrip(b"\x00")
            while not rest and (block := next(blocks, b"")):
                rest = block.lstrip(b"\x00")

    def _blocks(self, file: BinaryIO) -> Iterator[bytes]:
        while block := file.read(PIECE):
            self._digest.update(block)
            if self._told is not None:
                self._told(len(block))
            yield block
