"""`timbra report`: the reports that a provider hands over, as CSV or XLSX."""

from __future__ import annotations

import sys
from datetime import date, timedelta
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from timbra.audit.services import AuditServices
from timbra.console.command import Command, Panel
from timbra.console.language import translate
from timbra.console.services_option import DataOption, open_services
from timbra.console.tables import print_rows
from timbra.core.clock import CENTRAL_MEXICO
from timbra.reports.services import ReportServices

if TYPE_CHECKING:
    from timbra.reports.report import ReportPeriod


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
    from timbra.reports.catalog import REPORTS
    from timbra.reports.files import FORMATS

    if not name:
        print_rows(("report", "contents"), [(known, kind.says) for known, kind in REPORTS.items()])
        return
    selected = form or (ReportFormat.XLSX if output and output.suffix == ".xlsx" else ReportFormat.CSV)
    if output is None and selected is ReportFormat.XLSX:
        raise typer.BadParameter(translate("--output FILE is required for a workbook"))
    with open_services(data, ReportServices, AuditServices) as (services, audit):
        today = services.wall.now().astimezone(CENTRAL_MEXICO).date()
        period = period_of(month, since, until, today)
        found = services.reports.build(name, period)
        body = {"from": period.first.isoformat(), "to": period.last.isoformat(), "file": str(output or "")}
        audit.record("report.read", None, name, body)
        if output is None:
            FORMATS[selected](found, sys.stdout.buffer)
            return
        with output.open("wb") as file:
            rows = FORMATS[selected](found, file)
    typer.echo(f"{rows}\t{output}")


def period_of(month: str, since: str, until: str, today: date) -> ReportPeriod:
    """Return the period of the options.

    Args:
        month: `YYYY-MM`; empty for the current month, up to today.
        since: First day; empty for the first day of the month of the last one.
        until: Last day; empty for today.
        today: The current day.
    """
    from timbra.reports.report import ReportPeriod, month_of

    if month and (since or until):
        raise typer.BadParameter(translate("--month cannot be combined with --from and --to"))
    if month:
        return month_of(month)
    try:
        last = date.fromisoformat(until) if until else today
        return ReportPeriod(date.fromisoformat(since) if since else last.replace(day=1), last)
    except ValueError as error:
        raise typer.BadParameter(translate("a day is YYYY-MM-DD")) from error


def previous_month(today: date) -> str:
    """Return the month before that of a day, `YYYY-MM`."""
    return f"{today.replace(day=1) - timedelta(days=1):%Y-%m}"


COMMANDS = (Command("report", report, Panel.OPERATE, 120),)
