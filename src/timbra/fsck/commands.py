"""`timbra fsck`: whether everything that is stored agrees with what is derived from the stamps."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from timbra.console.command import Command, Panel
from timbra.console.language import translate
from timbra.console.progress import progress_bar
from timbra.console.services_option import DataOption, command_settings, open_services, rejection_line
from timbra.console.tables import print_rows
from timbra.fsck.texts import CURES, TEXTS

if TYPE_CHECKING:
    from timbra.fsck.findings import FsckFinding, FsckReport

COLUMNS = ("finding", "place", "key", "column", "stored", "derived", "cure")


def fsck(
    path: Annotated[
        str,
        typer.Argument(
            help="Backup file, folder or address of an archive, or data folder, in place of the data folder of the "
            "settings."
        ),
    ] = "",
    repair: Annotated[
        bool, typer.Option("--repair", help="Write what is derived from documents and entries; never evidence.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the report as one JSON object.")] = False,
    data: DataOption = None,
) -> None:
    """Derive from the stored stamps what must agree with them, compare, and print each difference with its cure.

    The server may run. Exit code 0: everything agrees, or was repaired; 1: differences are left.
    """
    from timbra.fsck.build import FsckServices, source_of

    source = source_of(path) if path else None
    if source is not None and repair:
        raise typer.BadParameter(translate("only a data folder is repaired"), param_hint="--repair")
    if source is not None:
        repaired: list[FsckFinding] = []
        with _errors_printed(), progress_bar() as progress:
            report = source.check(path, command_settings(data), progress)
    else:
        with open_services(Path(path) if path else data, FsckServices) as services:
            with progress_bar() as progress:
                report = services.check(progress)
            repaired = services.repair(report) if repair else []
    if as_json:
        typer.echo(_json(report, repaired))
    else:
        _print(report, repaired)
    if len(repaired) < len(report.findings) or not report.is_complete:
        raise typer.Exit(1)


@contextmanager
def _errors_printed() -> Iterator[None]:
    from timbra.core.errors import ServiceError

    try:
        yield
    except ServiceError as error:
        typer.echo(rejection_line(error), err=True)
        raise typer.Exit(1) from error


def _print(report: FsckReport, repaired: list[FsckFinding]) -> None:
    found = report.findings
    if found:
        done = set(map(id, repaired))
        print_rows(COLUMNS, (_row(each, is_repaired=id(each) in done) for each in found))
    for code in dict.fromkeys(each.code for each in found):
        typer.echo(f"{code}: {translate(TEXTS[code])}", err=True)
    for cure in dict.fromkeys(str(each.cure) for each in found):
        typer.echo(f"{cure}: {translate(CURES[cure])}", err=True)
    if not report.is_complete:
        typer.echo(translate("There are more differences; the check ended."), err=True)
    rows = sum(report.rows.values())
    summary = translate("rows: {rows}, differences: {found}, repaired: {repaired}, seconds: {seconds}")
    values = {"rows": f"{rows:,}", "found": len(found), "repaired": len(repaired), "seconds": report.seconds}
    typer.echo(summary.format(**values), err=True)


def _row(finding: FsckFinding, *, is_repaired: bool) -> tuple[str, ...]:
    cure = "repaired" if is_repaired else str(finding.cure)
    return (finding.code, finding.place, finding.key, finding.column, finding.stored, finding.derived, cure)


def _json(report: FsckReport, repaired: list[FsckFinding]) -> str:
    import orjson

    done = set(map(id, repaired))
    content = {
        "rows": report.rows,
        "seconds": report.seconds,
        "isComplete": report.is_complete,
        "findings": [
            {
                "code": each.code,
                "place": each.place,
                "key": each.key,
                "column": each.column,
                "stored": each.stored,
                "derived": each.derived,
                "cure": str(each.cure),
                "repaired": id(each) in done,
            }
            for each in report.findings
        ],
    }
    return orjson.dumps(content).decode()


COMMANDS = (Command("fsck", fsck, Panel.OPERATE, 175),)
