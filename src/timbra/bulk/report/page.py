"""The report as one HTML page without scripts, and as a workbook."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from importlib.resources import files
from pathlib import Path
from typing import Any

from timbra.bulk.report.database import ResultDatabase, Table
from timbra.bulk.report.queries import MONTHS, QUERIES
from timbra.core.spreadsheets import WORKBOOK_OPTIONS

RESULT_NAMES = {"valid": "Válidos", "warned": "Con avisos", "invalid": "Inválidos", "unreadable": "Ilegibles"}
COLOURS = {"valid": "#2e7d32", "warned": "#f9a825", "invalid": "#c62828", "unreadable": "#616161"}
CHART_HEIGHT = 160
BAR_WIDTH, GAP = 22, 6


@dataclass(frozen=True, slots=True)
class BarSegment:
    """A segment of a bar of the chart, in pixels."""

    x: int
    y: float
    height: float
    colour: str
    title: str


@dataclass(frozen=True, slots=True)
class Chart:
    """Documents by month, one bar for each month, with a segment for each result."""

    width: int
    bars: tuple[BarSegment, ...]
    labels: tuple[tuple[int, str], ...]


def write_html(database: ResultDatabase, description: Mapping[str, Any], target: Path) -> None:
    """Write the report as HTML.

    Args:
        database: the tables.
        description: the description of the run, see `ResultFolder.description`.
    """
    from jinja2 import Environment

    source = files("timbra.bulk.report").joinpath("report.html").read_text("utf-8")
    template = Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True).from_string(source)
    tables = [(query, _named(database.run_report(query))) for query in QUERIES]
    page = template.render(
        run=description,
        tables=tables,
        chart=chart(database.run_report(MONTHS)),
        chart_height=CHART_HEIGHT,
        bar_width=BAR_WIDTH,
        legend=[(RESULT_NAMES[name], colour) for name, colour in COLOURS.items()],
        shown=shown,
    )
    target.write_text(page, "utf-8")


def write_workbook(database: ResultDatabase, target: Path) -> None:
    """Write the report as a workbook (XLSX), one sheet for each query; text never becomes a formula."""
    import xlsxwriter

    options = {**WORKBOOK_OPTIONS, "nan_inf_to_errors": True}
    with xlsxwriter.Workbook(str(target), options) as workbook:
        bold = workbook.add_format({"bold": True})
        dates = workbook.add_format({"num_format": "yyyy-mm-dd hh:mm:ss"})
        for query in QUERIES:
            sheet = workbook.add_worksheet(query.name)
            table = _named(database.run_report(query))
            sheet.write_row(0, 0, table.columns, bold)
            for number, row in enumerate(table.rows, 1):
                for column, value in enumerate(row):
                    if isinstance(value, datetime):
                        sheet.write_datetime(number, column, value.replace(tzinfo=None), dates)
                    else:
                        sheet.write(number, column, value)
            sheet.freeze_panes(1, 0)
            sheet.autofit()


def chart(months: Table) -> Chart:
    """Return the chart of the rows of the query `MONTHS`."""
    by_month: dict[str, dict[str, int]] = defaultdict(dict)
    for month, result, documents, _ in months.rows:
        by_month[month][result] = documents
    tallest = max((sum(parts.values()) for parts in by_month.values()), default=1)
    bars: list[BarSegment] = []
    for position, (month, parts) in enumerate(by_month.items()):
        bars += _stack(GAP + position * (BAR_WIDTH + GAP), month, parts, CHART_HEIGHT / tallest)
    labels = tuple((GAP + position * (BAR_WIDTH + GAP), month) for position, month in enumerate(by_month))
    return Chart(GAP + len(by_month) * (BAR_WIDTH + GAP), tuple(bars), labels)


def _stack(x: int, month: str, parts: Mapping[str, int], scale: float) -> Iterable[BarSegment]:
    y = float(CHART_HEIGHT)
    for result, colour in COLOURS.items():
        if documents := parts.get(result, 0):
            height = documents * scale
            y -= height
            yield BarSegment(x, round(y, 1), round(height, 1), colour, f"{month} {RESULT_NAMES[result]}: {documents:,}")


def _named(table: Table) -> Table:
    """Return a table with the Spanish names of results."""
    rows = [
        tuple(RESULT_NAMES.get(value, value) if isinstance(value, str) else value for value in row)
        for row in table.rows
    ]
    return Table(table.columns, rows)


def shown(value: object) -> str:
    """Return a value as text for people."""
    match value:
        case None:
            return ""
        case bool():
            return "sí" if value else "no"
        case int():
            return f"{value:,}"
        case Decimal():
            return f"{value:,.2f}"
        case datetime():
            return value.isoformat(" ", "seconds")
        case _:
            return str(value)
