"""Stamping of very large invoices: a ZIP archive in a file, processed by a child process.

An invoice of 120,000 Conceptos takes seconds of CPU and hundreds of megabytes. The child process keeps this load out of
the worker and returns the memory when it ends. It also inflates the ZIP, whose directory the worker reads first: what
is no ZIP needs no process, and a document that other routes accept too takes a process of theirs, which may run.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import IO
from zipfile import BadZipFile, ZipInfo, is_zipfile

from timbra.core.bounds import Bound, BoundKind
from timbra.core.caller import Caller
from timbra.core.errors import ServiceError
from timbra.core.metrics import MetricsRegistry
from timbra.core.zip_archives import ZipReader
from timbra.pools import FairQueue, PoolLimits
from timbra.stamping.models import StampingOperation, StampResult

MIN_CONCEPTOS, MAX_CONCEPTOS = 10_000, 120_000
"""Number of Conceptos that the routes for large documents accept (wire contract, ZIP routes)."""
MOST_MEMBERS = 1000
"""Largest number of files and folders in an archive; exactly one may be a file."""
BUSY_SECONDS = 30
_CONCEPTO = re.compile(rb"<(?:[^\s<>/=:]+:)?Concepto[\s/>]")


@dataclass(frozen=True, slots=True)
class LargeStampRequest:
    """A large document to stamp.

    Attributes:
        path: its ZIP file.
        size: its bytes, as the ZIP declares them; no more of them can be read.
        custom_id, dry_run: as in `StampRequest`.
        operation: whether the server seals the document.
    """

    caller: Caller
    path: Path
    size: int
    request_id: str
    custom_id: str | None = None
    dry_run: bool = False
    operation: StampingOperation = StampingOperation.STAMP


class LargeStampingService:
    """Stamps one large document at a time; one instance per worker.

    Args:
        stamp: stamps a `LargeStampRequest` in another process.
        folder: for the archives while they are processed.
        most_waiting: limit of the fair queue, besides the request in progress.
        metrics: metrics of the queue.
    """

    def __init__(
        self,
        stamp: Callable[[LargeStampRequest], Awaitable[StampResult]],
        folder: Path,
        most_waiting: int = 3,
        metrics: MetricsRegistry | None = None,
    ) -> None:
        self._stamp = stamp
        self._folder = folder
        # One account cannot fill the queue: its last place is for another account.
        limits = PoolLimits(1, 1, most_waiting, max(1, most_waiting - 1))
        busy = "Hay demasiados documentos grandes en espera."
        self._queue = FairQueue("large", limits, busy, metrics, BUSY_SECONDS)

    async def stamp(
        self,
        caller: Caller,
        archive: bytes,
        request_id: str,
        custom_id: str | None,
        *,
        operation: StampingOperation = StampingOperation.STAMP,
        dry_run: bool = False,
    ) -> StampResult:
        """Stamp the only XML in the archive.

        Args:
            archive: bytes of the ZIP.
            request_id: identifier of the request.
            operation: whether the server seals the document.
            custom_id, dry_run: as in `StampRequest`.

        Raises:
            ServiceError: as `StampingService.issue`; "xml-missing" for no archive or an empty one, "301" for a document
                that is too large, encrypted or damaged, "zip-concepts" for one with fewer than 10,000 or more than
                120,000 Conceptos, "CO1000" with `retry_after` while the queue is full.
        """
        check_is_archive(archive)
        async with self._queue.slot(str(caller.account_id)):
            size = await asyncio.to_thread(declared_size, archive)
            with self._file() as file:
                await asyncio.to_thread(_write, file, archive)
                order = LargeStampRequest(caller, Path(file.name), size, request_id, custom_id, dry_run, operation)
                return await self._stamp(order)

    @contextmanager
    def _file(self) -> Iterator[IO[bytes]]:
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with NamedTemporaryFile(dir=self._folder, suffix=".zip") as file:
            yield file


def _write(file: IO[bytes], archive: bytes) -> None:
    file.write(archive)
    file.flush()


def check_is_archive(archive: bytes) -> None:
    """Raise "xml-missing" for an empty archive, "301" for what ends unlike a ZIP; no other process is needed for it."""
    if not archive[:1024].strip():
        raise ServiceError("xml-missing")
    if not is_zipfile(BytesIO(archive)):
        raise ServiceError("301", "El archivo ZIP no se puede leer: no es un archivo ZIP.")


def declared_size(archive: bytes) -> int:
    """Return the bytes of the only file as the directory declares them; nothing is inflated.

    Raises:
        ServiceError: "xml-missing" or "301", as `unpack`.
    """
    with _as_rejection():
        file = _only_file(ZipReader(BytesIO(archive), MOST_MEMBERS, 0))
    if file is None or not file.file_size:
        raise ServiceError("xml-missing")
    return file.file_size


def unpack(source: IO[bytes], most_bytes: int) -> bytes:
    """Return the only file of the archive.

    Args:
        source: the archive.
        most_bytes: size limit of the file.

    Raises:
        ServiceError: "xml-missing" or "301", as `LargeStampingService.stamp`.
    """
    if not source.read(1024).strip():
        raise ServiceError("xml-missing")
    with _as_rejection():
        reader = ZipReader(source, MOST_MEMBERS, most_bytes)
        file = _only_file(reader)
        # One byte more than the limit, which the reader rejects.
        content = b"" if file is None else reader.read(file, most_bytes + 1)
    if not content:
        raise ServiceError("xml-missing")
    return content


def _only_file(archive: ZipReader) -> ZipInfo | None:
    if len(archive.files) > 1:
        raise BadZipFile(f"trae {len(archive.files)} archivos; debe traer un solo XML")
    return archive.files[0] if archive.files else None


@contextmanager
def _as_rejection() -> Iterator[None]:
    try:
        yield
    except BadZipFile as error:
        raise ServiceError("301", f"El archivo ZIP no se puede leer: {error}.") from error


def check_size(xml: bytes) -> None:
    """Count the start tags of Conceptos, without parsing.

    Raises:
        ServiceError: "zip-concepts" when the number is out of range.
    """
    concepts = sum(1 for _ in _CONCEPTO.finditer(xml))
    if not MIN_CONCEPTOS <= concepts <= MAX_CONCEPTOS:
        raise ServiceError("zip-concepts", f"El documento tiene {concepts} conceptos.")


BOUNDS = (
    Bound(
        "LargeStampingService",
        BoundKind.QUEUE,
        "1 document in work, 3 that wait, 2 of them of one account",
        "A further document is rejected with CO1000 and `retry_after`.",
    ),
)
