"""Streaming reader of l_RFC: a text with a header, rows with columns separated by bars, and a last line EOF."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from timbra.core.errors import ServiceError
from timbra.lists.sources.columns import fields_of, row_pattern
from timbra.lists.sources.text import clean_text

LONGEST_LINE = 8 * 1024
END_OF_LIST = b"EOF"
Row = tuple[bytes, bytes]


class LrfcPart:
    """One part of the list. Iteration yields batches of rows (key and packed line).

    Attributes:
        fields: The fields of the header; known after the first batch.
        skipped: Rows with malformed values, such as an RFC with damaged letters; complete after the iteration.

    Raises:
        ServiceError: From the iteration: "list-columns" for an unknown header, "list-unreadable" for another text.
    """

    def __init__(self, content: Iterator[bytes], columns: Mapping[str, str]) -> None:
        self._content = clean_text(content)
        self._columns = columns
        self._rest = b""
        self._ended = False
        self.fields: tuple[str, ...] = ()
        self.skipped = 0

    def __iter__(self) -> Iterator[list[Row]]:
        for piece in self._content:
            lines, cut, rest = (self._rest + piece).rpartition(b"\n")
            self._rest = rest
            if len(rest) > LONGEST_LINE:
                raise _unreadable(f"un renglón rebasa {LONGEST_LINE} bytes")
            if cut:
                yield self._rows(lines + b"\n")
        if self._rest:
            yield self._rows(self._rest + b"\n")
        if not self.fields:
            raise _unreadable("no trae encabezado")

    def _rows(self, lines: bytes) -> list[Row]:
        if not self.fields:
            header, _, lines = lines.lstrip(b"\r\n").partition(b"\n")
            if not header:
                return []
            self.fields = fields_of(header.decode().strip(), self._columns)
            self._pattern = row_pattern(self.fields)
        if self._ended:
            self._require_blank(lines)
            return []
        found: list[tuple[bytes, bytes, bytes]] = self._pattern.findall(lines)
        if len(found) != lines.count(b"\n"):
            self._check_rows(lines)
        return [(rfc, b"%b|%b%b\n" % (rfc, before, after[1:])) for before, rfc, after in found]

    def _check_rows(self, lines: bytes) -> None:
        """Count the lines that are not rows, and find the end of the list among them."""
        for line in lines.split(b"\n"):
            bare = line.strip()
            if not bare:
                continue
            if self._ended:
                raise _unreadable("hay renglones después de EOF")
            if bare == END_OF_LIST:
                self._ended = True
            elif not self._pattern.fullmatch(line):
                self.skipped += 1

    def _require_blank(self, lines: bytes) -> None:
        if re.search(rb"\S", lines):
            raise _unreadable("hay renglones después de EOF")


def _unreadable(why: str) -> ServiceError:
    return ServiceError("list-unreadable", f"La l_RFC no tiene la forma esperada: {why}.")
