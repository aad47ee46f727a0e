"""ZIP archives that are sent while they are written."""

from __future__ import annotations

import io
from typing import IO, TYPE_CHECKING
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

ZIP_DATE = (1980, 1, 1, 0, 0, 0)


class ZipStream:
    """A ZIP archive that is read in pieces while members are added."""

    def __init__(self) -> None:
        self._buffer = _Unseekable()
        self._archive = ZipFile(self._buffer, "w", ZIP_DEFLATED)

    def add(self, name: str, content: bytes) -> bytes:
        """Add a member; return the bytes to send."""
        self.write(name, content)
        return self.take()

    def write(self, name: str, content: bytes) -> None:
        """Add a member."""
        self._archive.writestr(_member(name), content)

    def open(self, name: str) -> IO[bytes]:
        """Open a member of less than 2 GiB that is written in pieces; `take` returns the bytes to send."""
        return self._archive.open(_member(name), "w")

    def take(self) -> bytes:
        """Return the bytes to send."""
        return self._buffer.take()

    def close(self) -> bytes:
        """Write the directory; return the last bytes."""
        self._archive.close()
        return self._buffer.take()


class _Unseekable(io.RawIOBase):
    """Collects what `ZipFile` writes; without `seek` and `tell`, it writes data descriptors after the members."""

    def __init__(self) -> None:
        super().__init__()
        self._pieces: list[bytes] = []

    def writable(self) -> bool:
        return True

    def write(self, data: ReadableBuffer) -> int:
        piece = bytes(data)
        self._pieces.append(piece)
        return len(piece)

    def take(self) -> bytes:
        """Return and forget what was written."""
        pieces, self._pieces = self._pieces, []
        return b"".join(pieces)


def _member(name: str) -> ZipInfo:
    member = ZipInfo(name, ZIP_DATE)
    member.compress_type = ZIP_DEFLATED
    return member
