"""`timbra bulk`: validates millions of documents into a Parquet dataset, and reports on it."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from timbra.cli.documents.validate import ValidationDataOption
from timbra.cli.framework.ephemeral_services import ephemeral_data
from timbra.cli.framework.language import translate
from timbra.cli.framework.progress import track
from timbra.cli.framework.services_option import command_settings, open_command_container, rejection_line
from timbra.cli.framework.tables import print_rows
from timbra.errors import ServiceError
from timbra.service.services import ValidationServices

if TYPE_CHECKING:
    from timbra.bulk.engines.port import Engine
    from timbra.bulk.plan import Planner, PlanTotals
    from timbra.bulk.report.database import ResultDatabase
    from timbra.bulk.result_folder import ResultFolder, RunDescription
    from timbra.bulk.run import Progress
    from timbra.bulk.statuses import StatusAnswer
    from timbra.bulk.worker import WorkerOptions
    from timbra.service.validation.tables import Row

app = typer.Typer(no_args_is_help=True, help="Validate millions of documents into a dataset, and report on it.")

WITH_INVALID, NO_DOCUMENT, INTERRUPTED, UNUSABLE = 1, 2, 3, 4
"""Exit codes; 0 when every document is valid."""
VALIDATED = ("valid", "warned", "invalid", "unreadable")
STAMPED = ("stamped", "repeated", "rejected", "unreadable")
"""Results that the commands count."""
STAMP_TASK_DOCUMENTS = 100
STATUS_ROWS = 2_000
"""Answers of the authority that are stored at a time."""
MAX_ROWS = 20
"""Rows of each table of the report that are printed."""


class OptionalTable(StrEnum):
    """Tables that are written on request."""

    CONCEPTS = "concepts"
    PAYMENTS = "payments"


ResultsArgument = Annotated[Path, typer.Argument(file_okay=False, help="Result folder of `timbra bulk validate`.")]


@app.command()
def validate(
    sources: Annotated[
        list[str],
        typer.Argument(
            help="Files, folders, glob patterns, zip archives (also nested), download packages of the SAT with XML or "
            "metadata, URLs such as s3://bucket/folder, and @FILE for a list of them.",
        ),
    ],
    out: Annotated[Path, typer.Option("--out", file_okay=False, help="Result folder.")],
    workers: Annotated[
        int | None,
        typer.Option(min=1, max=4096, help="Number of validating processes. Default: one for each usable CPU."),
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
    with _errors(), ephemeral_data(data) as folder:
        from timbra.bulk.locations import absolute
        from timbra.bulk.worker import WorkerOptions

        names = tuple(sorted({str(table.value) for table in tables or ()}))
        options = WorkerOptions(folder, require_stamp, names)
        processes = workers or _default_workers()
        if dry_run:
            _print_estimate(tuple(sources), options, processes)
            return
        from timbra.bulk.plan import Planner

        description = _describe(tuple(map(absolute, sources)), options, folder)
        _run(_prepare(out, description, Planner()), options, processes, ray)


@app.command()
def stamp(
    sources: Annotated[
        list[str],
        typer.Argument(
            help="XML documents, folders, zip archives, URLs and @FILE as for `timbra bulk validate`, JSON lines "
            "(.jsonl), and CSV with --template.",
        ),
    ],
    out: Annotated[Path, typer.Option("--out", file_okay=False, help="Result folder.")],
    url: Annotated[list[str], typer.Option("--url", help="Base address of a server; may be repeated for its nodes.")],
    token: Annotated[
        str, typer.Option("--token", envvar="TIMBRA_TOKEN", help="Token of the account. Others see an option in `ps`.")
    ],
    sealed: Annotated[bool, typer.Option("--sealed", help="The documents are sealed: only stamp them.")] = False,
    template: Annotated[
        Path | None,
        typer.Option(dir_okay=False, help="JSON document with {COLUMN} in its texts, which each row of a CSV fills."),
    ] = None,
    concurrency: Annotated[int, typer.Option(min=1, max=512, help="Requests at a time.")] = 16,
) -> None:
    """Seal and stamp documents by servers into a result folder.

    Each request has a customid from the content of its document, so that a repeated command stamps nothing twice: it
    completes what is missing. Stamped documents are in xml/, copies of rejected ones in rejected/, to be corrected and
    stamped with another result folder. Exit code 0: all documents are stamped. 1: a document is rejected or cannot be
    read. 2: wrong usage, or no document found. 3: interrupted; repeat the command. 4: a server or the result folder
    cannot be used.
    """
    with _errors():
        import httpx2

        from timbra.bulk.locations import absolute
        from timbra.bulk.plan import Planner
        from timbra.bulk.reading import TaskReader
        from timbra.bulk.stamping.client import StampClient
        from timbra.bulk.stamping.engine import StampEngine
        from timbra.bulk.stamping.records import JsonTemplate, RecordReader

        filled = JsonTemplate(template) if template is not None else None
        options = {"sealed": sealed, "template": filled.sha256 if filled is not None else None}
        description = _new_description("stamp", "", tuple(map(absolute, sources)), options)
        results = _prepare(out, description, Planner(STAMP_TASK_DOCUMENTS, RecordReader(filled).count))
        limits = httpx2.Limits(max_connections=concurrency, max_keepalive_connections=concurrency)
        headers = {"Authorization": f"Bearer {token}"}
        with httpx2.Client(headers=headers, limits=limits, timeout=120) as http:
            client = StampClient(http, url, sealed=sealed)
            documents = TaskReader(command_settings(None).max_body_bytes)
            engine = StampEngine(client, documents, RecordReader(filled), out, concurrency)
            progress = _run_engine(results, lambda: engine, translate("stamping"))
    _print_results(progress, results, STAMPED)
    if progress.results["rejected"] or progress.results["unreadable"]:
        raise typer.Exit(WITH_INVALID)


@app.command()
def status(
    folder: ResultsArgument,
    rate: Annotated[float, typer.Option(min=0.01, max=10_000, help="Queries per second of the whole run.")] = 20,
    concurrency: Annotated[int, typer.Option(min=1, max=256, help="Queries at a time.")] = 8,
    max_age: Annotated[
        int, typer.Option("--max-age", min=0, help="Days after which a status in force is queried again.")
    ] = 30,
    data: ValidationDataOption = None,
) -> None:
    """Query the authority for the status of the documents of a result folder, where it is unknown or old.

    Answers are stored as they arrive: the same command goes on after an interruption. A cancelled document is not
    queried again. Exit code 0: every due document has a status. 1: some have none; repeat the command. 3: interrupted.
    4: the result folder or the authority cannot be used.
    """
    from datetime import timedelta

    with _errors(), ephemeral_data(data) as chosen, open_command_container(chosen) as container:
        from timbra.bulk.report.database import open_database
        from timbra.bulk.result_folder import ResultFolder
        from timbra.bulk.statuses import Pacer, StatusRun, due_queries

        results, service = ResultFolder(folder), container.groups[ValidationServices]().status_service
        if service is None:
            raise ServiceError("authority-down", translate("The settings have no status service."))
        with open_database(results) as database:
            queries = due_queries(database, container.wall.now() - timedelta(days=max_age))
        run = StatusRun(service, container.wall, Pacer(rate), concurrency)
        with results.lock(), _terminations_as_interrupts():
            interrupted = _store_answers(results, track(run.run(queries), len(queries), translate("querying")))
    text = translate("{due} due, {answered} answered, {failed} without an answer")
    typer.echo(text.format(due=len(queries), answered=run.totals.answered, failed=run.totals.failed), err=True)
    if interrupted:
        raise typer.Exit(INTERRUPTED)
    if run.totals.failed:
        raise typer.Exit(WITH_INVALID)


@app.command()
def report(
    folder: ResultsArgument,
    html: Annotated[
        Path | None, typer.Option("--html", dir_okay=False, help="Write the report with charts as HTML.")
    ] = None,
    xlsx: Annotated[Path | None, typer.Option("--xlsx", dir_okay=False, help="Write the report as a workbook.")] = None,
) -> None:
    """Print a report on a result folder: totals, codes, suppliers, duplicates, cancelled and missing documents."""
    with _errors():
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


@app.command()
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
    with _errors():
        from timbra.bulk.report.database import open_database
        from timbra.bulk.result_folder import ResultFolder

        with open_database(ResultFolder(folder)) as database:
            table = database.run(sql)
        for row in table.rows:
            typer.echo("\t".join(map(_plain, row)))


@contextmanager
def _errors() -> Iterator[None]:
    """End the command with code 4 and one line for a ServiceError, or for a library that is not installed."""
    try:
        yield
    except ServiceError as error:
        _fail(error)
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("timbra"):
            raise
        text = translate("This command needs the library {name}: install timbra[bulk].")
        typer.echo(text.format(name=error.name), err=True)
        raise typer.Exit(UNUSABLE) from error


def _fail(error: ServiceError) -> NoReturn:
    typer.echo(rejection_line(error), err=True)
    raise typer.Exit(UNUSABLE) from error


def _default_workers() -> int:
    from timbra.cli.operations.cpus import usable_cpus

    return usable_cpus()


def _store_answers(results: ResultFolder, answers: Iterable[StatusAnswer]) -> bool:
    """Store answers in parts as they arrive, the last part also after an error.

    Returns:
        Whether the user interrupted.
    """
    rows: list[Row] = []
    try:
        for answer in answers:
            rows.append(answer.to_row())
            if len(rows) == STATUS_ROWS:
                results.write_statuses(rows)
                rows = []
    except KeyboardInterrupt:
        return True
    finally:
        if rows:
            results.write_statuses(rows)
    return False


def _prepare(out: Path, description: RunDescription, planner: Planner) -> ResultFolder:
    """Return the result folder with the plan of the run: that of an earlier run, or a new one."""
    from timbra.bulk.result_folder import ResultFolder

    results = ResultFolder(out)
    if results.exists:
        results.require(description)
        return results
    with results.lock():
        results.create(description, planner)
    totals = results.totals()
    _print_ignored(totals)
    if not totals.documents and not totals.metadata_files:
        results.discard()
        typer.echo(translate("The sources contain no document."), err=True)
        raise typer.Exit(NO_DOCUMENT)
    return results


def _describe(sources: tuple[str, ...], options: WorkerOptions, data: Path | None) -> RunDescription:
    with open_command_container(data) as container:
        data_version = container.build_info()["data_version"]
    chosen = {"require_stamp": options.require_stamp, "tables": options.tables}
    return _new_description("validate", data_version, sources, chosen)


def _new_description(
    kind: str, data_version: str, sources: tuple[str, ...], options: Mapping[str, object]
) -> RunDescription:
    from importlib.metadata import version

    from timbra.bulk.result_folder import RunDescription
    from timbra.service.validation.tables import SCHEMA_VERSION

    return RunDescription(kind, SCHEMA_VERSION, version("timbra"), data_version, sources, options)


def _run(results: ResultFolder, options: WorkerOptions, workers: int, ray: str | None) -> None:
    """Validate the documents of the plan, and end the command with its exit code."""

    def new_engine() -> Engine:
        if ray is not None:
            from timbra.bulk.engines.ray_cluster import RayEngine

            return RayEngine(options, workers, ray)
        from timbra.bulk.engines.processes import ProcessEngine

        return ProcessEngine(options, workers)

    progress = _run_engine(results, new_engine, translate("validating"))
    _print_results(progress, results, VALIDATED)
    if progress.results["invalid"] or progress.results["unreadable"]:
        raise typer.Exit(WITH_INVALID)


def _run_engine(results: ResultFolder, new_engine: Callable[[], Engine], label: str) -> Progress:
    """Run the plan; an interruption ends the command with its exit code."""
    from timbra.bulk.run import run_plan
    from timbra.cli.bulk.progress import show_progress

    try:
        with results.lock(), _terminations_as_interrupts(), show_progress(label) as update:
            return run_plan(results, new_engine, update)
    except KeyboardInterrupt:
        written = sum(part.documents for part in results.parts())
        text = translate("Interrupted: {written} documents are written. Repeat the command to go on.")
        typer.echo(text.format(written=written), err=True)
        raise typer.Exit(INTERRUPTED) from None


@contextmanager
def _terminations_as_interrupts() -> Iterator[None]:
    """Raise KeyboardInterrupt for SIGTERM too, so that a run that a service manager stops ends as with Ctrl-C."""
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _print_results(progress: Progress, results: ResultFolder, names: tuple[str, ...]) -> None:
    print_rows(("result", "documents"), [(name, str(progress.results[name])) for name in names])
    text = translate("{documents} documents in {folder}.")
    typer.echo(text.format(documents=progress.done, folder=results.folder), err=True)


def _print_ignored(totals: PlanTotals) -> None:
    if totals.ignored:
        suffixes = ", ".join(f"{suffix or '-'} {count}" for suffix, count in sorted(totals.ignored.items())[:10])
        text = translate("{count} files ignored by their suffix: {suffixes}")
        typer.echo(text.format(count=sum(totals.ignored.values()), suffixes=suffixes), err=True)


def _print_estimate(sources: tuple[str, ...], options: WorkerOptions, workers: int) -> None:
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
        ("processes", str(workers)),
        ("estimated seconds", f"{found.seconds(workers):.0f}"),
    ]
    print_rows(("name", "value"), rows)
    _print_ignored(totals)
    if not totals.documents and not totals.metadata_files:
        raise typer.Exit(NO_DOCUMENT)


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
