"""Reader of L_CNE, the permits in force of the Comisión Nacional de Energía: a text with a header and bars."""

from __future__ import annotations

import re
from collections.abc import Iterator

from timbra.core.errors import ServiceError
from timbra.lists.sources.lrfc import END_OF_LIST, LONGEST_LINE
from timbra.lists.sources.text import clean_text

HEADER = ("NUMEROPERMISO", "RFC", "CLAVE")
SEPARATOR = b";"
"""Ends the fuel of each row, because the rows of a permit are joined."""
_ROW = re.compile(rb"([^|;\r\n]{1,60})\|((?:[A-Z&]|\xc3\x91){3,4}[0-9]{6}[A-Z0-9]{3})\|([A-Z0-9]{1,20})\|?")

Row = tuple[bytes, bytes]


class LcnePart:
    """One part of the list. Iteration yields batches of rows (key and packed line).

    Attributes:
        skipped: Malformed rows; complete after the iteration.

    Raises:
        ServiceError: From the iteration: "list-columns" for another header, "list-unreadable" for another text.
    """

    def __init__(self, content: Iterator[bytes]) -> None:
        self._content = clean_text(content)
        self.skipped = 0

    def __iter__(self) -> Iterator[list[Row]]:
        lines = _lines(self._content)
        header = next(lines, b"").decode().strip().removesuffix("|")
        if tuple(name.strip().upper() for name in header.split("|")) != HEADER:
            raise ServiceError(
                "list-columns", f"L_CNE: se espera NumeroPermiso|RFC|Clave; se encontró {header[:200]!r}."
            )
        ended, rows = False, []
        for line in lines:
            bare = line.strip()
            if not bare:
                continue
            if ended:
                raise ServiceError("list-unreadable", "L_CNE: hay renglones después de EOF.")
            found = _ROW.fullmatch(bare)
            if bare == END_OF_LIST:
                ended = True
            elif found is None:
                self.skipped += 1
            else:
                permit, rfc, fuel = found.groups()
                rows.append((permit, b"%b|%b|%b%b\n" % (permit, rfc, fuel, SEPARATOR)))
        yield rows


def _lines(content: Iterator[bytes]) -> Iterator[bytes]:
    rest = b""
    for piece in content:
        *lines, rest = (rest + piece).split(b"\n")
        if len(rest) > LONGEST_LINE:
            raise ServiceError("list-unreadable", f"L_CNE: un renglón rebasa {LONGEST_LINE} bytes.")
        yield from lines
    if rest:
        yield rest
