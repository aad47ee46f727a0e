"""`timbra validate`: a report on documents, offline unless the status is asked for."""

from __future__ import annotations

import asyncio
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console

from timbra.cli.opened import Data, opened, refusal_line
from timbra.errors import ServiceError

if TYPE_CHECKING:
    from timbra.service.report import Entry, Report

STYLES = {"ERROR": "red", "WARNING": "yellow", "INFORMATION": "green"}


def validate(
    files: Annotated[list[Path], typer.Argument(help="CFDI 3.3 or 4.0 documents.", exists=True, dir_okay=False)],
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object for each file, a line each.")] = False,
    status: Annotated[bool, typer.Option("--status", help="Ask the authority for the fiscal status too.")] = False,
    data: Data = None,
) -> None:
    """Validate documents: everything that is wrong, at once. Exit 1 when anything is."""
    wrong = False
    with opened(data) as house:
        for file in files:
            try:
                report = asyncio.run(house.validation.validate(file.read_bytes(), status))
            except ServiceError as error:
                _refuse(file, error, as_json)
                wrong = True
                continue
            _print(file, report, as_json)
            wrong = wrong or report.wrong
    if wrong:
        raise typer.Exit(1)


def _refuse(file: Path, error: ServiceError, as_json: bool) -> None:
    from timbra.messages import full_message

    if as_json:
        told = {"code": error.code, "message": full_message(error.code), "detail": error.detail}
        _echo_json({"file": str(file), "error": told})
    else:
        typer.echo(f"{file}: {refusal_line(error)}", err=True)


def _print(file: Path, report: Report, as_json: bool) -> None:
    if as_json:
        findings = [asdict(entry) for entry in report.entries if entry.is_finding]
        unknown = [entry.code for entry in report.entries if not entry.evaluated]
        told = {"file": str(file), "wrong": report.wrong, "findings": findings, "not_evaluated": unknown}
        _echo_json({**told, **asdict(report)})
        return
    console = Console()
    console.print(f"[bold]{file}[/bold]  {report.uuid or ''}  {report.status_sat or ''}".rstrip())
    for section in report.sections:
        console.print(f"  {section.name}", highlight=False, markup=False)
        for entry in section.entries:
            console.print(f"    {_line(entry)}", style=STYLES[entry.kind.name], highlight=False, markup=False)


def _line(entry: Entry) -> str:
    values = ((entry.path or ""), f"encontrado: {entry.found}" if entry.found is not None else "")
    return "  ".join(filter(None, (entry.message, entry.detail or "", *values, entry.hint or "")))


def _echo_json(content: dict[str, Any]) -> None:
    import orjson

    typer.echo(orjson.dumps(content).decode())
