"""Runs of `timbra bulk validate` and `timbra bulk stamp`: folder, plan, progress and totals."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import typer

from timbra.bulk.commands.endings import INTERRUPTED, NO_DOCUMENT, terminations_as_interrupts
from timbra.console.language import translate
from timbra.console.tables import print_rows

if TYPE_CHECKING:
    from timbra.bulk.plan import Planner, PlanTotals
    from timbra.bulk.result_folder import ResultFolder, RunDescription
    from timbra.bulk.run import Engine, Progress


def prepare(out: str, description: RunDescription, planner: Planner) -> ResultFolder:
    """Return the result folder with the plan of the run: that of an earlier run, or a new one."""
    from timbra.bulk.result_folder import ResultFolder

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


def run_engine(results: ResultFolder, engine: Engine, label: str) -> Progress:
    """Run the plan; an interruption ends the command with its exit code."""
    from timbra.bulk.commands.progress import show_progress
    from timbra.bulk.run import run_plan

    try:
        with results.lock(), terminations_as_interrupts(), show_progress(label) as update:
            return run_plan(results, engine, update)
    except KeyboardInterrupt:
        written = sum(part.documents for part in results.parts())
        text = translate("Interrupted: {written} documents are written. Repeat the command to go on.")
        typer.echo(text.format(written=written), err=True)
        raise typer.Exit(INTERRUPTED) from None


def print_results(progress: Progress, results: ResultFolder, names: tuple[str, ...]) -> None:
    print_rows(("result", "documents"), [(name, str(progress.results[name])) for name in names])
    text = translate("{documents} documents in {folder}.")
    typer.echo(text.format(documents=progress.done, folder=results.location), err=True)


def print_ignored(totals: PlanTotals) -> None:
    if totals.ignored:
        suffixes = ", ".join(f"{suffix or '-'} {count}" for suffix, count in sorted(totals.ignored.items())[:10])
        text = translate("{count} files ignored by their suffix: {suffixes}")
        typer.echo(text.format(count=sum(totals.ignored.values()), suffixes=suffixes), err=True)
