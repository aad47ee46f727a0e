"""A packed list: an immutable file of rows by key, read in place by any number of processes.

    magic | rows, "KEY|columns", one on a line, by the hash of the key | start of every bucket, 8 bytes each
    | footer, JSON | its size | magic

A bucket is what the first `bits` bits of the key's CRC-32 name: about sixteen rows. A look-up reads two starts and one
bucket, so it touches two pages, whatever the size of the list.
"""

from __future__ import annotations

import json
import mmap
import sys
from pathlib import Path
from struct import Struct
from typing import Any
from zlib import crc32

from timbra.errors import ServiceError

MAGIC = b"timbra list 001\n"
FOOTER_SIZE = 8
PER_BUCKET = 16
LARGEST_FOOTER = 64 * 1024
_START = Struct("=Q")
_STARTS = Struct("=QQ")


class PackedList:
    """keys: how many rows. meta: what the writer noted. The file stays mapped as long as the object lives."""

    def __init__(self, path: Path) -> None:
        """ServiceError("list-damaged") when the file is not whole; FileNotFoundError when there is none."""
        with path.open("rb") as file:
            try:
                self._data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
                self.meta = self._footer()
            except (ValueError, KeyError, TypeError) as cause:
                raise ServiceError("list-damaged", f"El archivo {path.name} no está completo.") from cause
        if hasattr(mmap, "MADV_RANDOM"):
            self._data.madvise(mmap.MADV_RANDOM)

    def get(self, key: bytes) -> bytes | None:
        """The columns of a key that holds neither "|" nor a newline, None when the list has it not.

        ServiceError("list-damaged") when the bucket is broken.
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

    @property
    def size(self) -> int:
        """Bytes of the file."""
        return len(self._data)

    def _footer(self) -> dict[str, Any]:
        data, tail = self._data, FOOTER_SIZE + len(MAGIC)
        if len(data) < tail or data[: len(MAGIC)] != MAGIC or data[-len(MAGIC) :] != MAGIC:
            raise ValueError("no packed list")
        length = int.from_bytes(data[-tail : -len(MAGIC)], "little")
        if length > min(LARGEST_FOOTER, len(data) - tail):
            raise ValueError("a footer larger than the file")
        meta = json.loads(data[-tail - length : -tail])
        if meta["order"] != sys.byteorder or not 1 <= meta["bits"] <= 32:
            raise ValueError("written by another kind of machine")
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
