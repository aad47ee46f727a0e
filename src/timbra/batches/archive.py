"""The archive of a batch: it is checked whole before the first document is stamped."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO
from zipfile import BadZipFile, ZipInfo

from timbra.core.errors import ServiceError
from timbra.core.zip_archives import ZipReader

MAX_NAME = 200
MAX_RATIO = 200
"""Largest ratio of the extracted size to the size of the archive."""
FREE_BYTES = 16 * 1024 * 1024
"""Bytes that may be extracted from an archive of any size; `MAX_RATIO` limits larger sums."""
LIBRARY_TEXTS = {
    "File is not a zip file": "no es un archivo ZIP",
    "Bad CRC-32": "su contenido está dañado",
    "Bad magic number": "su directorio está dañado",
    "Truncated": "está incompleto",
    "Error -": "su contenido está dañado",
}
_PART = re.compile(r"[^/\\:\x00-\x1f\x7f]+")
_RELATIVE = frozenset({".", ".."})


@dataclass(frozen=True, slots=True)
class BatchLimits:
    """Limits of one batch.

    Attributes:
        archive_bytes: Of the ZIP.
        files: Documents.
        unpacked_bytes: Of all documents together.
        document_bytes: Of one document.
    """

    archive_bytes: int
    files: int
    unpacked_bytes: int
    document_bytes: int


class BatchArchive:
    """An open archive of a batch.

    Attributes:
        documents: Its documents, in the order of its directory.

    Args:
        file: The archive; it stays open.
        limits: The limits.

    Raises:
        ServiceError: "TB4030" for an archive that is not readable or beyond a limit.
    """

    def __init__(self, file: IO[bytes], limits: BatchLimits) -> None:
        size = file.seek(0, 2)
        if not size:
            raise batch_rejected("El ZIP viene vacío.")
        if size > limits.archive_bytes:
            raise batch_rejected(f"El ZIP pasa de {limits.archive_bytes} bytes.")
        self._limits = limits
        self._ratio_bytes = max(FREE_BYTES, MAX_RATIO * size)
        try:
            self._reader = ZipReader(file, limits.files, min(limits.unpacked_bytes, self._ratio_bytes))
        except BadZipFile as error:
            raise batch_rejected(f"El ZIP no se puede usar: {_reason(error)}.") from error
        self.documents = self._reader.files

    def check(self) -> None:
        """Check names and contents of all documents: every byte is extracted once, and dropped.

        Raises:
            ServiceError: "TB4030".
        """
        if not self.documents:
            raise batch_rejected("El ZIP no trae documentos.")
        seen: set[str] = set()
        for member in self.documents:
            _check_name(member.filename)
            if member.filename.casefold() in seen:
                raise batch_rejected(f"El ZIP trae dos archivos con el mismo nombre: {member.filename}.")
            seen.add(member.filename.casefold())
        self._check_sizes()
        drain = _Drain()
        for member in self.documents:
            drain.size = 0
            self._extract(member, drain)

    def read(self, member: ZipInfo) -> bytes:
        """Return the content of a document. Raises ServiceError: "TB4030"."""
        try:
            return self._reader.read(member, self._limits.document_bytes + 1)
        except BadZipFile as error:
            raise batch_rejected(f"{member.filename} no se puede leer: {_reason(error)}.") from error

    def _check_sizes(self) -> None:
        limits = self._limits
        total = sum(member.file_size for member in self.documents)
        if total > limits.unpacked_bytes:
            raise batch_rejected(f"El contenido del ZIP pasa de {limits.unpacked_bytes} bytes.")
        if total > self._ratio_bytes:
            raise batch_rejected(f"El contenido del ZIP es más de {MAX_RATIO} veces mayor que el ZIP.")
        for member in self.documents:
            if member.file_size > limits.document_bytes:
                raise batch_rejected(f"{member.filename} pasa de {limits.document_bytes} bytes.")

    def _extract(self, member: ZipInfo, drain: _Drain) -> None:
        try:
            self._reader.extract(member, drain, self._limits.document_bytes + 1)  # type: ignore[arg-type]
        except BadZipFile as error:
            raise batch_rejected(f"{member.filename} no se puede leer: {_reason(error)}.") from error
        if drain.size > self._limits.document_bytes:
            raise batch_rejected(f"{member.filename} pasa de {self._limits.document_bytes} bytes.")


class _Drain:
    """A file that counts what is written to it."""

    size = 0

    def write(self, piece: bytes) -> int:
        self.size += len(piece)
        return len(piece)


def pieces_of(file: IO[bytes], size: int = 1024 * 1024) -> Iterator[bytes]:
    """Yield the bytes of a file from its beginning, in pieces."""
    file.seek(0)
    while piece := file.read(size):
        yield piece


def _reason(error: BadZipFile) -> str:
    """Return why an archive is not readable; the texts of the standard library are English."""
    text = str(error)
    return next((spanish for english, spanish in LIBRARY_TEXTS.items() if text.startswith(english)), text)


def batch_rejected(detail: str) -> ServiceError:
    """Return the rejection of a whole batch."""
    return ServiceError("TB4030", detail)


def _check_name(name: str) -> None:
    parts = name.split("/")
    is_plain = all(_PART.fullmatch(part) and part not in _RELATIVE for part in parts)
    if len(name) > MAX_NAME or not is_plain or not name.isprintable():
        raise batch_rejected(
            f"El ZIP trae un archivo con una carpeta o un nombre que no se admite: {name[:MAX_NAME]!r}."
        )
    if not name.lower().endswith(".xml"):
        raise batch_rejected(f"El ZIP solo debe traer archivos .xml, sin otros ZIP dentro; trae {name!r}.")
