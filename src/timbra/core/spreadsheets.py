"""Tables for spreadsheet programs: CSV lines and workbooks whose texts are never read as formulas."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import Final

from timbra.core.clock import CENTRAL_MEXICO

FORMULA_STARTS: Final = ("=", "+", "-", "@", "\t", "\r")
"""First characters with which a spreadsheet program reads a cell of a CSV file as a formula."""
WORKBOOK_OPTIONS: Final = {"strings_to_formulas": False, "strings_to_urls": False}
"""Options of a workbook of xlsxwriter whose texts stay texts."""
BYTE_ORDER_MARK: Final = "\ufeff"
"""At the start of a CSV file, so that spreadsheet programs read it as UTF-8."""
MAX_ROWS: Final = 1_048_575
"""Rows of a sheet below its head; xlsxwriter drops further ones without an error."""
INSTANT_FORMAT: Final = "%Y-%m-%dT%H:%M:%S%z"
Cell = str | int | Decimal


class SheetFullError(Exception):
    """A sheet has no place for more rows."""


def safe_text(text: str) -> str:
    """Return the text of a CSV cell, with an apostrophe before it if it would be read as a formula."""
    return f"'{text}" if text.startswith(FORMULA_STARTS) else text


def csv_line(cells: Iterable[Cell]) -> str:
    """Return a line of a CSV file; a text that a spreadsheet program reads as a formula gets an apostrophe before it.

    Args:
        cells: Numbers are written as they are.
    """
    buffer = io.StringIO()
    csv.writer(buffer).writerow([safe_text(cell) if isinstance(cell, str) else cell for cell in cells])
    return buffer.getvalue()


class WorkbookWriter:
    """A workbook in a file; rows are written to disk one by one.

    Args:
        path: The file.
        sheets: Titles of the columns by name of the sheet.
    """

    def __init__(self, path: Path, sheets: Mapping[str, Sequence[str]]) -> None:
        from xlsxwriter import Workbook

        self._book = Workbook(path, {"constant_memory": True, **WORKBOOK_OPTIONS})
        bold = self._book.add_format({"bold": True})
        self._sheets = {name: self._book.add_worksheet(name) for name in sheets}
        self._rows = dict.fromkeys(sheets, 0)
        for name, head in sheets.items():
            self._sheets[name].freeze_panes(1, 0)
            self._sheets[name].set_column(0, len(head) - 1, 18)
            self._write(name, head, bold)

    def add(self, sheet: str, rows: Iterable[Sequence[Cell]]) -> None:
        """Write rows; texts are written as texts, never as formulas.

        Raises:
            SheetFullError: The sheet has `MAX_ROWS` rows.
        """
        for row in rows:
            if self._rows[sheet] > MAX_ROWS:
                raise SheetFullError(sheet)
            self._write(sheet, row, None)

    def close(self) -> None:
        """Complete the file."""
        self._book.close()

    def _write(self, name: str, cells: Sequence[Cell], style: object) -> None:
        sheet, row = self._sheets[name], self._rows[name]
        for column, cell in enumerate(cells):
            if isinstance(cell, str):
                sheet.write_string(row, column, cell, style)
            else:
                sheet.write_number(row, column, float(cell), style)
        self._rows[name] += 1


def text_of(cell: object) -> str:
    """Return a cell as text; instants are in central Mexico."""
    if cell is None:
        return ""
    if isinstance(cell, bool):
        return "sí" if cell else "no"
    if isinstance(cell, datetime):
        return cell.astimezone(CENTRAL_MEXICO).strftime(INSTANT_FORMAT)
    return str(cell)
