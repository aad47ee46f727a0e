"""Very large invoices: out of their ZIP into a file, piece by piece, and through a process that ends with them.

An invoice of 120,000 concepts takes seconds of processor and hundreds of megabytes. A process of its own keeps both
away from the workers that everybody else waits for, and gives the memory back.
"""

from __future__ import annotations

import asyncio
import re
import zipfile
import zlib
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import IO

from timbra.errors import ServiceError
from timbra.service.orders import Caller, Stamped

FEWEST, MOST = 10_000, 120_000
"""Concepts that the routes for large documents take (wire contract, ZIP routes)."""
PIECE = 1024 * 1024
BUSY_SECONDS = 30
_CONCEPTO = re.compile(rb"<(?:[^\s<>/=:]+:)?Concepto[\s/>]")


@dataclass(frozen=True, slots=True)
class LargeOrder:
    """A document in a file, to be stamped. custom_id: as in `StampOrder`."""

    caller: Caller
    path: Path
    request_id: str
    custom_id: str | None = None


class LargeStamping:
    """Takes one large document at a time, and a few more that wait; one per worker.

    stamp: stamps a `LargeOrder` elsewhere. folder: for the documents while they are worked on. most_bytes: of a
    document out of its ZIP. most_waiting: requests beyond the one at work.
    """

    def __init__(
        self,
        stamp: Callable[[LargeOrder], Awaitable[Stamped]],
        folder: Path,
        most_bytes: int,
        most_waiting: int = 3,
    ) -> None:
        self._stamp = stamp
        self._folder = folder
        self._most_bytes = most_bytes
        self._turn = asyncio.Lock()
        self._room = most_waiting + 1

    async def stamp(self, caller: Caller, archive: bytes, request_id: str, custom_id: str | None) -> Stamped:
        """The stamp of the one XML in the archive; refusals are those of stamping.

        ServiceError: "xml-missing" for no archive or an empty one, "301" for a document that is too large, encrypted or
        damaged, "zip-concepts" for one with fewer than 10,000 or more than 120,000 concepts, "CO1000" with
        `retry_after` while too many wait.
        """
        if not self._room:
            raise ServiceError("CO1000", "Hay demasiados documentos grandes en espera.", retry_after=BUSY_SECONDS)
        self._room -= 1
        try:
            async with self._turn:
                with self._file() as file:
                    await asyncio.to_thread(unpack, archive, file, self._most_bytes)
                    return await self._stamp(LargeOrder(caller, Path(file.name), request_id, custom_id))
        finally:
            self._room += 1

    @contextmanager
    def _file(self) -> Iterator[IO[bytes]]:
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with NamedTemporaryFile(dir=self._folder, suffix=".xml") as file:
            yield file


def unpack(archive: bytes, target: IO[bytes], most_bytes: int) -> None:
    """Writes the one file of the archive, never more than `most_bytes`; see `LargeStamping.stamp` for refusals."""
    if not archive.strip():
        raise ServiceError("xml-missing")
    try:
        with zipfile.ZipFile(BytesIO(archive)) as opened, opened.open(_only_member(opened)) as source:
            _copy(source, target, most_bytes)
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, OSError) as error:
        raise _unreadable(f"El archivo ZIP no se puede leer: {error}.") from error
    target.flush()


def _only_member(archive: zipfile.ZipFile) -> zipfile.ZipInfo:
    files = [member for member in archive.infolist() if not member.is_dir()]
    if not files:
        raise ServiceError("xml-missing")
    if len(files) > 1:
        raise _unreadable(f"El archivo ZIP trae {len(files)} archivos; debe traer un solo XML.")
    return files[0]


def _copy(source: IO[bytes], target: IO[bytes], most_bytes: int) -> None:
    """Counts what really comes out: what the archive says about its sizes may be untrue."""
    size = 0
    while piece := source.read(PIECE):
        size += len(piece)
        if size > most_bytes:
            raise _unreadable(f"El XML del archivo ZIP pasa de {most_bytes} bytes.")
        target.write(piece)
    if not size:
        raise ServiceError("xml-missing")


def _unreadable(detail: str) -> ServiceError:
    return ServiceError("301", detail)


def check_size(xml: bytes) -> None:
    """ServiceError("zip-concepts") for a document that belongs to another route. Counts start tags, without parsing."""
    concepts = sum(1 for _ in _CONCEPTO.finditer(xml))
    if not FEWEST <= concepts <= MOST:
        raise ServiceError("zip-concepts", f"El documento tiene {concepts} conceptos.")
