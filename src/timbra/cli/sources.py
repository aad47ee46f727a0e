"""Documents from files, folders, archives and standard input, read one at a time and within bounds."""

from __future__ import annotations

import sys
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from timbra.errors import ServiceError

STANDARD_INPUT = Path("-")


@dataclass(frozen=True, slots=True)
class Source:
    """Where a document lies. member: its name in the archive, None for a file of its own."""

    path: Path
    member: str | None = None

    @property
    def name(self) -> str:
        """As people see it: `folder/file.xml`, `archive.zip!inside/file.xml`, `-`."""
        return str(self.path) if self.member is None else f"{self.path}!{self.member}"


def sources(paths: Iterable[Path]) -> Iterator[Source]:
    """Every document in the given places. Of folders and archives only what ends in `.xml` or `.zip`, in any case.

    ServiceError("source-unreadable") for an archive that is none. Archives inside of archives are not opened.
    """
    for path in paths:
        if path.is_dir():
            inside = (child for child in sorted(path.rglob("*")) if child.suffix.lower() in (".xml", ".zip"))
            yield from sources(child for child in inside if child.is_file())
        elif path.suffix.lower() == ".zip":
            with _archive(path) as archive:
                members = [member for member in archive.namelist() if member.lower().endswith(".xml")]
            yield from (Source(path, member) for member in members)
        else:
            yield Source(path)


class Reader:
    """Reads sources; keeps the archive of the last one open."""

    def __init__(self, most_bytes: int) -> None:
        self._most_bytes = most_bytes
        self._open: tuple[Path, zipfile.ZipFile] | None = None

    def read(self, source: Source) -> bytes:
        """The content; of what is too large only as much as shows that it is.

        ServiceError: "TB4001" beyond the largest document, "source-unreadable" for what cannot be read.
        """
        try:
            content = self._content(source)
        except (OSError, zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as error:
            raise ServiceError("source-unreadable", f"{source.name}: {error}") from error
        if len(content) > self._most_bytes:
            raise ServiceError("TB4001", f"El límite es de {self._most_bytes} bytes.")
        return content

    def close(self) -> None:
        if self._open is not None:
            self._open[1].close()
            self._open = None

    def _content(self, source: Source) -> bytes:
        most = self._most_bytes + 1
        if source.path == STANDARD_INPUT:
            return sys.stdin.buffer.read(most)
        if source.member is None:
            with source.path.open("rb") as file:
                return file.read(most)
        with self._archive_of(source.path).open(source.member) as member:
            return member.read(most)

    def _archive_of(self, path: Path) -> zipfile.ZipFile:
        if self._open is None or self._open[0] != path:
            self.close()
            self._open = path, _archive(path)
        return self._open[1]


def _archive(path: Path) -> zipfile.ZipFile:
    try:
        return zipfile.ZipFile(path)
    except (OSError, zipfile.BadZipFile) as error:
        raise ServiceError("source-unreadable", f"{path}: {error}") from error
