"""Documents from files, folders, zip archives and standard input, read one at a time and with size limits."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from io import BufferedReader
from pathlib import Path
from typing import IO
from zipfile import BadZipFile

from timbra.console.language import translate
from timbra.core.errors import ServiceError
from timbra.core.local_files import PDF, XML, is_system_file, prints_among, read_at_most, suffix_of_name
from timbra.core.zip_archives import ZipReader

MAX_MEMBERS = 1_000_000
MAX_RATIO = 200
"""Largest ratio of the extracted size to the size of an archive."""
FREE_BYTES = 64 * 1024 * 1024
"""Bytes that may be extracted from an archive of any size; `MAX_RATIO` limits larger sums."""
ARCHIVE = ".zip"
STANDARD_INPUT = Path("-")
NO_DOCUMENTS = "The given files and folders contain no document."
_STANDARD_INPUT_NAME = str(STANDARD_INPUT)
HEAD_BYTES = 4096
SIGNATURES = {
    b"%PDF-": "pdf",
    b"\x89PNG\r\n\x1a\n": "png",
    b"\xff\xd8\xff": "jpeg",
    b"PK\x03\x04": "zip",
    b"\x1f\x8b": "gzip",
    b"{": "json",
}
SENTENCES = {
    "pdf": "This is a PDF; give the XML.",
    "png": "This is a PNG image; give the XML.",
    "jpeg": "This is a JPEG image; give the XML.",
    "zip": "This is a ZIP archive; give it a name that ends in .zip, or give the XML.",
    "gzip": "This is a gzip file; give the XML.",
    "json": "This is JSON; give the XML.",
    "text": "This is text, not XML; give the XML.",
}
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_XML_STARTS = (b"<", b"\xff\xfe", b"\xfe\xff")


def require_xml(content: bytes) -> None:
    """Reject content that is clearly no XML; the parser rejects the rest.

    Raises:
        ServiceError: "source-not-xml", whose detail names what the content is.
    """
    kind = kind_of(content)
    if kind is not None:
        raise ServiceError("source-not-xml", translate(SENTENCES[kind]))


def kind_of(content: bytes) -> str | None:
    """Return a key of `SENTENCES` for content that is no XML; None for empty content, and for what may be XML."""
    head = content[:HEAD_BYTES].removeprefix(_BYTE_ORDER_MARK).lstrip()
    for signature, kind in SIGNATURES.items():
        if head.startswith(signature):
            return kind
    # XML in UTF-16 has NUL bytes.
    return "text" if head and b"\0" not in head and not head.startswith(_XML_STARTS) else None


@dataclass(frozen=True, slots=True)
class DocumentSource:
    """The location of a document.

    Attributes:
        path: the file, or the archive that contains the document; a text, which another process gets in less time
            than a `Path`.
        member: name in the archive; None for a file that is the document itself.
    """

    path: str
    member: str | None = None

    @property
    def name(self) -> str:
        """The name for display: `folder/file.xml`, `archive.zip!inside/file.xml`, `-`."""
        return self.path if self.member is None else f"{self.path}!{self.member}"

    @property
    def is_standard_input(self) -> bool:
        """Whether only the process with the standard input can read the document."""
        return self.path == _STANDARD_INPUT_NAME


def wait_for_standard_input(paths: Iterable[Path]) -> None:
    """Wait until standard input, if it is one of the paths, has a first byte or ends; nothing is read.

    In a pipeline the command that writes the document creates the data folder before its first byte.
    """
    if STANDARD_INPUT in paths and isinstance(sys.stdin.buffer, BufferedReader):
        sys.stdin.buffer.peek(1)


def list_sources(
    paths: Iterable[Path],
    ignored: list[str] | None = None,
    *,
    with_unreadable: bool = False,
    with_pdf: bool = False,
) -> Iterator[DocumentSource]:
    """List every document of the given files, folders and archives.

    Folders and archives contribute the names that end in `.xml`, in any letter case; folders also contribute their
    `.zip` archives. Archives inside archives are not opened.

    Args:
        paths: files, folders, archives, or `STANDARD_INPUT`.
        ignored: receives the names of the files in folders and archives that are no document by their name.
        with_unreadable: whether an archive of a folder that cannot be opened is a document that cannot be read.
        with_pdf: whether a PDF of a folder or an archive is a document, unless it is beside an XML of its name.

    Yields:
        The documents; those of a folder sorted by path.

    Raises:
        ServiceError: `source-unreadable` for another file with the suffix `.zip` that is not a valid archive.
    """
    ignored = [] if ignored is None else ignored
    listed = _listed_or_unreadable if with_unreadable else _listed
    for path in paths:
        if path.is_dir():
            files = _files_below(path)
            documents = documents_among(files, with_pdf=with_pdf)
            for file in files:
                suffix = suffix_of_name(os.path.basename(file))
                if suffix == ARCHIVE or file in documents:
                    yield from listed(file, suffix, ignored, with_pdf=with_pdf)
                else:
                    ignored.append(file)
        else:
            yield from _listed(str(path), path.suffix.lower(), ignored, with_pdf=with_pdf)


def documents_among(names: Sequence[str], *, with_pdf: bool) -> frozenset[str]:
    """Return the names of a folder or archive that are documents.

    Args:
        names: Names or paths, with their folders.
        with_pdf: whether a PDF is one, unless it is beside an XML of its name.
    """
    suffixes = (XML, PDF) if with_pdf else (XML,)
    prints = prints_among(names) if with_pdf else frozenset()
    found = (name for name in names if suffix_of_name(name.rpartition("/")[2]) in suffixes)
    return frozenset(name for name in found if name not in prints)


def _listed_or_unreadable(file: str, suffix: str, ignored: list[str], *, with_pdf: bool) -> Iterator[DocumentSource]:
    try:
        yield from _listed(file, suffix, ignored, with_pdf=with_pdf)
    except Exception:  # raised again when it is read, for its row
        yield DocumentSource(file)


def _listed(file: str, suffix: str, ignored: list[str], *, with_pdf: bool) -> Iterator[DocumentSource]:
    """Yield the file, or the documents of the archive."""
    if suffix != ARCHIVE:
        yield DocumentSource(file)
        return
    with closing(_Archive(file)) as archive:
        members = [*archive.members]
    documents = documents_among(members, with_pdf=with_pdf)
    for member in members:
        source = DocumentSource(file, member)
        if member in documents:
            yield source
        else:
            ignored.append(source.name)


def _files_below(folder: Path) -> list[str]:
    """Return the files of users below a folder, sorted by the parts of their paths; linked folders are not entered."""
    found = [
        path
        for parent, _, names in os.walk(folder)
        for path in (os.path.join(parent, name) for name in names)
        if not is_system_file(path) and os.path.isfile(path)
    ]
    if folder == Path():  # a `Path` has no `./` before its parts
        found = [path.removeprefix(os.path.join(os.curdir, "")) for path in found]
    return sorted(found, key=lambda path: path.split(os.sep))


class DocumentReader:
    """Reads sources; keeps the archive of the last source open.

    Args:
        max_bytes: size of the largest document.
        with_pdf: whether a PDF, which may have a CFDI attached, is a document.
    """

    def __init__(self, max_bytes: int, *, with_pdf: bool = False) -> None:
        self._max_bytes = max_bytes
        self._with_pdf = with_pdf
        self._open: tuple[str, _Archive] | None = None

    def read(self, source: DocumentSource) -> bytes:
        """Read a document; of one that is too large, no more than one byte beyond the limit.

        Raises:
            ServiceError: `TB4001` for a document larger than `max_bytes`; `source-unreadable` for a file or member
                that cannot be read; `source-not-xml` for an image, an archive or text, and for a PDF unless it is a
                document.
        """
        try:
            content = self._content(source)
        except (OSError, BadZipFile) as error:
            raise ServiceError("source-unreadable", f"{source.name}: {error}") from error
        if len(content) > self._max_bytes:
            raise ServiceError("TB4001", f"El límite es de {self._max_bytes} bytes.")
        if not (self._with_pdf and kind_of(content) == "pdf"):
            require_xml(content)
        return content

    def close(self) -> None:
        """Close the open archive."""
        if self._open is not None:
            self._open[1].close()
            self._open = None

    def _content(self, source: DocumentSource) -> bytes:
        limit = self._max_bytes + 1
        if source.is_standard_input:
            return sys.stdin.buffer.read(limit)
        if source.member is None and suffix_of_name(os.path.basename(source.path)) == ARCHIVE:
            self._archive(source.path)
            raise BadZipFile("cambió mientras se leía")
        if source.member is None:
            return read_at_most(source.path, limit)
        return self._archive(source.path).read(source.member, limit)

    def _archive(self, path: str) -> _Archive:
        if self._open is None or self._open[0] != path:
            self.close()
            self._open = path, _Archive(path)
        return self._open[1]


class _Archive:
    """An open zip archive.

    ServiceError(`source-unreadable`) is raised for a file that is not an archive, or one that exceeds the limits.
    """

    def __init__(self, path: str) -> None:
        with ExitStack() as stack:
            try:
                file: IO[bytes] = stack.enter_context(open(path, "rb"))
                self._reader = ZipReader(file, MAX_MEMBERS, max(FREE_BYTES, MAX_RATIO * os.stat(path).st_size))
            except (OSError, BadZipFile) as error:
                raise ServiceError("source-unreadable", f"{path}: {error}") from error
            self.members = {member.filename: member for member in self._reader.files}
            self._stack = stack.pop_all()

    def read(self, name: str, max_bytes: int) -> bytes:
        """Read at most `max_bytes` of a member.

        Raises:
            BadZipFile: For a damaged member, and for one that is missing because the archive changed.
        """
        if name not in self.members:
            raise BadZipFile(f"{name} ya no está en el archivo")
        return self._reader.read(self.members[name], max_bytes)

    def close(self) -> None:
        self._stack.close()


def existing_sources(files: list[Path]) -> list[Path]:
    """Check that the files and folders of an argument exist.

    Raises:
        typer.BadParameter: One does not exist.
    """
    import typer

    for file in files:
        if file != STANDARD_INPUT and not file.exists():
            raise typer.BadParameter(translate("{file}: does not exist.").format(file=file))
    return files
