"""ZIP archives of documents, also inside other archives, within limits of depth, members and bytes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import PurePosixPath
from tempfile import TemporaryFile
from typing import IO
from zipfile import BadZipFile, ZipInfo

from timbra.bulk.locations import open_seekable, printable
from timbra.console.sources import documents_among
from timbra.core.bounds import Bound, BoundKind
from timbra.core.errors import ServiceError
from timbra.core.local_files import suffix_of_name
from timbra.core.zip_archives import ZipReader

MAX_DEPTH = 3
"""Archives inside one another, the outermost included."""
MAX_MEMBERS = 2_000_000
MAX_RATIO = 200
"""Largest ratio of the extracted size to the size of an archive."""
FREE_BYTES = 64 * 1024 * 1024
"""Bytes that may be extracted from an archive of any size; `MAX_RATIO` limits larger sums."""
MAX_NESTED_BYTES = 4 * 1024 * 1024 * 1024
"""Size of the largest archive inside another."""


class Archive:
    """An open archive.

    Attributes:
        files: its members that are no folders, in the order of its directory.
    """

    def __init__(self, file: IO[bytes], name: str) -> None:
        self._name = name
        size = file.seek(0, 2)
        with self._errors(name):
            self._reader = ZipReader(file, MAX_MEMBERS, max(FREE_BYTES, MAX_RATIO * size))
        self.files = self._reader.files
        self._documents: dict[bool, list[ZipInfo]] = {}

    def documents(self, *, with_pdf: bool) -> list[ZipInfo]:
        """Return the members that are documents, in the order of the directory.

        Args:
            with_pdf: whether a PDF is one, unless it is beside an XML of its name.
        """
        if with_pdf not in self._documents:
            names = documents_among([member.filename for member in self.files], with_pdf=with_pdf)
            self._documents[with_pdf] = [member for member in self.files if member.filename in names]
        return self._documents[with_pdf]

    def read(self, member: ZipInfo, max_bytes: int) -> bytes:
        """Return the content of a member, at most `max_bytes`. Raises ServiceError: `source-unreadable`."""
        with self._errors(self.name_of(member)):
            return self._reader.read(member, max_bytes)

    def extract(self, member: ZipInfo, target: IO[bytes]) -> None:
        """Write the content of a member to a file, at most `MAX_NESTED_BYTES`.

        Raises:
            ServiceError: `source-unreadable`, also for a larger member.
        """
        name = self.name_of(member)
        with self._errors(name):
            self._reader.extract(member, target, MAX_NESTED_BYTES + 1)
        if target.tell() > MAX_NESTED_BYTES:
            raise ServiceError("source-unreadable", f"{name}: pasa de {MAX_NESTED_BYTES} bytes")

    @contextmanager
    def open_nested(self, member: ZipInfo) -> Iterator[Archive]:
        """Open an archive inside this one, by way of a temporary file. Raises ServiceError: `source-unreadable`."""
        with TemporaryFile() as copy:
            self.extract(member, copy)
            yield Archive(copy, self.name_of(member))

    def name_of(self, member: ZipInfo) -> str:
        """Return the name of a member for display: `archive.zip!folder/member.xml`."""
        return f"{self._name}!{printable(member.filename)}"

    @staticmethod
    @contextmanager
    def _errors(name: str) -> Iterator[None]:
        try:
            yield
        except (BadZipFile, OSError) as error:
            raise ServiceError("source-unreadable", f"{name}: {error}") from error


class ArchiveCache:
    """Opens archives; keeps the last one open, because successive tasks read the same archive."""

    def __init__(self) -> None:
        self._key: tuple[str, ...] | None = None
        self._stack = ExitStack()
        self._archive: Archive | None = None

    def open(self, location: str, inner: tuple[str, ...]) -> Archive:
        """Return an archive.

        Args:
            location: Path or URL of the outermost archive.
            inner: Names of the members that lead to the archive, the outermost first.

        Raises:
            ServiceError: `source-unreadable`.
        """
        key = (location, *inner)
        if self._archive is not None and key == self._key:
            return self._archive
        self.close()
        with ExitStack() as stack:
            archive = Archive(stack.enter_context(open_seekable(location)), printable(location))
            for name in inner:
                members = {member.filename: member for member in archive.files}
                if name not in members:
                    raise ServiceError("source-unreadable", f"{printable(location)}: ya no está en el archivo")
                archive = stack.enter_context(archive.open_nested(members[name]))
            self._stack = stack.pop_all()
        self._key, self._archive = key, archive
        return archive

    def close(self) -> None:
        self._stack.close()
        self._key = self._archive = None


def suffix_of(name: str) -> str:
    """Return the suffix of a member or file in lower case, such as `.xml`."""
    path = name.replace("\\", "/")
    last = path.rpartition("/")[2]
    if last in ("", "."):
        return PurePosixPath(path).suffix.lower()
    return suffix_of_name(last)


BOUNDS = (Bound("ArchiveCache", BoundKind.CACHE, "1 open archive", "It is closed when another one is opened."),)
