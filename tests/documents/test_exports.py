"""Tables that spreadsheet programs open: no cell is a formula; ZIP archives are complete when read in pieces."""

from __future__ import annotations

import csv
import io
import random
from decimal import Decimal
from pathlib import Path
from zipfile import ZipFile

import pytest
from lxml import etree
from python_calamine import CalamineWorkbook

from timbra.core.spreadsheets import Cell, WorkbookStream, WorkbookWriter, csv_line
from timbra.core.zip_stream import ZipStream


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


HEAD = ["Texto", "Total"]
ROWS: list[tuple[Cell, Cell]] = [
    ("=1+1", Decimal("1234567890123456.10")),
    ('Ñ & <b> "x"\n  y ', Decimal("-0.000001")),
    ("a\x00b\x1f\ud800c", 7),
    ("", Decimal(0)),
]
READ = [HEAD, ["=1+1", 1234567890123456.0], ['Ñ & <b> "x"\n  y ', -1e-06], ["abc", 7.0], ["", 0.0]]


def test_streamed_workbook_is_read_by_libraries(tmp_path: Path) -> None:
    book, path = WorkbookStream("Uno & dos", HEAD), tmp_path / "a.xlsx"
    path.write_bytes(b"".join([*(book.add([row]) for row in ROWS), book.close()]))
    read = CalamineWorkbook.from_path(path)
    assert read.sheet_names == ["Uno & dos"]
    assert read.get_sheet_by_name("Uno & dos").to_python() == READ
    with ZipFile(path) as archive:
        assert archive.testzip() is None
        assert b"<f>" not in archive.read("xl/worksheets/sheet1.xml")
        roots = {name: etree.fromstring(archive.read(name)).tag.rpartition("}")[2] for name in archive.namelist()}
    assert roots == {
        "[Content_Types].xml": "Types",
        "_rels/.rels": "Relationships",
        "xl/_rels/workbook.xml.rels": "Relationships",
        "xl/styles.xml": "styleSheet",
        "xl/workbook.xml": "workbook",
        "xl/worksheets/sheet1.xml": "worksheet",
    }


def test_streamed_workbook_sends_its_rows_before_its_end() -> None:
    book = WorkbookStream("Uno", HEAD)
    first = book.add([("x" * 10, 1)])
    assert first.startswith(b"PK")
    rows = book.add((random.Random(number).randbytes(40).hex(), number) for number in range(5_000))
    assert len(rows) > 100_000
    assert len(book.close()) < len(rows)


@pytest.mark.parametrize(("limit", "most"), [("MAX_ROWS", 2), ("MAX_SHEET_BYTES", 500)])
def test_streamed_workbook_continues_on_further_sheets(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: str, most: int
) -> None:
    monkeypatch.setattr(f"timbra.core.spreadsheets.{limit}", most)
    book, path = WorkbookStream("Uno", HEAD), tmp_path / "a.xlsx"
    pieces = [book.add([("a" * 100, 1), ("b" * 100, 2), ("c" * 100, 3)]), book.add([("d", 4), ("e", 5)]), book.close()]
    path.write_bytes(b"".join(pieces))

    read = CalamineWorkbook.from_path(path)
    rows = [read.get_sheet_by_name(name).to_python() for name in read.sheet_names]
    assert read.sheet_names[:2] == ["Uno", "Uno 2"]
    assert {tuple(sheet[0]) for sheet in rows} == {tuple(HEAD)}
    assert [row[1] for sheet in rows for row in sheet[1:]] == [1, 2, 3, 4, 5]
    assert all(len(sheet) <= 4 for sheet in rows)
