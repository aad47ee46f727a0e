"""The report: queries over the tables, HTML and workbook."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from zipfile import ZipFile

import pytest

from timbra.bulk.plan import Planner
from timbra.bulk.report.database import ResultDatabase, open_database
from timbra.bulk.report.page import chart, write_html, write_workbook
from timbra.bulk.report.queries import (
    ARTICLE_69B,
    CANCELLED,
    CODES,
    DUPLICATES,
    MISSING,
    MONTHS,
    QUERIES,
    RESULTS,
    SUPPLIERS,
    UNREADABLE,
    Query,
)
from timbra.bulk.result_folder import ResultFolder, RunDescription
from timbra.bulk.schema import to_batch
from timbra.bulk.worker import TaskResult
from timbra.core.errors import ServiceError
from timbra.validation.tables import Row

SCHEMA_VERSION = 3

OCTOBER, NOVEMBER = datetime(2026, 10, 31, 23, 59), datetime(2026, 11, 1)  # noqa: DTZ001 - times without zone
FORMULA = '=cmd|"<b>'


def document(number: int, uuid: str | None, result: str, **values: object) -> Row:
    own = {"document_id": number, "source": f"{number}.xml", "sha256": str(number), "uuid": uuid, "result": result}
    return {**own, "fecha": NOVEMBER, "total": Decimal(100), "moneda": "MXN", "issuer_rfc": "A", **values}


ROWS: dict[str, list[Row]] = {
    "documents": [
        document(0, "u0", "valid", fecha=OCTOBER),
        document(1, "u1", "invalid", issuer_rfc="B", issuer_name=FORMULA),
        document(2, "u0", "valid", sha256="0", fecha=OCTOBER),
        document(3, None, "unreadable", fecha=None, total=None, moneda=None, issuer_rfc=None, rejection_code="301"),
        document(4, "u4", "warned", article_69b="Definitivo", moneda="USD"),
        document(5, "u5", "valid"),
    ],
    "findings": [
        {"document_id": 1, "code": "X1", "severity": "error", "position": 0},
        {"document_id": 1, "code": "X1", "severity": "error", "position": 1},
        {"document_id": 4, "code": "X2", "severity": "warning", "position": 0},
        {"document_id": 3, "code": "301", "severity": "error", "detail": "texto", "position": 0},
    ],
    "metadata": [
        {"uuid": "u0", "status": "Cancelado", "cancelled_at": NOVEMBER},
        {"uuid": "u9", "status": "Vigente", "issuer_rfc": "Z"},
        {"uuid": "u8", "status": "Cancelado"},
        {"uuid": "u7", "status": "Vigente"},
        {"uuid": "u7", "status": "Cancelado"},
    ],
    "statuses": [
        {"uuid": "u5", "status": "Vigente", "status_time": datetime(2026, 11, 1, tzinfo=UTC)},
        {"uuid": "u5", "status": "Cancelado", "status_time": datetime(2026, 11, 2, tzinfo=UTC)},
    ],
}


@pytest.fixture
def folder(tmp_path: Path) -> ResultFolder:
    (tmp_path / "in").mkdir()
    made = ResultFolder(str(tmp_path / "out"))
    made.create(RunDescription("validate", SCHEMA_VERSION, "0", "d", (str(tmp_path / "in"),), {}), Planner())
    tables = {name: [to_batch(name, rows)] for name, rows in ROWS.items() if name != "statuses"}
    made.write_part(0, [TaskResult(0, {"valid": 6}, tables)])
    for row in ROWS["statuses"]:
        made.write_statuses([row])
    return made


@pytest.fixture
def database(folder: ResultFolder) -> Iterator[ResultDatabase]:
    with open_database(folder) as made:
        yield made


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        (RESULTS, [("valid", 3, 300), ("invalid", 1, 100), ("unreadable", 1, None), ("warned", 1, None)]),
        (
            MONTHS,
            [
                ("2026-10", "valid", 2, 200),
                ("2026-11", "invalid", 1, 100),
                ("2026-11", "valid", 1, 100),
                ("2026-11", "warned", 1, None),
            ],
        ),
        (CODES, [("301", "error", 1, 1), ("X1", "error", 1, 2), ("X2", "warning", 1, 1)]),
        (SUPPLIERS, [("B", FORMULA, 1, 1, 100)]),
        (UNREADABLE, [("3.xml", "301", "texto")]),
        (DUPLICATES, [("u0", "2.xml", "0.xml", True)]),
        (
            CANCELLED,
            [
                ("u0", "0.xml", "A", OCTOBER, 100, "MXN", NOVEMBER),
                ("u5", "5.xml", "A", NOVEMBER, 100, "MXN", None),
            ],
        ),
        (ARTICLE_69B, [("A", None, "Definitivo", 1, None)]),
        (MISSING, [("u9", "Z", None, None, None, None, None)]),
    ],
    ids=lambda value: value.name if isinstance(value, Query) else "",
)
def test_query_of_the_report(database: ResultDatabase, query: Query, expected: list[tuple[object, ...]]) -> None:
    table = database.run_report(query)
    assert table.rows == expected
    assert {len(row) for row in table.rows} == {len(table.columns)}


def test_documents_view_joins_status_and_duplicates(database: ResultDatabase) -> None:
    rows = database.run("SELECT document_id, status, duplicate_of FROM documents").rows
    assert {number: status for number, status, _ in rows if status} == {5: "Cancelado"}
    assert {number: first for number, _, first in rows if first is not None} == {2: 0}
    assert len(rows) == 6


def test_run_raises_for_wrong_sql(database: ResultDatabase) -> None:
    with pytest.raises(ServiceError, match="bulk-query"):
        database.run("SELECT nothing FROM documents")


def test_open_database_rejects_a_folder_without_a_run(tmp_path: Path) -> None:
    with pytest.raises(ServiceError, match="bulk-folder"), open_database(ResultFolder(str(tmp_path))):
        pass


def test_write_html_escapes_texts_and_draws_months(
    folder: ResultFolder, database: ResultDatabase, tmp_path: Path
) -> None:
    write_html(database, folder.description(), tmp_path / "r.html")
    page = (tmp_path / "r.html").read_text("utf-8")
    assert "=cmd|&#34;&lt;b&gt;" in page
    assert page.count("<rect") == 4
    assert all(query.title in page for query in QUERIES)


def test_chart_scales_bars_to_the_tallest_month(database: ResultDatabase) -> None:
    drawn = chart(database.run_report(MONTHS))
    assert [month for _, month in drawn.labels] == ["2026-10", "2026-11"]
    assert sorted(bar.height for bar in drawn.bars) == [53.3, 53.3, 53.3, 106.7]


def test_write_workbook_has_a_sheet_per_query_and_no_formulas(database: ResultDatabase, tmp_path: Path) -> None:
    write_workbook(database, tmp_path / "r.xlsx")
    with ZipFile(tmp_path / "r.xlsx") as book:
        sheets = [name for name in book.namelist() if name.startswith("xl/worksheets/sheet")]
        texts = b"".join(book.read(name) for name in sheets)
        assert b'=cmd|"&lt;b&gt;' in book.read("xl/sharedStrings.xml")
    assert len(sheets) == len(QUERIES)
    assert b"<f>" not in texts


def test_open_database_rejects_tables_of_another_version(folder: ResultFolder) -> None:
    file = Path(folder.location, "run.json")
    file.write_text(json.dumps({**json.loads(file.read_text()), "schema_version": SCHEMA_VERSION - 1}))
    with pytest.raises(ServiceError, match="bulk-folder") as caught, open_database(folder):
        pass
    assert f"versión {SCHEMA_VERSION - 1}" in str(caught.value)


def test_report_command_writes_no_message_of_libraries(folder: ResultFolder) -> None:
    command = [sys.executable, "-c", "from timbra.cli.entry import run; run()", "bulk", "report", folder.location]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "X1" in done.stdout
    assert "leak" not in done.stderr
