"""Writes a packed list: rows of any order and number, in bounded memory.

Rows are spooled by the first bits of their key's hash into files that each fit in memory, then every spool is put in
order and appended. The hash spreads keys evenly whatever they are, so that no spool and no bucket grows long.
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

from timbra.authority.lists.packed.table_reader import FOOTER_SIZE, MAGIC, PER_BUCKET

SPOOLS = 256
HELD_ROWS = 200_000
_SPOOL_SHIFT = 24
_LEAST_BITS = 8

Merge = Callable[[Iterable[bytes]], dict[bytes, bytes]]


class Spools:
    """Rows that wait in `held` and, once they are many, in files of a folder that the caller made and removes."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._stack = ExitStack()
        self._files: dict[int, BinaryIO] = {}
        self.held: list[list[bytes]] = [[] for _ in range(SPOOLS)]
        self.rows = 0
        self._holding = 0

    def count(self, rows: int) -> None:
        """Told after rows were appended to `held`."""
        self.rows += rows
        self._holding += rows
        if self._holding >= HELD_ROWS:
            self._flush()

    def drain(self) -> Iterator[bytes]:
        """What each spool holds, in order, once."""
        for number, held in enumerate(self.held):
            rest = b"".join(held)
            held.clear()
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
        for number, held in enumerate(self.held):
            if held:
                _write(self._file(number), b"".join(held))
                held.clear()
        self._holding = 0

    def _file(self, number: int) -> BinaryIO:
        if number not in self._files:
            path = self._folder / f"{number:03}"
            self._files[number] = self._stack.enter_context(path.open("w+b", buffering=0))
        return self._files[number]


def spool_rows(spools: Spools, rows: Iterable[tuple[bytes, bytes]]) -> int:
    """Adds rows of key and line ("KEY|columns", newline at its end); how many they were."""
    held, count = spools.held, 0
    for key, line in rows:
        held[crc32(key) >> _SPOOL_SHIFT].append(line)
        count += 1
    spools.count(count)
    return count


def last_wins(lines: Iterable[bytes]) -> dict[bytes, bytes]:
    """Of several rows with one key the last."""
    return {line[: line.index(b"|")]: line for line in lines}


def joined(lines: Iterable[bytes]) -> dict[bytes, bytes]:
    """Rows with one key become one, their columns one after another."""
    found: dict[bytes, list[bytes]] = {}
    for line in lines:
        key, _, rest = line.partition(b"|")
        found.setdefault(key, []).append(rest)
    return {key: b"%b|%b" % (key, b"".join(rests)) for key, rests in found.items()}


def write_packed(
    path: Path, spools: Spools, merge: Merge, meta: Mapping[str, Any], told: Callable[[int, int], None]
) -> int:
    """The packed file of what was spooled, synced to disk; how many keys it has. told: spools done, of how many."""
    bits = max(_LEAST_BITS, (spools.rows // PER_BUCKET).bit_length())
    with path.open("wb") as file:
        file.write(MAGIC)
        body = _Body(file, bits)
        for done, data in enumerate(spools.drain(), 1):
            body.append(merge(data.splitlines()))
            told(done, SPOOLS)
        keys = body.finish()
        footer = json.dumps({**meta, "keys": keys, "bits": bits, "order": sys.byteorder}).encode()
        file.write(footer + len(footer).to_bytes(FOOTER_SIZE, "little") + MAGIC)
        file.flush()
        os.fsync(file.fileno())
    return keys


class _Body:
    """Rows by the hash of their keys, and where each bucket starts."""

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
        """Writes the table of starts; how many rows there are."""
        while len(self._starts) <= self._buckets:
            self._starts.append(self._position)
        self._file.write(self._starts.tobytes())
        return self._keys


def _write(file: BinaryIO, data: bytes) -> None:
    """All of it: an unbuffered file may take less than it is given."""
    view = memoryview(data)
    while view:
        view = view[file.write(view) :]
