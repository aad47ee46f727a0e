"""Which bytes of a SQLite file nothing refers to, by the file format (https://www.sqlite.org/fileformat2.html)."""

from __future__ import annotations

from collections.abc import Iterator
from struct import unpack_from

HEADER = 100
INTERIOR_INDEX, INTERIOR_TABLE, LEAF_INDEX, LEAF_TABLE = 2, 5, 10, 13
LEAST_CELL = 4
COUNTERS = (range(24, 28), range(92, 100))
"""Change counter, its copy, and the version of SQLite that wrote last: they change without a change of content."""
RESERVED = range(72, 92)
NULL_TO_ZERO = 3
"""A column that is the number of its row has the type NULL (0) in the row, and SQLite does not read it: neither 0 nor
the type of a zero (8) has bytes."""


class SqliteFile:
    """A sound database file without reserved bytes at the ends of pages and without auto-vacuum."""

    def __init__(self, content: bytes) -> None:
        self._content = content
        self._size: int = unpack_from(">H", content, 16)[0]
        assert content[20] == 0
        assert unpack_from(">I", content, 52)[0] == 0
        self._used = bytearray(len(content))
        self._types_of_numbers = set[int]()
        self._use(0, 72)
        for root, column in self._roots():
            self._tree(root, column)
        self._free_list()

    def is_free(self, offset: int, bit: int) -> bool:
        """Whether nothing refers to a bit."""
        is_type = offset in self._types_of_numbers and bit == NULL_TO_ZERO
        return is_type or not self._used[offset] or any(offset in counter for counter in COUNTERS)

    def _use(self, start: int, length: int) -> None:
        self._used[start : start + length] = b"\x01" * length

    def _roots(self) -> Iterator[tuple[int, int | None]]:
        """Yield the first page of each tree, with the column that is the number of its rows."""
        import sqlite3
        from contextlib import closing

        with closing(sqlite3.connect(":memory:")) as connection:
            connection.deserialize(_without_log(self._content))
            yield 1, None
            for root, kind, name, sql in connection.execute(
                "SELECT rootpage, type, name, sql FROM sqlite_master WHERE rootpage > 0"
            ).fetchall():
                columns = connection.execute(f'PRAGMA table_xinfo("{name}")').fetchall() if kind == "table" else ()
                keys = [(column[0], column[2]) for column in columns if column[5]]
                has_numbers = [each[1].upper() for each in keys] == ["INTEGER"] and "WITHOUT ROWID" not in sql
                yield root, keys[0][0] if has_numbers else None

    def _tree(self, number: int, column: int | None) -> None:
        start = (number - 1) * self._size
        head = start + (HEADER if number == 1 else 0)
        kind = self._content[head]
        is_interior = kind in (INTERIOR_INDEX, INTERIOR_TABLE)
        first_free, cells = unpack_from(">HH", self._content, head + 1)
        length = 12 if is_interior else 8
        self._use(head, length + 2 * cells)
        while first_free:
            self._use(start + first_free, 4)
            [first_free] = unpack_from(">H", self._content, start + first_free)
        for place in unpack_from(f">{cells}H", self._content, head + length):
            self._cell(start + place, kind, column)
            if is_interior:
                self._tree(unpack_from(">I", self._content, start + place)[0], column)
        if is_interior:
            self._tree(unpack_from(">I", self._content, head + 8)[0], column)

    def _cell(self, begin: int, kind: int, column: int | None) -> None:
        at = begin + (4 if kind in (INTERIOR_INDEX, INTERIOR_TABLE) else 0)
        if kind == INTERIOR_TABLE:
            _, at = self._varint(at)
            self._use(begin, at - begin)
            return
        payload, at = self._varint(at)
        if kind == LEAF_TABLE:
            _, at = self._varint(at)
            if column is not None:
                _, types = self._varint(at)
                for _ in range(column):
                    _, types = self._varint(types)
                assert self._content[types] == 0
                self._types_of_numbers.add(types)
        local = self._local(payload, kind)
        at += local
        if local < payload:
            self._overflow(unpack_from(">I", self._content, at)[0], payload - local)
            at += 4
        self._use(begin, max(at - begin, LEAST_CELL))

    def _local(self, payload: int, kind: int) -> int:
        usable = self._size
        most = usable - 35 if kind == LEAF_TABLE else (usable - 12) * 64 // 255 - 23
        if payload <= most:
            return payload
        least = (usable - 12) * 32 // 255 - 23
        part = least + (payload - least) % (usable - 4)
        return part if part <= most else least

    def _overflow(self, number: int, rest: int) -> None:
        while number:
            start = (number - 1) * self._size
            part = min(rest, self._size - 4)
            self._use(start, 4 + part)
            rest -= part
            [number] = unpack_from(">I", self._content, start)

    def _free_list(self) -> None:
        [trunk] = unpack_from(">I", self._content, 32)
        while trunk:
            start = (trunk - 1) * self._size
            following, leaves = unpack_from(">II", self._content, start)
            self._use(start, 8 + 4 * leaves)
            trunk = following

    def _varint(self, at: int) -> tuple[int, int]:
        value = 0
        for number in range(9):
            byte = self._content[at + number]
            if number == 8:
                return value << 8 | byte, at + 9
            value = value << 7 | byte & 0x7F
            if byte < 0x80:
                return value, at + number + 1
        raise AssertionError


def _without_log(content: bytes) -> bytes:
    """Return a file that says it has no write-ahead log: memory has none."""
    return content[:18] + b"\x01\x01" + content[20:]
