"""The set of registered names, as sorted 64-bit hashes.

With 50 million names in the set, one of about 10^11 unregistered names is wrongly reported as registered.

magic | ascending hashes, 8 bytes each, in the byte order of the machine
"""

from __future__ import annotations

import mmap
import os
import sys
from array import array
from bisect import bisect_left
from collections.abc import Iterable
from hashlib import blake2b
from pathlib import Path

from timbra.core.errors import ServiceError
from timbra.lists.packed.table_writer import Spools

MAGIC = b"timbra names %b\n" % {"little": b"<", "big": b">"}[sys.byteorder]
HASH = 8
_PADDED = -(-len(MAGIC) // HASH) * HASH


def spool_names(spools: Spools, names: Iterable[bytes]) -> None:
    """Add names in UTF-8 to the spools; empty names are ignored."""
    buffers, count = spools.buffers, 0
    for name in names:
        if name:
            digest = _digest(name)
            buffers[digest[0]].append(digest)
            count += 1
    spools.count(count)


def write_names(path: Path, spools: Spools) -> None:
    """Write the spooled names to a file and sync it to disk."""
    with path.open("wb") as file:
        file.write(MAGIC.ljust(_PADDED, b"\0"))
        for data in spools.drain():
            hashes = array("Q", data)
            if sys.byteorder == "little":
                hashes.byteswap()
            file.write(array("Q", sorted(set(hashes))).tobytes())
        file.flush()
        os.fsync(file.fileno())


class NameSet:
    """The names of a file of `write_names`, memory-mapped."""

    def __init__(self, path: Path) -> None:
        """Open the file.

        Raises:
            ServiceError: "list-damaged" when the file is incomplete.
            FileNotFoundError: The file does not exist.
        """
        with path.open("rb") as file:
            try:
                data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
            except ValueError as cause:
                raise ServiceError("list-damaged", f"El archivo {path.name} está vacío.") from cause
        if not data[:_PADDED].startswith(MAGIC) or len(data) % HASH:
            raise ServiceError("list-damaged", f"El archivo {path.name} no está completo.")
        self.size = len(data)
        self._hashes = memoryview(data)[_PADDED:].cast("Q")

    def __contains__(self, name: str) -> bool:
        digest = int.from_bytes(_digest(name.encode("utf-8", "surrogatepass")), "big")
        place = bisect_left(self._hashes, digest)
        return place < len(self._hashes) and self._hashes[place] == digest


def _digest(name: bytes) -> bytes:
    return blake2b(name, digest_size=HASH).digest()
