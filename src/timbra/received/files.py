"""Documents inside uploaded files: single documents, ZIP archives, and metadata files of the SAT's mass download."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path, PurePosixPath
from zipfile import BadZipFile, ZipInfo

from timbra.console.sources import documents_among
from timbra.core.errors import ServiceError
from timbra.core.local_files import is_system_file
from timbra.core.text import storable
from timbra.core.zip_archives import ZipReader

MAX_NAME_LENGTH = 300
MAX_RATIO = 200
"""Largest ratio of the extracted size to the size of an archive."""
FREE_BYTES = 64 * 1024 * 1024
"""Bytes that may be extracted from an archive of any size; `MAX_RATIO` limits larger sums."""
MAX_EXTRACTED_BYTES = 2 * 1024 * 1024 * 1024
"""Bytes that may be extracted from any archive."""
ZIP_START = b"PK\x03\x04"
ZIP, TEXT = ".zip", ".txt"


@dataclass(frozen=True, slots=True)
class UploadedFile:
    """An uploaded file.

    Attributes:
        name: Name that the browser sends, with its folder when it has one.
        path: Where the server stores it.
    """

    name: str
    path: str


@dataclass(frozen=True, slots=True)
class Entry:
    """A document, or a metadata file.

    Attributes:
        source: Name for display; `archive.zip!member.xml` for a member of an archive.
        path: The uploaded file.
        member: Position in the archive; None for a file that is no archive.
        size: Bytes, as the archive announces them.
        is_metadata: Whether the name is that of a text file.
    """

    source: str
    path: str
    member: int | None
    size: int
    is_metadata: bool


@dataclass(frozen=True, slots=True)
class Listing:
    """The documents of uploaded files.

    Attributes:
        entries: Documents and metadata files.
        rejected: Names and errors of files that cannot be opened.
        ignored: Number of members of archives that are neither.
    """

    entries: tuple[Entry, ...]
    rejected: tuple[tuple[str, ServiceError], ...]
    ignored: int


def list_entries(files: tuple[UploadedFile, ...], most: int) -> Listing:
    """List the documents of uploaded files. `most`: Largest number of members of an archive."""
    entries: list[Entry] = []
    rejected: list[tuple[str, ServiceError]] = []
    ignored = 0
    for file in files:
        if is_system_file(file.name):
            continue
        name = storable(file.name, MAX_NAME_LENGTH)
        if not _is_archive(file):
            is_metadata = _suffix(name) == TEXT
            entries.append(Entry(name, file.path, None, Path(file.path).stat().st_size, is_metadata))
            continue
        try:
            with OpenArchive(file.path, most) as archive:
                members = [*_members(name, file.path, archive.reader.files)]
        except BadZipFile as error:
            rejected.append((name, ServiceError("source-unreadable", f"{name}: {error}")))
            continue
        entries += [member for member in members if member is not None]
        ignored += members.count(None)
    return Listing(tuple(entries), tuple(rejected), ignored)


def _members(name: str, path: str, files: list[ZipInfo]) -> Iterator[Entry | None]:
    """Yield an entry for each document and text file, None for other members."""
    documents = documents_among([member.filename for member in files], with_pdf=True)
    for place, member in enumerate(files):
        is_metadata = _suffix(member.filename) == TEXT
        source = storable(f"{name}!{member.filename}", MAX_NAME_LENGTH)
        is_read = is_metadata or member.filename in documents
        yield Entry(source, path, place, member.file_size, is_metadata) if is_read else None


class OpenArchive:
    """An open archive, as a context manager. BadZipFile for one that is damaged or exceeds the limits."""

    def __init__(self, path: str, most: int) -> None:
        with ExitStack() as stack:
            file = stack.enter_context(Path(path).open("rb"))
            extracted = min(max(FREE_BYTES, MAX_RATIO * Path(path).stat().st_size), MAX_EXTRACTED_BYTES)
            self.reader = ZipReader(file, most, extracted)
            if sum(member.file_size for member in self.reader.files) > extracted:
                raise BadZipFile(f"su contenido pasa de {extracted} bytes")
            self._stack = stack.pop_all()

    def __enter__(self) -> OpenArchive:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()


class EntryReader:
    """Reads entries; keeps the archive of the last one open.

    Args:
        most: Largest number of members of an archive.
        max_bytes: Size of the largest document.
    """

    def __init__(self, most: int, max_bytes: int) -> None:
        self._most = most
        self._max_bytes = max_bytes
        self._open: tuple[str, OpenArchive] | None = None

    def read(self, entry: Entry) -> bytes:
        """Read an entry.

        Raises:
            ServiceError: "source-unreadable" for one that cannot be read, "TB4001" for one that is too large.
        """
        try:
            content = self._content(entry)
        except (OSError, BadZipFile) as error:
            raise ServiceError("source-unreadable", f"{entry.source}: {error}") from error
        if len(content) > self._max_bytes:
            raise ServiceError("TB4001", f"El límite es de {self._max_bytes / 1024 / 1024:g} MiB.")
        return content

    def open(self, entry: Entry) -> BytesIO:
        """Return the content of an entry as a file. ServiceError as `read`."""
        return BytesIO(self.read(entry))

    def close(self) -> None:
        """Close the open archive."""
        if self._open is not None:
            self._open[1].__exit__()
            self._open = None

    def _content(self, entry: Entry) -> bytes:
        if entry.member is None:
            with Path(entry.path).open("rb") as file:
                return file.read(self._max_bytes + 1)
        if self._open is None or self._open[0] != entry.path:
            self.close()
            self._open = entry.path, OpenArchive(entry.path, self._most)
        reader = self._open[1].reader
        return reader.read(reader.files[entry.member], self._max_bytes + 1)


def _is_archive(file: UploadedFile) -> bool:
    with Path(file.path).open("rb") as content:
        return content.read(len(ZIP_START)) == ZIP_START or _suffix(file.name) == ZIP


def _suffix(name: str) -> str:
    return PurePosixPath(name.replace("\\", "/")).suffix.lower()
