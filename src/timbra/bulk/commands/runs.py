"""Runs of `timbra bulk validate` and `timbra bulk stamp`: folder, plan, progress and totals."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from timbra.bulk.commands.endings import INTERRUPTED, NO_DOCUMENT, terminations_as_interrupts
from timbra.console.language import translate
from timbra.console.tables import print_rows
from timbra.core.errors import ServiceError

if TYPE_CHECKING:
    from timbra.bulk.engines.port import Engine
    from timbra.bulk.plan import Planner, PlanTotals
    from timbra.bulk.result_folder import ResultFolder, RunDescription
    from timbra.bulk.run import Progress


_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:")
"""The first part of an address that was read as a path, `s3:` of `s3://bucket`; a drive has one letter."""


def prepare(out: Path, description: RunDescription, planner: Planner) -> ResultFolder:
    """Return the result folder with the plan of the run: that of an earlier run, or a new one."""
    from timbra.bulk.result_folder import ResultFolder

    if _SCHEME.fullmatch(out.parts[0] if out.parts else ""):
        raise ServiceError("bulk-folder", f"{out} es una dirección; los resultados se escriben en una carpeta local.")
    results = ResultFolder(out)
    if results.exists:
        results.require(description)
        return results
    with results.lock():
        results.create(description, planner)
    totals = results.totals()
    print_ignored(totals)
    if not totals.documents and not totals.metadata_files:
        results.discard()
        typer.echo(translate("The sources contain no document."), err=True)
        raise typer.Exit(NO_DOCUMENT)
    return results


def new_description(
    kind: str, data_version: str, sources: tuple[str, ...], options: Mapping[str, object]
) -> RunDescription:
    from importlib.metadata import version

    from timbra.bulk.result_folder import RunDescription
    from timbra.validation.tables import SCHEMA_VERSION

    return RunDescription(kind, SCHEMA_VERSION, version("timbra"), data_version, sources, options)


def run_engine(results: ResultFolder, new_engine: Callable[[], Engine], label: str) -> Progress:
    """Run the plan; an interruption ends the command with its exit code."""
    from timbra.bulk.commands.progress import show_progress
    from timbra.bulk.run import run_plan

    try:
        with results.lock(), terminations_as_interrupts(), show_progress(label) as update:
            return run_plan(results, new_engine, update)
    except KeyboardInterrupt:
        written = sum(part.documents for part in results.parts())
        text = translate("Interrupted: {written} documents are written. Repeat the command to go on.")
        typer.echo(text.format(written=written), err=True)
        raise typer.Exit(INTERRUPTED) from None


def print_results(progress: Progress, results: ResultFolder, names: tuple[str, ...]) -> None:
    print_rows(("result", "documents"), [(name, str(progress.results[name])) for name in names])
    text = translate("{documents} documents in {folder}.")
    typer.echo(text.format(documents=progress.done, folder=results.folder), err=True)


def print_ignored(totals: PlanTotals) -> None:
    if totals.ignored:
        suffixes = ", ".join(f"{suffix or '-'} {count}" for suffix, count in sorted(totals.ignored.items())[:10])
        text = translate("{count} files ignored by their suffix: {suffixes}")
        typer.echo(text.format(count=sum(totals.ignored.values()), suffixes=suffixes), err=True)
