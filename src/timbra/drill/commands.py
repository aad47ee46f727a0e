"""`timbra drill`: faults in a rehearsal under load, and the report of what the operator was told."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated

import typer

from timbra.console.command import Command, Panel
from timbra.console.language import translate
from timbra.console.services_option import rejection_line
from timbra.core.errors import ServiceError
from timbra.drill.fault_names import FaultName

if TYPE_CHECKING:
    from timbra.drill.report import FaultReport, RehearsalReport

FAILED, SKIPPED = 1, 3
COLUMNS = ("fault", "result", "first alert", "alarmed (s)", "rejections", "mended (s)", "delivered (s)")
HTML = frozenset({".html", ".htm"})
MARKDOWN = frozenset({".md"})


def drill(
    only: Annotated[
        list[FaultName] | None, typer.Option(help="Only this fault; repeat the option. Default: all, in this order.")
    ] = None,
    minutes: Annotated[
        float, typer.Option(min=0.1, max=120, help="Longest time of a fault; it ends once an alert fired.")
    ] = 6,
    rate: Annotated[float, typer.Option(min=0.1, max=1000, help="Invoices each second.")] = 5,
    database: Annotated[
        str, typer.Option(help="Address of an empty PostgreSQL database. Default: a server of its own.")
    ] = "",
    folder: Annotated[
        Path | None, typer.Option(help="New folder that keeps data and logs. Default: a temporary one.")
    ] = None,
    report: Annotated[
        Path | None, typer.Option(help="File of the report in Spanish: Markdown (.md) or HTML (.html).")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the report as JSON.")] = False,
) -> None:
    """Take away the SAT, the device, the database, a node, the disk and a day of the clock, in a rehearsal under load.

    The drill starts all parts itself: an emulator of the SAT, PostgreSQL, a token of SoftHSM and two nodes, all on
    127.0.0.1. It needs Linux and touches no other server. Columns: fault, result (passed, failed, skipped), first
    alert, seconds until it fired, rejections, seconds until the service had mended itself, until all was delivered.

    The exit code is 1 when a stamp was lost, altered or doubled, a fault fired no alert, or the service did not mend
    itself; 3 when a fault was skipped because this machine has no part for it.
    """
    if report is not None and report.suffix not in HTML | MARKDOWN:
        raise typer.BadParameter(translate("the report is a file .md or .html"), param_hint="--report")
    if sys.platform != "linux":
        typer.echo(translate("a drill needs Linux"), err=True)
        raise typer.Exit(FAILED)
    if folder is not None and folder.exists() and any(folder.iterdir()):
        raise typer.BadParameter(translate("the folder is not empty"), param_hint="--folder")
    from timbra.drill.report import DrillOutcome

    found = _run(only or [*FaultName], minutes, rate, database, folder)
    _write(found, report, as_json=as_json)
    codes = {DrillOutcome.FAILED: FAILED, DrillOutcome.SKIPPED: SKIPPED}
    if found.outcome in codes:
        raise typer.Exit(codes[found.outcome])


def _run(faults: list[FaultName], minutes: float, rate: float, database: str, folder: Path | None) -> RehearsalReport:
    from rich.console import Console

    from timbra.drill.drill import DrillOptions, run_drill
    from timbra.drill.rehearsal import Plan

    signal.signal(signal.SIGTERM, _end)
    console = Console(stderr=True)
    with _folder(folder) as own, console.status("") as status:
        options = DrillOptions(Plan(own, database, faults=frozenset(faults)), faults, minutes, rate)
        try:
            return run_drill(options, status.update)
        except ServiceError as error:
            typer.echo(rejection_line(error), err=True)
        except (TimeoutError, RuntimeError) as error:
            typer.echo(translate("the drill could not go on: {error}").format(error=error), err=True)
        if folder is None:
            typer.echo(translate("--folder keeps the logs"), err=True)
    raise typer.Exit(FAILED)


@contextmanager
def _folder(named: Path | None) -> Iterator[Path]:
    if named is not None:
        named.mkdir(parents=True, exist_ok=True)
        yield named
        return
    with TemporaryDirectory(prefix="timbra-drill-", ignore_cleanup_errors=True) as made:
        yield Path(made)


def _end(number: int, _: object) -> None:
    """End the drill with all that it started."""
    raise SystemExit(128 + number)


def _write(found: RehearsalReport, file: Path | None, *, as_json: bool) -> None:
    from timbra.console.tables import print_rows
    from timbra.drill.report import conclusion, html, markdown

    if file is not None:
        file.write_text(html(found) if file.suffix in HTML else markdown(found), encoding="utf-8")
    if as_json:
        typer.echo(found.to_json())
        return
    print_rows(COLUMNS, map(_row, found.faults))
    for fault in found.faults:
        for problem in fault.problems():
            typer.echo(f"{fault.title}: {problem}", err=True)
    typer.echo(conclusion(found), err=True)


def _row(fault: FaultReport) -> tuple[str, ...]:
    first = fault.alarms[0] if fault.alarms else None
    alarm = fault.reason if first is None else first.name
    rejections = sum(rejection.count for rejection in fault.rejections)
    numbers = (None if first is None else first.seconds, fault.mended, fault.delivered)
    alarmed, mended, delivered = ("" if number is None else f"{number:.0f}" for number in numbers)
    return fault.name, fault.outcome.value, alarm, alarmed, str(rejections), mended, delivered


COMMANDS = (Command("drill", drill, Panel.OPERATE, 96),)
