"""The set of registered names, as sorted 64-bit hashes.

Of 10^11 unregistered names, one would be taken for registered among 50 million.

magic | ascending hashes, 8 bytes each, in the machine's order
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

from timbra.authority.lists.packed.table_writer import Spools
from timbra.errors import ServiceError

MAGIC = b"timbra names %b\n" % {"little": b"<", "big": b">"}[sys.byteorder]
HASH = 8
_PADDED = -(-len(MAGIC) // HASH) * HASH


def spool_names(spools: Spools, names: Iterable[bytes]) -> None:
    """Adds names, in UTF-8; empty ones are ignored."""
    held, count = spools.held, 0
    for name in names:
        if name:
            digest = _digest(name)
            held[digest[0]].append(digest)
            count += 1
    spools.count(count)


def write_names(path: Path, spools: Spools) -> None:
    """The file of what was spooled, synced to disk."""
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
    """Names in the file that `write_names` wrote, read in place."""

    def __init__(self, path: Path) -> None:
        """ServiceError("list-damaged") when the file is not whole; FileNotFoundError when there is none."""
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
        wanted = int.from_bytes(_digest(name.encode("utf-8", "surrogatepass")), "big")
        place = bisect_left(self._hashes, wanted)
        return place < len(self._hashes) and self._hashes[place] == wanted


def _digest(name: bytes) -> bytes:
    return blake2b(name, digest_size=HASH).digest()
