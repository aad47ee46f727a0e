"""Writer of packed lists: sorts any number of rows in bounded memory.

Rows are spooled by the first bits of their key's hash into files that each fit in memory; then every spool is sorted
and appended. The hash distributes any keys evenly, so that no spool and no bucket grows long.
"""

from __future__ import annotations

import json
import os
import sys
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any, BinaryIO
from zlib import crc32

from timbra.lists.packed.table_reader import FOOTER_SIZE, MAGIC, PER_BUCKET

SPOOLS = 256
MAX_BUFFERED_ROWS = 200_000
_SPOOL_SHIFT = 24
_LEAST_BITS = 8

Merge = Callable[[Iterable[bytes]], dict[bytes, bytes]]


class Spools:
    """Rows in `buffers` and, when they are many, in files of a folder that the caller creates and removes.

    Attributes:
        buffers: The rows of each spool that are not in its file yet.
        rows: The number of rows.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._stack = ExitStack()
        self._files: dict[int, BinaryIO] = {}
        self.buffers: list[list[bytes]] = [[] for _ in range(SPOOLS)]
        self.rows = 0
        self._buffered = 0

    def count(self, rows: int) -> None:
        """Count rows that the caller has appended to `buffers`; write full buffers to the files."""
        self.rows += rows
        self._buffered += rows
        if self._buffered >= MAX_BUFFERED_ROWS:
            self._flush()

    def drain(self) -> Iterator[bytes]:
        """Yield the content of each spool in order, and remove it from the spool."""
        for number, buffer in enumerate(self.buffers):
            rest = b"".join(buffer)
            buffer.clear()
            file = self._files.get(number)
            if file is None:
                yield rest
                continue
            file.seek(0)
            yield file.read() + rest
            file.truncate(0)

    def __enter__(self) -> Spools:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def _flush(self) -> None:
        for number, buffer in enumerate(self.buffers):
            if buffer:
                _write(self._file(number), b"".join(buffer))
                buffer.clear()
        self._buffered = 0

    def _file(self, number: int) -> BinaryIO:
        if number not in self._files:
            path = self._folder / f"{number:03}"
            self._files[number] = self._stack.enter_context(path.open("w+b", buffering=0))
        return self._files[number]


def spool_rows(spools: Spools, rows: Iterable[tuple[bytes, bytes]]) -> int:
    """Add rows to the spools.

    Args:
        rows: Pairs of the key and the line ("KEY|columns" with a newline).

    Returns:
        The number of rows.
    """
    buffers, count = spools.buffers, 0
    for key, line in rows:
        buffers[crc32(key) >> _SPOOL_SHIFT].append(line)
        count += 1
    spools.count(count)
    return count


def last_wins(lines: Iterable[bytes]) -> dict[bytes, bytes]:
    """Return the lines by key; of several lines with the same key, the last one."""
    return {line[: line.index(b"|")]: line for line in lines}


def joined(lines: Iterable[bytes]) -> dict[bytes, bytes]:
    """Return the lines by key; lines with the same key are joined into one with the columns of all."""
    found: dict[bytes, list[bytes]] = {}
    for line in lines:
        key, _, rest = line.partition(b"|")
        found.setdefault(key, []).append(rest)
    return {key: b"%b|%b" % (key, b"".join(rests)) for key, rests in found.items()}


def write_packed(
    path: Path, spools: Spools, merge: Merge, meta: Mapping[str, Any], on_progress: Callable[[int, int], None]
) -> int:
    """Write the packed file of the spooled rows and sync it to disk.

    Args:
        path: The new file.
        spools: The rows; they are removed from the spools.
        merge: Merges the rows of one spool that have the same key.
        meta: Further members of the footer.
        on_progress: Called with the number of written spools and the number of all.

    Returns:
        The number of keys.
    """
    bits = max(_LEAST_BITS, (spools.rows // PER_BUCKET).bit_length())
    with path.open("wb") as file:
        file.write(MAGIC)
        body = _Body(file, bits)
        for done, data in enumerate(spools.drain(), 1):
            body.append(merge(data.splitlines()))
            on_progress(done, SPOOLS)
        keys = body.finish()
        footer = json.dumps({**meta, "keys": keys, "bits": bits, "order": sys.byteorder}).encode()
        file.write(footer + len(footer).to_bytes(FOOTER_SIZE, "little") + MAGIC)
        file.flush()
        os.fsync(file.fileno())
    return keys


class _Body:
    """Rows in the order of the hash of their keys, and the start of each bucket."""

    def __init__(self, file: BinaryIO, bits: int) -> None:
        self._file = file
        self._shift = 32 - bits
        self._buckets = 1 << bits
        self._starts = array("Q")
        self._position = len(MAGIC)
        self._keys = 0

    def append(self, rows: Mapping[bytes, bytes]) -> None:
        ordered = sorted(zip(map(crc32, rows), rows.values(), strict=True))
        shift, starts, position = self._shift, self._starts, self._position
        for number, line in ordered:
            bucket = number >> shift
            while len(starts) <= bucket:
                starts.append(position)
            position += len(line) + 1
        self._position = position
        self._keys += len(ordered)
        if ordered:
            self._file.write(b"\n".join(line for _, line in ordered) + b"\n")

    def finish(self) -> int:
        """Write the table of starts; return the number of rows."""
        while len(self._starts) <= self._buckets:
            self._starts.append(self._position)
        self._file.write(self._starts.tobytes())
        return self._keys


def _write(file: BinaryIO, data: bytes) -> None:
    """Write all bytes; one call of an unbuffered file may write a part of them."""
    view = memoryview(data)
    while view:
        view = view[file.write(view) :]
