"""`timbra bulk report` and `timbra bulk query`: questions about a result folder."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from timbra.bulk.commands.endings import ResultsArgument, errors
from timbra.console.language import translate

if TYPE_CHECKING:
    from timbra.bulk.report.database import ResultDatabase

MAX_ROWS = 20
"""Rows of each table of the report that are printed."""


def report(
    folder: ResultsArgument,
    html: Annotated[
        Path | None, typer.Option("--html", dir_okay=False, help="Write the report with charts as HTML.")
    ] = None,
    xlsx: Annotated[Path | None, typer.Option("--xlsx", dir_okay=False, help="Write the report as a workbook.")] = None,
) -> None:
    """Print a report on a result folder: totals, codes, suppliers, duplicates, cancelled and missing documents."""
    with errors():
        from timbra.bulk.report.database import open_database
        from timbra.bulk.report.page import write_html, write_workbook
        from timbra.bulk.result_folder import ResultFolder

        results = ResultFolder(folder)
        with open_database(results) as database:
            _print_report(database)
            if html is not None:
                write_html(database, results.description(), html)
            if xlsx is not None:
                write_workbook(database, xlsx)


def query(
    folder: ResultsArgument,
    sql: Annotated[
        str,
        typer.Argument(
            help="A query in DuckDB's SQL over documents, findings, concepts, payments, metadata, statuses."
        ),
    ],
) -> None:
    """Run a query over a result folder; prints one row on each line, values separated by tabs."""
    with errors():
        from timbra.bulk.report.database import open_database
        from timbra.bulk.result_folder import ResultFolder

        with open_database(ResultFolder(folder)) as database:
            table = database.run(sql)
        for row in table.rows:
            typer.echo("\t".join(map(_plain, row)))


def _print_report(database: ResultDatabase) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from timbra.bulk.report.page import shown
    from timbra.bulk.report.queries import QUERIES

    console = Console()
    for each in QUERIES:
        found = database.run_report(each)
        table = Table(*found.columns, title=each.title, title_justify="left")
        for row in found.rows[:MAX_ROWS]:
            table.add_row(*(Text(shown(value)) for value in row))
        console.print(table if found.rows else Text(f"{each.title}: 0"))
        if len(found.rows) > MAX_ROWS:
            text = translate("{shown} of {count} rows; --html and --xlsx have more.")
            console.print(Text(text.format(shown=MAX_ROWS, count=len(found.rows)), style="dim"))


def _plain(value: object) -> str:
    return "" if value is None else " ".join(str(value).split())
