"""Tables for spreadsheet programs: CSV lines and workbooks whose texts are never read as formulas."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import Final
from xml.sax.saxutils import escape, quoteattr

from timbra.core.clock import CENTRAL_MEXICO
from timbra.core.zip_stream import ZipStream

FORMULA_STARTS: Final = ("=", "+", "-", "@", "\t", "\r")
"""First characters with which a spreadsheet program reads a cell of a CSV file as a formula."""
WORKBOOK_OPTIONS: Final = {"strings_to_formulas": False, "strings_to_urls": False}
"""Options of a workbook of xlsxwriter whose texts stay texts."""
BYTE_ORDER_MARK: Final = "\ufeff"
"""At the start of a CSV file, so that spreadsheet programs read it as UTF-8."""
MAX_ROWS: Final = 1_048_575
"""Rows of a sheet below its head; xlsxwriter drops further ones without an error."""
MAX_SHEET_BYTES: Final = 3 * 2**29
"""Bytes of a streamed sheet, after which a further one begins: a member of its archive has less than 2 GiB."""
INSTANT_FORMAT: Final = "%Y-%m-%dT%H:%M:%S%z"
Cell = str | int | Decimal
_UNPRINTABLE = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML 1.0 does not have."""
_DECLARATION = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>'
_OOXML = "http://schemas.openxmlformats.org"
_MAIN = f'xmlns="{_OOXML}/spreadsheetml/2006/main"'
_R = f'xmlns:r="{_OOXML}/officeDocument/2006/relationships"'
_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml"
_RELATIONSHIPS = f'<Relationships xmlns="{_OOXML}/package/2006/relationships">'
_RELATIONSHIP = f'<Relationship Id="{{}}" Type="{_OOXML}/officeDocument/2006/relationships/{{}}" Target="{{}}"/>'
_PARTS: Final = {
    "[Content_Types].xml": f'<Types xmlns="{_OOXML}/package/2006/content-types">'
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    f'<Default Extension="xml" ContentType="{_TYPE}.worksheet+xml"/>'
    f'<Override PartName="/xl/workbook.xml" ContentType="{_TYPE}.sheet.main+xml"/>'
    f'<Override PartName="/xl/styles.xml" ContentType="{_TYPE}.styles+xml"/></Types>',
    "_rels/.rels": _RELATIONSHIPS
    + _RELATIONSHIP.format("rId1", "officeDocument", "xl/workbook.xml")
    + "</Relationships>",
    "xl/styles.xml": f'<styleSheet {_MAIN}><fonts count="2"><font/><font><b/></font></fonts>'
    '<fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill>'
    '</fills><borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs>'
    '<cellXfs count="2"><xf xfId="0"/><xf xfId="0" fontId="1" applyFont="1"/></cellXfs></styleSheet>',
}
"""The parts of a workbook besides its sheets and what lists them."""
_SHEET_HEAD = (
    f'<worksheet {_MAIN}><sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" '
    'activePane="bottomLeft" state="frozen"/></sheetView></sheetViews>'
    '<cols><col min="1" max="{columns}" width="18" customWidth="1"/></cols><sheetData>'
)


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


class WorkbookStream:
    """A workbook that is sent while it is written; what a sheet cannot hold is in further ones, `Name 2`, `Name 3`.

    Args:
        sheet: Name of the sheet.
        head: Titles of the columns.
    """

    def __init__(self, sheet: str, head: Sequence[str]) -> None:
        self._archive = ZipStream()
        for name, content in _PARTS.items():
            self._archive.write(name, (_DECLARATION + content).encode())
        self._name, self._head, self._sheets = sheet, head, 0
        self._begin()

    def add(self, rows: Iterable[Sequence[Cell]]) -> bytes:
        """Write rows; return the bytes to send. Texts are written as texts, never as formulas."""
        for row in rows:
            if self._rows > MAX_ROWS or self._size > MAX_SHEET_BYTES:
                self._end()
                self._begin()
            self._write(row, "")
        return self._archive.take()

    def close(self) -> bytes:
        """Complete the workbook; return the last bytes."""
        self._end()
        sheets, relationships = "", ""
        for number in range(1, self._sheets + 1):
            name = self._name if number == 1 else f"{self._name} {number}"
            sheets += f'<sheet name={quoteattr(name)} sheetId="{number}" r:id="rId{number}"/>'
            relationships += _RELATIONSHIP.format(f"rId{number}", "worksheet", f"worksheets/sheet{number}.xml")
        relationships += _RELATIONSHIP.format(f"rId{self._sheets + 1}", "styles", "styles.xml")
        book = f"<workbook {_MAIN} {_R}><sheets>{sheets}</sheets></workbook>"
        self._archive.write("xl/workbook.xml", (_DECLARATION + book).encode())
        listed = f"{_DECLARATION}{_RELATIONSHIPS}{relationships}</Relationships>"
        self._archive.write("xl/_rels/workbook.xml.rels", listed.encode())
        return self._archive.close()

    def _begin(self) -> None:
        self._sheets += 1
        self._rows, self._size = 0, 0
        self._sheet = self._archive.open(f"xl/worksheets/sheet{self._sheets}.xml")
        self._sheet.write((_DECLARATION + _SHEET_HEAD.format(columns=len(self._head))).encode())
        self._write(self._head, ' s="1"')

    def _end(self) -> None:
        self._sheet.write(b"</sheetData></worksheet>")
        self._sheet.close()

    def _write(self, cells: Sequence[Cell], style: str) -> None:
        self._rows += 1
        written = "".join(
            _text_cell(cell, style) if isinstance(cell, str) else f"<c><v>{cell}</v></c>" for cell in cells
        )
        self._size += self._sheet.write(f'<row r="{self._rows}">{written}</row>'.encode())


def _text_cell(text: str, style: str) -> str:
    return f'<c t="inlineStr"{style}><is><t xml:space="preserve">{escape(_UNPRINTABLE.sub("", text))}</t></is></c>'


def text_of(cell: object) -> str:
    """Return a cell as text; instants are in central Mexico."""
    if cell is None:
        return ""
    if isinstance(cell, bool):
        return "sí" if cell else "no"
    if isinstance(cell, datetime):
        return cell.astimezone(CENTRAL_MEXICO).strftime(INSTANT_FORMAT)
    return str(cell)
