"""Files of the tables `documents` and `findings`: CSV and workbooks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

from timbra.core.errors import ServiceError
from timbra.core.spreadsheets import MAX_ROWS, Cell, SheetFullError, WorkbookWriter, csv_line
from timbra.validation.amounts import shortest_amount
from timbra.validation.tables import DOCUMENTS, FINDINGS, TABLES, Row

DOCUMENTS_TABLE, FINDINGS_TABLE = "documents", "findings"
HEADS = {
    DOCUMENTS_TABLE: tuple(column.name for column in DOCUMENTS),
    FINDINGS_TABLE: tuple(column.name for column in FINDINGS),
}
"""Names of the columns by table."""


def cells(table: str, row: Row) -> list[Cell]:
    """Return the cells of a row, in the order of the columns; a null is an empty text.

    Args:
        row: Values by column; absent ones are null.
    """
    return [_cell(row.get(column.name)) for column in TABLES[table]]


def csv_lines(table: str, rows: Iterable[Row]) -> Iterator[str]:
    return (csv_line(cells(table, row)) for row in rows)


class TableWorkbook:
    """A workbook with a sheet for each of the two tables.

    Args:
        path: The file.
    """

    def __init__(self, path: Path) -> None:
        self._book = WorkbookWriter(path, HEADS)

    def add(self, table: str, rows: Iterable[Row]) -> None:
        """Write rows. Raises ServiceError: "TB4005" when the sheet has no place for more rows."""
        try:
            self._book.add(table, (cells(table, row) for row in rows))
        except SheetFullError as error:
            detail = f"Una hoja de cálculo tiene a lo más {MAX_ROWS:,} renglones; use CSV."
            raise ServiceError("TB4005", detail) from error

    def close(self) -> None:
        """Complete the file."""
        self._book.close()


def _cell(value: Any) -> Cell:
    if value is None:
        return ""
    if isinstance(value, list):
        return ", ".join(value)
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, Decimal):
        return Decimal(shortest_amount(value))
    return value if isinstance(value, int) else str(value)
