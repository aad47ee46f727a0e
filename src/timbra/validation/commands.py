"""`timbra validate`: reports on documents, offline unless `--status` is given."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

import typer

from timbra.console.command import Command, Panel
from timbra.console.ephemeral_services import ephemeral_data
from timbra.console.language import translate
from timbra.console.progress import print_line, track
from timbra.console.services_option import command_settings, open_services
from timbra.console.sources import NO_DOCUMENTS, existing_sources
from timbra.validation.services import ValidationServices

ValidationDataOption = Annotated[
    Path | None,
    typer.Option(
        "--data",
        help="Folder whose certificates and lists apply, such as that of the sandbox that stamped the documents. By "
        "default TIMBRA_DATA, or the user's data folder; the example sandbox in the cache folder when neither exists.",
    ),
]


def known_rfcs(rfcs: list[str] | None) -> list[str]:
    """Return the RFC of an option in upper case.

    Raises:
        typer.BadParameter: One is no RFC.
    """
    from timbra.cfdi.rfc import is_rfc

    for rfc in rfcs or ():
        if not is_rfc(rfc.upper()):
            raise typer.BadParameter(translate("{rfc}: is no RFC.").format(rfc=rfc))
    return [rfc.upper() for rfc in rfcs or ()]


def validate(
    files: Annotated[
        list[Path],
        typer.Argument(
            help="CFDI 4.0, 3.3 or 3.2, CFD 2.2 and Retenciones 2.0 or 1.0, folders and zip archives of them, and PDF "
            "with a CFDI attached; `-` reads standard input.",
            callback=existing_sources,
        ),
    ],
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object per document, each on a line.")
    ] = False,
    status: Annotated[
        bool, typer.Option("--status", help="Query the authority for the fiscal status as well.")
    ] = False,
    everything: Annotated[
        bool, typer.Option("--all", help="Also show the sections and the rules that were not evaluated.")
    ] = False,
    require_stamp: Annotated[
        bool, typer.Option("--require-stamp", help="Treat a document without a stamp as an error, not as a warning.")
    ] = False,
    strict: Annotated[bool, typer.Option("--strict", help="Treat warnings as errors.")] = False,
    workers: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=64,
            help="Number of validating processes. Default: one for each usable CPU when there are many documents.",
        ),
    ] = None,
    csv: Annotated[
        Path | None,
        typer.Option(
            "--csv",
            dir_okay=False,
            help="Write the table of the documents to this CSV file, and the findings to NAME-findings.csv beside it.",
        ),
    ] = None,
    xlsx: Annotated[
        Path | None,
        typer.Option("--xlsx", dir_okay=False, help="Write both tables to this workbook, a sheet for each."),
    ] = None,
    receiver: Annotated[
        list[str] | None,
        typer.Option(
            help="RFC that must be the receiver: another one is an error (RECEPTOR-AJENO). Repeat it for several.",
            callback=known_rfcs,
        ),
    ] = None,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Print nothing; the exit code and the files have the result.")
    ] = False,
    only_wrong: Annotated[
        bool,
        typer.Option(
            "--only-wrong",
            help="Leave out documents without an error, in the output and in the files; with --strict also those with "
            "a warning count as wrong.",
        ),
    ] = False,
    data: ValidationDataOption = None,
) -> None:
    """Validate documents and show all errors of each.

    Exit code 0: all documents are valid. 1: a document has an error or cannot be read, or the program failed at it
    (CO1000). 2: wrong usage, or no document found.
    """
    from rich.console import Console

    from timbra.console.sources import list_sources, wait_for_standard_input
    from timbra.pools.garbage_collection import tune_garbage_collector
    from timbra.validation.folders import BatchOptions, choose_workers, validate_sources
    from timbra.validation.report_rendering import BatchSummary, print_result, to_json_line
    from timbra.validation.result_files import result_files
    from timbra.validation.sandbox_documents import REGISTRATION_HINTS

    summary, clean = BatchSummary(), True
    console = Console(quiet=quiet)
    tune_garbage_collector()
    wait_for_standard_input(files)
    with ExitStack() as stack:
        folder = stack.enter_context(ephemeral_data(data))
        services = stack.enter_context(open_services(folder, ValidationServices))
        try:
            tables = stack.enter_context(result_files(csv, xlsx))
        except OSError as error:
            raise typer.BadParameter(f"{error.filename}: {error.strerror}") from error
        settings = command_settings(folder)
        sources = list(list_sources(files, with_unreadable=True, with_pdf=True))
        options = BatchOptions(
            settings.data,
            choose_workers(workers, len(sources)),
            status,
            require_stamp,
            settings.max_body_bytes,
            frozenset(receiver or ()),
            with_header=as_json,
            with_rows=tables is not None,
            registration_hints=REGISTRATION_HINTS if settings.environment == "sandbox" else frozenset(),
            render=to_json_line if as_json else None,
        )
        results = validate_sources(services.validation, sources, options)
        for result in results if quiet else track(results, len(sources), translate("validating")):
            clean = clean and result.is_clean
            is_shown = not only_wrong or not (result.is_clean if strict else result.is_valid)
            if tables is not None:
                tables.count(result.result if as_json else result, is_written=is_shown)
            if as_json:
                summary.count_line(result)
                if is_shown and not quiet:
                    print_line(result.text)
            else:
                summary.count(result)
                if is_shown and not quiet:
                    print_result(console, result, everything=everything)
    if not summary.documents:
        typer.echo(translate(NO_DOCUMENTS), err=True)
        raise typer.Exit(2)
    if summary.documents > 1 and not as_json:
        summary.print(console)
    if summary.wrong or summary.rejected or (strict and not clean):
        raise typer.Exit(1)


COMMANDS = (Command("validate", validate, Panel.VALIDATE, 10),)
