"""Stamping of very large invoices: a ZIP archive in a file, processed by a child process.

An invoice of 120,000 Conceptos takes seconds of CPU and hundreds of megabytes. The child process keeps both away from
the worker and returns the memory when it ends. The child process opens the ZIP too.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import IO
from zipfile import BadZipFile

from timbra.errors import ServiceError
from timbra.metrics import MetricsRegistry
from timbra.pools import FairQueue, PoolLimits
from timbra.service.documents.zip_archives import ZipReader
from timbra.service.stamping.models import Caller, StampResult

MIN_CONCEPTOS, MAX_CONCEPTOS = 10_000, 120_000
"""Number of Conceptos that the routes for large documents accept (wire contract, ZIP routes)."""
MOST_MEMBERS = 1000
"""Largest number of files and folders in an archive; exactly one may be a file."""
BUSY_SECONDS = 30
_CONCEPTO = re.compile(rb"<(?:[^\s<>/=:]+:)?Concepto[\s/>]")


@dataclass(frozen=True, slots=True)
class LargeStampRequest:
    """A large document to stamp. path: its ZIP file. custom_id: as in `StampRequest`."""

    caller: Caller
    path: Path
    request_id: str
    custom_id: str | None = None


class LargeStampingService:
    """Stamps one large document at a time; one instance per worker.

    Args:
        stamp: Stamps a `LargeStampRequest` in another process.
        folder: For the archives while they are processed.
        most_waiting: Limit of the fair queue, besides the request in progress.
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

    async def stamp(self, caller: Caller, archive: bytes, request_id: str, custom_id: str | None) -> StampResult:
        """Stamp the only XML in the archive.

        Raises:
            ServiceError: As `StampingService.stamp`; "xml-missing" for no archive or an empty one, "301" for a document
                that is too large, encrypted or damaged, "zip-concepts" for one with fewer than 10,000 or more than
                120,000 Conceptos, "CO1000" with `retry_after` while the queue is full.
        """
        async with self._queue.slot(str(caller.account_id)):
            with self._file() as file:
                await asyncio.to_thread(_write, file, archive)
                return await self._stamp(LargeStampRequest(caller, Path(file.name), request_id, custom_id))

    @contextmanager
    def _file(self) -> Iterator[IO[bytes]]:
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with NamedTemporaryFile(dir=self._folder, suffix=".zip") as file:
            yield file


def _write(file: IO[bytes], archive: bytes) -> None:
    file.write(archive)
    file.flush()


def unpack(source: IO[bytes], most_bytes: int) -> bytes:
    """Return the only file of the archive. ServiceErrors as `LargeStampingService.stamp`."""
    if not source.read(1024).strip():
        raise ServiceError("xml-missing")
    try:
        content = _only_file(ZipReader(source, MOST_MEMBERS, most_bytes), most_bytes)
    except BadZipFile as error:
        raise ServiceError("301", f"El archivo ZIP no se puede leer: {error}.") from error
    if not content:
        raise ServiceError("xml-missing")
    return content


def _only_file(archive: ZipReader, most_bytes: int) -> bytes:
    """Return the content, empty without a file. Reading one byte over the limit makes the reader reject it."""
    if len(archive.files) > 1:
        raise BadZipFile(f"trae {len(archive.files)} archivos; debe traer un solo XML")
    return archive.read(archive.files[0], most_bytes + 1) if archive.files else b""


def check_size(xml: bytes) -> None:
    """Raise ServiceError("zip-concepts") for a number of Conceptos out of range. Counts start tags without parsing."""
    concepts = sum(1 for _ in _CONCEPTO.finditer(xml))
    if not MIN_CONCEPTOS <= concepts <= MAX_CONCEPTOS:
        raise ServiceError("zip-concepts", f"El documento tiene {concepts} conceptos.")
