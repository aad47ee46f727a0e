"""ZIP archives that are written while they are sent."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING
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
        member = ZipInfo(name, ZIP_DATE)
        member.compress_type = ZIP_DEFLATED
        self._archive.writestr(member, content)
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
