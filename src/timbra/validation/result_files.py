"""Files with the results of a validation: the tables `documents` and `findings` as CSV or workbook."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from timbra.core.spreadsheets import BYTE_ORDER_MARK, csv_line
from timbra.validation.folders import DocumentResult
from timbra.validation.table_files import DOCUMENTS_TABLE, FINDINGS_TABLE, HEADS, TableWorkbook, csv_lines
from timbra.validation.tables import DocumentRows, Row, unreadable_finding, unreadable_row


def findings_path(documents: Path) -> Path:
    """Return the CSV file of the findings: `out-findings.csv` beside `out.csv`."""
    return documents.with_name(f"{documents.stem}-findings{documents.suffix}")


class ResultFiles:
    """Open files with results; documents are numbered in their order.

    Args:
        csv: Open CSV files by table.
        workbook: None without one.
    """

    def __init__(self, csv: dict[str, IO[str]], workbook: TableWorkbook | None) -> None:
        self._csv = csv
        self._workbook = workbook
        self._next = 0
        self._first: dict[str, int] = {}

    def count(self, result: DocumentResult | None, *, is_written: bool) -> None:
        """Number a document, and write its rows.

        Args:
            result: The result, with its rows.
            is_written: Whether the rows are written; a document that is left out keeps its number.
        """
        number = self._next
        self._next += 1
        rows = _rows(result)
        uuid = rows.document.get("uuid")
        first = self._first.setdefault(uuid, number) if uuid else number
        if is_written:
            duplicate = None if first == number else first
            document = {**rows.document, "document_id": number, "duplicate_of": duplicate}
            self._write(DOCUMENTS_TABLE, [document])
            self._write(FINDINGS_TABLE, [{**row, "document_id": number, "uuid": uuid} for row in rows.findings])

    def _write(self, table: str, rows: list[Row]) -> None:
        if table in self._csv:
            self._csv[table].writelines(csv_lines(table, rows))
        if self._workbook is not None:
            self._workbook.add(table, rows)


@contextmanager
def result_files(csv: Path | None, xlsx: Path | None) -> Iterator[ResultFiles | None]:
    """Create the files, and complete them at the end.

    Args:
        csv: The file of the documents; that of the findings is beside it.
        xlsx: The workbook.

    Yields:
        The open files; None when both arguments are None.

    Raises:
        OSError: A file cannot be written.
    """
    if csv is None and xlsx is None:
        yield None
        return
    files: dict[str, IO[str]] = {}
    workbook = None
    try:
        if csv is not None:
            for table, path in ((DOCUMENTS_TABLE, csv), (FINDINGS_TABLE, findings_path(csv))):
                files[table] = path.open("w", encoding="utf-8", errors="backslashreplace", newline="")
                files[table].write(BYTE_ORDER_MARK + csv_line(HEADS[table]))
        if xlsx is not None:
            xlsx.touch()  # the library writes the file at the end; a path that cannot be written is known here
            workbook = TableWorkbook(xlsx)
        yield ResultFiles(files, workbook)
    finally:
        for file in files.values():
            file.close()
        if workbook is not None:
            workbook.close()


def _rows(result: DocumentResult | None) -> DocumentRows:
    """Return the rows of a result; those of a file that could not be read are made here."""
    if result is not None and result.rows is not None:
        return result.rows
    if result is None or result.rejection is None:
        raise ValueError("the result has no rows")
    return DocumentRows(unreadable_row(result.name, result.rejection), [unreadable_finding(result.rejection)])
