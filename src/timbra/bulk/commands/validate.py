"""`timbra bulk validate`: validates documents into a result folder."""

from __future__ import annotations

from enum import StrEnum
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from timbra.app.command_container import open_command_container
from timbra.bulk.commands.endings import NO_DOCUMENT, WITH_INVALID, errors
from timbra.bulk.commands.runs import new_description, prepare, print_ignored, print_results, run_engine
from timbra.console.ephemeral_services import ephemeral_data
from timbra.console.language import translate
from timbra.console.tables import print_rows
from timbra.core.cpus import usable_cpus
from timbra.validation.commands import ValidationDataOption

if TYPE_CHECKING:
    from timbra.bulk.result_folder import ResultFolder, RunDescription
    from timbra.bulk.run import Engine
    from timbra.bulk.worker import WorkerOptions

VALIDATED = ("valid", "warned", "invalid", "unreadable")
"""Results that the command counts."""


class OptionalTable(StrEnum):
    """Tables that are written on request."""

    CONCEPTS = "concepts"
    PAYMENTS = "payments"
    ACCOUNTING = "accounting"
    RELATIONS = "relations"


def validate(
    sources: Annotated[
        list[str],
        typer.Argument(
            help="Files, folders, glob patterns, zip archives (also nested), download packages of the SAT with XML or "
            "metadata, URLs such as s3://bucket/folder, and @FILE for a list of them.",
        ),
    ],
    out: Annotated[str, typer.Option("--out", help="Result folder, or its URL, such as s3://bucket/results.")],
    workers: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=4096,
            help="Number of validating processes. Default: one for each usable CPU; with --ray, CPU of the cluster.",
        ),
    ] = None,
    ray: Annotated[
        str | None,
        typer.Option("--ray", help="Address of a Ray cluster, or `local` for a Ray of this machine."),
    ] = None,
    tables: Annotated[
        list[OptionalTable] | None, typer.Option("--with", help="Also write this table; may be repeated.")
    ] = None,
    require_stamp: Annotated[
        bool, typer.Option("--require-stamp", help="Treat a document without a stamp as an error, not as a warning.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Count the documents and estimate the time; nothing is written.")
    ] = False,
    data: ValidationDataOption = None,
) -> None:
    """Validate documents into a result folder of Parquet files.

    The same command goes on where an interrupted or killed run stopped. Exit code 0: all documents are valid. 1: a
    document has an error or cannot be read. 2: wrong usage, or no document found. 3: interrupted; repeat the command.
    4: the result folder or the engine cannot be used.
    """
    with errors():
        from timbra.bulk.locations import absolute
        from timbra.bulk.worker import WorkerOptions

        names = tuple(sorted({str(table.value) for table in tables or ()}))
        options = WorkerOptions(data, require_stamp, names)
        if dry_run:
            _print_estimate(tuple(sources), options, workers if ray is not None else workers or usable_cpus())
            return
        from timbra.bulk.plan import Planner

        description = _describe(tuple(map(absolute, sources)), options)
        _run(prepare(out, description, Planner()), options, workers, ray)


def _describe(sources: tuple[str, ...], options: WorkerOptions) -> RunDescription:
    from timbra.operations.build import build_info

    with ephemeral_data(options.data) as folder, open_command_container(folder) as container:
        data_version = build_info(container)["data_version"]
    chosen = {"require_stamp": options.require_stamp, "tables": options.tables}
    return new_description("validate", data_version, sources, chosen)


def _run(results: ResultFolder, options: WorkerOptions, workers: int | None, ray: str | None) -> None:
    """Validate the documents of the plan, and end the command with its exit code."""
    if ray is not None:
        from timbra.bulk.engines.ray_data import write_with_ray

        engine: Engine = partial(write_with_ray, options=options, workers=workers, address=ray)
    else:
        from timbra.bulk.engines.processes import write_in_processes

        engine = partial(write_in_processes, options=options, workers=workers or usable_cpus())
    progress = run_engine(results, engine, translate("validating"))
    print_results(progress, results, VALIDATED)
    if progress.results["invalid"] or progress.results["unreadable"]:
        raise typer.Exit(WITH_INVALID)


def _print_estimate(sources: tuple[str, ...], options: WorkerOptions, workers: int | None) -> None:
    from timbra.bulk.estimate import estimate

    found = estimate(sources, options)
    totals = found.totals
    rows = [
        ("documents", str(totals.documents)),
        ("tasks", str(totals.tasks)),
        ("archives", str(totals.archives)),
        ("metadata files", str(totals.metadata_files)),
        ("unreadable sources", str(totals.unreadable_sources)),
        ("documents per second and process", f"{found.documents_per_second:.0f}"),
    ]
    if workers is not None:
        rows += [("processes", str(workers)), ("estimated seconds", f"{found.seconds(workers):.0f}")]
    print_rows(("name", "value"), rows)
    print_ignored(totals)
    if not totals.documents and not totals.metadata_files:
        raise typer.Exit(NO_DOCUMENT)
