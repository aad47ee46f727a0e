"""A packed list: an immutable, memory-mapped file of rows by key, for any number of processes.

    magic | rows, "KEY|columns", one on a line, by the hash of the key | start of every bucket, 8 bytes each
    | footer, JSON | its size | magic

A bucket has the rows whose CRC-32 of the key begins with the same `bits` bits: about sixteen rows. A look-up reads two
starts and one bucket, so that it touches two pages for any size of the list.
"""

from __future__ import annotations

import json
import mmap
import sys
from pathlib import Path
from struct import Struct
from typing import Any
from zlib import crc32

from timbra.core.errors import ServiceError

MAGIC = b"timbra list 001\n"
FOOTER_SIZE = 8
PER_BUCKET = 16
MAX_FOOTER_BYTES = 64 * 1024
PARTITIONS = 256
_PARTITION_BITS = 8
_START = Struct("=Q")
_STARTS = Struct("=QQ")


class PackedList:
    """An open packed list; the file stays mapped until the object is deleted.

    Attributes:
        keys: The number of rows.
        meta: The footer.
    """

    def __init__(self, path: Path) -> None:
        """Open the file.

        Raises:
            ServiceError: "list-damaged" when the file is incomplete.
            FileNotFoundError: The file does not exist.
        """
        with path.open("rb") as file:
            try:
                self._data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
                self.meta = self._footer()
            except (ValueError, KeyError, TypeError) as cause:
                raise ServiceError("list-damaged", f"El archivo {path.name} no está completo.") from cause
        if hasattr(mmap, "MADV_RANDOM"):
            self._data.madvise(mmap.MADV_RANDOM)

    def get(self, key: bytes) -> bytes | None:
        """Return the columns of a key; None when the list does not have it.

        Args:
            key: A key without "|" and newlines.

        Raises:
            ServiceError: "list-damaged" when the bucket is invalid.
        """
        start, end = _STARTS.unpack_from(self._data, self._table + _START.size * (crc32(key) >> self._shift))
        bucket = self._data[start - 1 : end]
        found = bucket.find(b"\n%b|" % key)
        if found < 0:
            return None
        found += len(key) + 2
        ends = bucket.find(b"\n", found)
        if ends < 0:
            raise ServiceError("list-damaged", "Un renglón guardado no tiene fin.")
        return bucket[found:ends]

    def partition(self, number: int) -> list[bytes]:
        """Return the lines, without newlines, whose keys have a hash that begins with these eight bits.

        Args:
            number: 0 to 255.
        """
        width = _START.size << (self._bits - _PARTITION_BITS)
        start = _START.unpack_from(self._data, self._table + number * width)[0]
        end = _START.unpack_from(self._data, self._table + (number + 1) * width)[0]
        return self._data[start:end].split(b"\n")[:-1]

    @property
    def size(self) -> int:
        """The size of the file in bytes."""
        return len(self._data)

    def _footer(self) -> dict[str, Any]:
        data, tail = self._data, FOOTER_SIZE + len(MAGIC)
        if len(data) < tail or data[: len(MAGIC)] != MAGIC or data[-len(MAGIC) :] != MAGIC:
            raise ValueError("no packed list")
        length = int.from_bytes(data[-tail : -len(MAGIC)], "little")
        if length > min(MAX_FOOTER_BYTES, len(data) - tail):
            raise ValueError("a footer larger than the file")
        meta = json.loads(data[-tail - length : -tail])
        if meta["order"] != sys.byteorder or not _PARTITION_BITS <= meta["bits"] <= 32:
            raise ValueError("written by another kind of machine")
        self._bits = meta["bits"]
        self._shift = 32 - meta["bits"]
        self._table = len(data) - tail - length - _START.size * ((1 << meta["bits"]) + 1)
        last = self._table + (_START.size << meta["bits"])
        if self._table < len(MAGIC) or [_START.unpack_from(data, at)[0] for at in (self._table, last)] != [
            len(MAGIC),
            self._table,
        ]:
            raise ValueError("the table does not describe the rows before it")
        self.keys = int(meta["keys"])
        return dict(meta)
