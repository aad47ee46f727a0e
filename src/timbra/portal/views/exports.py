"""Exports of lists: CSV and XLSX tables, and ZIP archives that are written while they are sent."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from xlsxwriter import Workbook

from timbra.spreadsheets import WORKBOOK_OPTIONS, safe_text

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

BYTE_ORDER_MARK = "\ufeff"
"""At the start of a CSV file, so that spreadsheet programs read it as UTF-8."""
ZIP_DATE = (1980, 1, 1, 0, 0, 0)
Cell = str | int | Decimal


def csv_line(cells: Iterable[Cell]) -> str:
    """Return a line of a CSV file; a text that a spreadsheet program reads as a formula gets an apostrophe before it.

    Args:
        cells: Numbers are written as they are.
    """
    buffer = io.StringIO()
    csv.writer(buffer).writerow([safe_text(cell) if isinstance(cell, str) else cell for cell in cells])
    return buffer.getvalue()


class WorkbookWriter:
    """A workbook of one sheet in a temporary file; rows are written to disk one by one.

    Args:
        path: The file.
        head: Titles of the columns.
    """

    def __init__(self, path: Path, head: Sequence[str]) -> None:
        self._book = Workbook(path, {"constant_memory": True, **WORKBOOK_OPTIONS})
        self._sheet = self._book.add_worksheet("Documentos")
        self._row = 0
        self._sheet.freeze_panes(1, 0)
        self._sheet.set_column(0, len(head) - 1, 18)
        self._write(head, self._book.add_format({"bold": True}))

    def add(self, rows: Iterable[Sequence[Cell]]) -> None:
        """Write rows; texts are written as texts, never as formulas."""
        for row in rows:
            self._write(row, None)

    def close(self) -> None:
        """Complete the file."""
        self._book.close()

    def _write(self, cells: Sequence[Cell], style: object) -> None:
        for column, cell in enumerate(cells):
            if isinstance(cell, str):
                self._sheet.write_string(self._row, column, cell, style)
            else:
                self._sheet.write_number(self._row, column, float(cell), style)
        self._row += 1


class ZipStream:
    """A ZIP archive that is read in pieces while members are added."""

    def __init__(self) -> None:
        self._buffer = _Unseekable()
        self._archive = ZipFile(self._buffer, "w", ZIP_DEFLATED)

    def add(self, name: str, content: bytes) -> bytes:
        """Add a member; return the bytes to send."""
        member = ZipInfo(name, ZIP_DATE)
        member.compress_type = ZIP_DEFLATED
        self._archive.writestr(member, content)
        return self._buffer.take()

    def close(self) -> bytes:
        """Write the directory; return the last bytes."""
        self._archive.close()
        return self._buffer.take()


class _Unseekable(io.RawIOBase):
    """Collects what `ZipFile` writes; without `seek` and `tell`, it writes data descriptors after the members."""

    def __init__(self) -> None:
        super().__init__()
        self._pieces: list[bytes] = []

    def writable(self) -> bool:
        return True

    def write(self, data: ReadableBuffer) -> int:
        piece = bytes(data)
        self._pieces.append(piece)
        return len(piece)

    def take(self) -> bytes:
        """Return and forget what was written."""
        pieces, self._pieces = self._pieces, []
        return b"".join(pieces)
