"""`timbra report`: the reports that a provider hands over, as CSV or XLSX."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from timbra.console.command import Command, Panel
from timbra.console.language import translate
from timbra.console.period_option import period_of
from timbra.console.services_option import DataOption, open_services
from timbra.console.tables import print_rows
from timbra.events.audit.recorder import AuditRecorder


class ReportFormat(StrEnum):
    """The format of a report."""

    CSV = "csv"
    XLSX = "xlsx"


def report(
    name: Annotated[str, typer.Argument(help="Name of the report; without it the reports are listed.")] = "",
    month: Annotated[str, typer.Option(metavar="YYYY-MM", help="Month of the report. Default: the current one.")] = "",
    since: Annotated[str, typer.Option("--from", metavar="YYYY-MM-DD", help="First day, central Mexico.")] = "",
    until: Annotated[str, typer.Option("--to", metavar="YYYY-MM-DD", help="Last day, inclusive.")] = "",
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="File to write; its ending .xlsx selects the format.")
    ] = None,
    form: Annotated[ReportFormat | None, typer.Option("--format", help="Format of the report.")] = None,
    data: DataOption = None,
) -> None:
    """Write a report for the SAT, an auditor or the administration: CSV on standard output, or a file."""
    from timbra.reports.catalog import REPORTS, Reports
    from timbra.reports.files import FORMATS

    if not name:
        print_rows(("report", "contents"), [(known, kind.says) for known, kind in REPORTS.items()])
        return
    selected = form or (ReportFormat.XLSX if output and output.suffix == ".xlsx" else ReportFormat.CSV)
    if output is None and selected is ReportFormat.XLSX:
        raise typer.BadParameter(translate("--output FILE is required for a workbook"))
    with open_services(data, Reports, AuditRecorder) as (reports, audit):
        period = period_of(month, since, until, reports.today())
        found = reports.build(name, period)
        body = {"from": period.first.isoformat(), "to": period.last.isoformat(), "file": str(output or "")}
        audit.record("report.read", None, name, body)
        if output is None:
            FORMATS[selected](found, sys.stdout.buffer)
            return
        with output.open("wb") as file:
            rows = FORMATS[selected](found, file)
    typer.echo(f"{rows}\t{output}")


COMMANDS = (Command("report", report, Panel.OPERATE, 120),)
