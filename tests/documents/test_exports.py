"""Tables that spreadsheet programs open: no cell is a formula; ZIP archives are complete when read in pieces."""

from __future__ import annotations

import csv
import io
from decimal import Decimal
from pathlib import Path
from zipfile import ZipFile

import pytest
from python_calamine import CalamineWorkbook

from timbra.core.spreadsheets import WorkbookWriter, csv_line
from timbra.documents.export_pages import ZipStream


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r"])
def test_csv_line_escapes_formulas(start: str) -> None:
    [[first, second]] = csv.reader(io.StringIO(csv_line([f"{start}cmd|' /C calc'!A0", "a=b"]), newline=""))

    assert first == f"'{start}cmd|' /C calc'!A0"
    assert second == "a=b"


def test_csv_line_writes_amounts_exactly() -> None:
    assert csv_line([Decimal("-1234567890123456.10"), 'una "cita", y\nlínea']) == (
        '-1234567890123456.10,"una ""cita"", y\nlínea"\r\n'
    )


def test_zip_stream_is_a_valid_archive() -> None:
    stream = ZipStream()
    pieces = [stream.add(f"{number}.xml", b"<a/>" * number) for number in range(50)]

    with ZipFile(io.BytesIO(b"".join([*pieces, stream.close()]))) as archive:
        assert archive.testzip() is None
        assert archive.read("7.xml") == b"<a/>" * 7
        assert len(archive.namelist()) == 50
    assert all(pieces)


def test_workbook_has_texts_and_numbers_but_no_formulas(tmp_path: Path) -> None:
    path = tmp_path / "a.xlsx"
    book = WorkbookWriter(path, {"Uno": ["Texto", "Total"], "Dos": ["Nada"]})
    book.add("Uno", [("=1+1", Decimal("21750.00")), ("https://example.com", Decimal(0))])
    book.close()

    assert CalamineWorkbook.from_path(path).sheet_names == ["Uno", "Dos"]
    rows = CalamineWorkbook.from_path(path).get_sheet_by_name("Uno").to_python()
    assert rows == [["Texto", "Total"], ["=1+1", 21750.0], ["https://example.com", 0.0]]
    with ZipFile(path) as archive:
        assert b"<f>" not in archive.read("xl/worksheets/sheet1.xml")
