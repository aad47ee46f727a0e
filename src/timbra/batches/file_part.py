"""A part of a file, as a file of its own."""

from __future__ import annotations

from errno import EINVAL
from io import SEEK_CUR, SEEK_END, SEEK_SET, BufferedIOBase, UnsupportedOperation
from typing import IO


class FilePart(BufferedIOBase):
    """The bytes from `start` to `end` of a seekable file, which stays open; for one reader."""

    def __init__(self, file: IO[bytes], start: int, end: int) -> None:
        self._file = file
        self._start = start
        self._end = end
        self._position = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        """Return the position, from the beginning of the part."""
        return self._position

    def seek(self, offset: int, base: int = SEEK_SET) -> int:
        """Change the position and return it.

        Raises:
            UnsupportedOperation: For a base that `io` does not have.
            OSError: For a negative position, as of a file.
        """
        bases = {SEEK_SET: 0, SEEK_CUR: self._position, SEEK_END: self._end - self._start}
        if base not in bases:
            raise UnsupportedOperation("seek")
        position = bases[base] + offset
        if position < 0:
            raise OSError(EINVAL, "negative position")
        self._position = position
        return position

    def read(self, size: int | None = -1) -> bytes:
        """Return at most `size` bytes from the position on; all of them for None or a negative number."""
        remaining = max(self._end - self._start - self._position, 0)
        wanted = remaining if size is None or size < 0 else min(size, remaining)
        self._file.seek(self._start + self._position)
        content = self._file.read(wanted)
        self._position += len(content)
        return content
