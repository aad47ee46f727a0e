"""A reader of untrusted ZIP archives, with limits of members and bytes (zip bombs).

The standard library reads the directory; this module checks it before it opens a member. Only stored and deflated
members are read: other methods cannot be inflated in pieces within a memory limit (1,670 bytes of bzip2 took 4.9 GB).
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from itertools import pairwise
from typing import IO
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, ZipInfo

from timbra.core.local_files import is_system_file

PIECE = 1024 * 1024
ENTRIES_PER_MEMBER = 2
"""macOS adds a file of attributes to each file and folder."""
_DIRECTORY_ENTRY = b"PK\x01\x02"
_LOCAL_HEADER = struct.Struct("<4s22xHH")
_LOCAL_SIGNATURE = b"PK\x03\x04"
_ENCRYPTED = 0x1
_UNREADABLE = (
    zlib.error,
    EOFError,
    IndexError,
    LookupError,
    NotImplementedError,
    OSError,
    OverflowError,
    RuntimeError,
    ValueError,
    struct.error,
)
"""Exceptions of the standard library for a damaged archive, besides BadZipFile."""


class ZipReader:
    """The files of one archive. Every fault of the archive raises BadZipFile with a Spanish text.

    Attributes:
        files: the members that are neither folders nor files of an operating system; their names have `/`.

    Args:
        source: seekable file; it stays open.
        most_members: largest number of files and folders.
        most_bytes: largest number of inflated bytes of all members.
    """

    def __init__(self, source: IO[bytes], most_members: int, most_bytes: int) -> None:
        self._source = source
        self._most_bytes = most_bytes
        self._inflated = 0
        with _as_bad_zip():
            too_many = BadZipFile(f"trae más de {most_members} archivos")
            if _directory_entries(source) > ENTRIES_PER_MEMBER * most_members:
                raise too_many
            self._archive = ZipFile(source)
            members = self._archive.infolist()
            for member in members:
                _check(member)
                member.filename = member.filename.replace("\\", "/")
            if len({member.filename for member in members}) < len(members):
                raise BadZipFile("trae dos archivos con el mismo nombre")
            self._check_places(members)
        found = [member for member in members if not is_system_file(member.filename)]
        if len(found) > most_members:
            raise too_many
        self.files = [member for member in found if not member.filename.endswith("/")]

    def read(self, member: ZipInfo, most_bytes: int) -> bytes:
        """Return the content of a member, at most its first `most_bytes`.

        The sizes in the directory are not trusted: another size of the content is an error.

        Args:
            member: a file of the archive.
            most_bytes: limit of the returned bytes.

        Raises:
            BadZipFile: the archive is damaged, a size is untrue, or the members together exceed the limit.
        """
        content = BytesIO()
        self.extract(member, content, most_bytes)
        return content.getvalue()

    def extract(self, member: ZipInfo, target: IO[bytes], most_bytes: int) -> None:
        """Write the content of a member, at most its first `most_bytes`, to a file.

        Args:
            member: a file of the archive.
            target: receives the bytes.
            most_bytes: limit of the written bytes.

        Raises:
            BadZipFile: as for `read`.
        """
        remaining = most_bytes
        with _as_bad_zip(), self._archive.open(member) as file:
            while piece := file.read(min(PIECE, remaining)):
                self._inflated += len(piece)
                if self._inflated > self._most_bytes:
                    raise BadZipFile(f"su contenido pasa de {self._most_bytes} bytes")
                remaining -= len(piece)
                target.write(piece)
        if remaining and most_bytes - remaining != member.file_size:
            raise BadZipFile(f"{member.filename} no tiene el tamaño que anuncia")

    def _check_places(self, members: list[ZipInfo]) -> None:
        """Check that members do not overlap each other or the directory."""
        places = sorted(self._place(member) for member in members)
        ends = [*places, (self._archive.start_dir, self._archive.start_dir)]
        if any(end > start for (_, end), (start, _) in pairwise(ends)):
            raise BadZipFile("sus archivos se enciman")

    def _place(self, member: ZipInfo) -> tuple[int, int]:
        """Return the offsets of the member's local header and of the end of its content."""
        self._source.seek(member.header_offset)
        signature, name_length, extra_length = _LOCAL_HEADER.unpack(self._source.read(_LOCAL_HEADER.size))
        if signature != _LOCAL_SIGNATURE:
            raise BadZipFile("su directorio señala un lugar donde no hay ningún archivo")
        start = member.header_offset
        return start, start + _LOCAL_HEADER.size + name_length + extra_length + member.compress_size


def _check(member: ZipInfo) -> None:
    if not member.filename:
        raise BadZipFile("trae un archivo sin nombre")
    if member.compress_type not in (ZIP_STORED, ZIP_DEFLATED):
        raise BadZipFile(f"{member.filename} usa el método de compresión {member.compress_type}; se admiten 0 y 8")
    if member.flag_bits & _ENCRYPTED:
        raise BadZipFile(f"{member.filename} está cifrado")


def _directory_entries(source: IO[bytes]) -> int:
    """Count the signatures of directory entries (an upper bound) before the library builds objects for them."""
    source.seek(0)
    found, rest = 0, b""
    while piece := source.read(PIECE):
        window = rest + piece
        found += window.count(_DIRECTORY_ENTRY)
        rest = window[1 - len(_DIRECTORY_ENTRY) :]
    return found


@contextmanager
def _as_bad_zip() -> Iterator[None]:
    try:
        yield
    except _UNREADABLE as error:
        raise BadZipFile(str(error) or type(error).__name__) from error
