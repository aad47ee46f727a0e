"""Reports as files: CSV and XLSX."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Mapping
from datetime import date, datetime
from typing import IO

from timbra.core.clock import CENTRAL_MEXICO
from timbra.core.errors import ServiceError
from timbra.core.spreadsheets import WORKBOOK_OPTIONS, safe_text, text_of
from timbra.reports.report import Cell, ReportTable

MAX_SHEET_ROWS = 1_048_576
MAX_SHEET_NAME = 31
MAX_COLUMN_WIDTH = 60


def write_csv(report: ReportTable, target: IO[bytes]) -> int:
    """Write a report as CSV in UTF-8 with a byte order mark, which spreadsheet programs need; return its rows.

    A text that a spreadsheet program would run as a formula gets an apostrophe before it.
    """
    text = io.TextIOWrapper(target, "utf-8-sig", newline="")
    writer = csv.writer(text)
    writer.writerow(report.columns)
    count = 0
    for row in report.rows:
        writer.writerow([_csv_cell(cell) for cell in row])
        count += 1
    text.flush()
    text.detach()
    return count


def write_xlsx(report: ReportTable, target: IO[bytes]) -> int:
    """Write a report as an Excel workbook with one sheet; return its rows.

    Raises:
        ServiceError: "report-invalid" when it has more rows than a sheet.
    """
    from xlsxwriter import Workbook

    book = Workbook(target, {"constant_memory": True, **WORKBOOK_OPTIONS})
    bold, day = book.add_format({"bold": True}), book.add_format({"num_format": "yyyy-mm-dd"})
    instant = book.add_format({"num_format": "yyyy-mm-dd hh:mm:ss"})
    sheet = book.add_worksheet(report.title[:MAX_SHEET_NAME])
    sheet.freeze_panes(1, 0)
    for column, heading in enumerate(report.columns):
        sheet.set_column(column, column, min(max(len(heading) + 2, 14), MAX_COLUMN_WIDTH))
        sheet.write_string(0, column, heading, bold)
    count = 0
    for count, row in enumerate(report.rows, 1):
        if count >= MAX_SHEET_ROWS:
            raise ServiceError(
                "report-invalid", f"El reporte tiene más de {MAX_SHEET_ROWS - 1} renglones; pídalo en CSV."
            )
        for column, cell in enumerate(row):
            if isinstance(cell, datetime):
                sheet.write_datetime(count, column, cell.astimezone(CENTRAL_MEXICO).replace(tzinfo=None), instant)
            elif isinstance(cell, date):
                sheet.write_datetime(count, column, datetime(cell.year, cell.month, cell.day), day)  # noqa: DTZ001
            elif isinstance(cell, bool):
                sheet.write_boolean(count, column, cell)
            elif isinstance(cell, int | float):
                sheet.write_number(count, column, cell)
            elif cell is not None:
                sheet.write_string(count, column, cell)
    book.close()
    return count


FORMATS: Mapping[str, Callable[[ReportTable, IO[bytes]], int]] = {"csv": write_csv, "xlsx": write_xlsx}
"""The writer of each format."""
CONTENT_TYPES: Mapping[str, str] = {
    "csv": "text/csv; charset=utf-8",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}


def _csv_cell(cell: Cell) -> str:
    return safe_text(cell) if isinstance(cell, str) else text_of(cell)
