"""The file of a saved sandbox: JSON lines in Zstandard, written and read one row at a time.

The first line is the header. A line with name and columns precedes the rows of each table; each row is an array. The
last line has the number of rows and the SHA-256 of all lines before it.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from typing import IO, Any, Final

import zstandard

from timbra.core.errors import ServiceError

FORMAT: Final = "timbra-sandbox-state-1"
MEDIA_TYPE: Final = "application/vnd.timbra.sandbox-state+zstd"
MEBIBYTE = 1024 * 1024
MAX_FILE_BYTES: Final = 64 * MEBIBYTE
"""Largest file; about 30,000 stamps."""
MAX_CONTENT_BYTES: Final = 1024 * MEBIBYTE
"""Largest decompressed content."""
MAX_LINE_BYTES: Final = 64 * MEBIBYTE
MAX_WINDOW_BYTES: Final = 8 * MEBIBYTE
"""Memory of the decompressor."""
READ_BYTES = 256 * 1024
LEVEL = 3


@dataclass(frozen=True, slots=True)
class StateHeader:
    """Where a state comes from.

    Attributes:
        schema: Migration of the database.
        program: Version of Timbra.
        master_key: Id of the master key, hexadecimal.
        saved_at: Wall instant, ISO 8601.
    """

    environment: str
    schema: str
    program: str
    master_key: str
    saved_at: str


class StateWriter:
    """Writes a state to a file."""

    def __init__(self, file: IO[bytes], header: StateHeader) -> None:
        """Write the header.

        Args:
            file: An empty file, which the caller closes.
            header: The origin of the state.
        """
        self._file = file
        compressor = zstandard.ZstdCompressor(level=LEVEL, write_checksum=True)
        self._stream: Any = compressor.stream_writer(file, closefd=False)
        self._hash = hashlib.sha256()
        self._content_bytes = 0
        self.rows = 0
        self._write({"format": FORMAT, **asdict(header)})

    def write_table(self, name: str, columns: list[str], rows: Iterable[list[Any]]) -> None:
        """Write the rows of a table. Raises ServiceError: "state-too-large"."""
        self._write({"table": name, "columns": columns})
        for row in rows:
            self._write(row)
            self.rows += 1

    def close(self) -> None:
        """Write the last line and complete the file. Raises ServiceError: "state-too-large"."""
        self._write({"rows": self.rows, "sha256": self._hash.hexdigest()})
        self._stream.close()
        self._require_size()

    def _write(self, value: object) -> None:
        line = json.dumps(value, separators=(",", ":")).encode("ascii") + b"\n"
        self._hash.update(line)
        self._content_bytes += len(line)
        self._stream.write(line)
        self._require_size()

    def _require_size(self) -> None:
        if self._content_bytes > MAX_CONTENT_BYTES or self._file.tell() > MAX_FILE_BYTES:
            raise too_large()


class StateReader:
    """Reads a state from a file; what it yields is verified only when `finish` has returned."""

    def __init__(self, file: IO[bytes]) -> None:
        """Read the header.

        Args:
            file: A file that can seek, which the caller closes.

        Raises:
            ServiceError: "state-damaged", "state-too-large".
        """
        size = file.seek(0, os.SEEK_END)
        file.seek(0)
        if size > MAX_FILE_BYTES:
            raise too_large()
        decompressor = zstandard.ZstdDecompressor(max_window_size=MAX_WINDOW_BYTES)
        stream: Any = decompressor.stream_reader(file, closefd=False)
        self._lines = io.BufferedReader(stream, READ_BYTES)
        self._hash = hashlib.sha256()
        self._content_bytes = 0
        self._rows = 0
        self._next: Any = self._read()
        self.header = self._header()

    def table(self, name: str, columns: list[str]) -> Iterator[list[Any]]:
        """Yield the rows of the next table, which must have this name and these columns.

        Raises:
            ServiceError: "state-damaged", "state-too-large".
        """
        if self._next != {"table": name, "columns": columns}:
            raise damaged(f"falta la tabla {name}")
        self._next = self._read()
        while isinstance(self._next, list):
            self._rows += 1
            yield self._next
            self._next = self._read()

    def finish(self) -> int:
        """Verify that the file is complete, after its last table; return the number of rows.

        Raises:
            ServiceError: "state-damaged".
        """
        if self._next != {"rows": self._rows, "sha256": self._verified} or self._read_line():
            raise damaged("está cortado o alterado")
        return self._rows

    def _header(self) -> StateHeader:
        found = self._next
        if not isinstance(found, dict) or found.pop("format", None) != FORMAT:
            raise damaged("no tiene el formato de un estado")
        names = set(StateHeader.__dataclass_fields__)
        if found.keys() != names or not all(isinstance(value, str) for value in found.values()):
            raise damaged("su encabezado no se entiende")
        self._next = self._read()
        return StateHeader(**found)

    def _read(self) -> Any:
        self._verified = self._hash.hexdigest()
        line = self._read_line()
        self._hash.update(line)
        try:
            return json.loads(line)
        except (ValueError, RecursionError) as error:
            raise damaged("está cortado o alterado") from error

    def _read_line(self) -> bytes:
        try:
            line = self._lines.readline(MAX_LINE_BYTES + 1)
        except zstandard.ZstdError as error:
            raise damaged("está cortado o alterado") from error
        self._content_bytes += len(line)
        if len(line) > MAX_LINE_BYTES or self._content_bytes > MAX_CONTENT_BYTES:
            raise too_large()
        return line


def damaged(reason: str) -> ServiceError:
    """Return the error of a file that is not a complete state."""
    return ServiceError("state-damaged", f"El archivo {reason}.")


def too_large() -> ServiceError:
    """Return the error of a state beyond the limits."""
    limits = f"{MAX_FILE_BYTES // MEBIBYTE} MiB comprimido y {MAX_CONTENT_BYTES // MEBIBYTE} MiB sin comprimir"
    return ServiceError("state-too-large", f"El límite es de {limits}.")
