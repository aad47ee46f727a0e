"""`timbra stamp`: seals and stamps documents from the shell, without a server."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated
from uuid import uuid4

import typer

from timbra.accounts.services import AccountServices
from timbra.console.command import Command, Panel
from timbra.console.language import translate
from timbra.console.progress import print_line, track
from timbra.console.services_option import DataOption, command_settings, open_services, rejection_line
from timbra.console.sources import NO_DOCUMENTS, existing_sources
from timbra.core.errors import ServiceError
from timbra.stamping.services import StampingServices

if TYPE_CHECKING:
    import asyncio

    from timbra.console.sources import DocumentReader, DocumentSource
    from timbra.core.caller import Caller
    from timbra.stamping.models import StampResult

MAX_IGNORED_NAMES = 5
"""Ignored files that are named; the others are counted."""

Files = Annotated[
    list[Path],
    typer.Argument(
        help="CFDI 4.0 and Retenciones 2.0 documents, folders and zip archives of them; `-` reads standard input.",
        callback=existing_sources,
    ),
]


def stamp(
    files: Files,
    account: Annotated[
        str, typer.Option("--account", help="User name of the account that requests, and whose CSD seals.")
    ],
    sealed: Annotated[bool, typer.Option("--sealed", help="The documents are sealed: only stamp them.")] = False,
    out: Annotated[
        Path, typer.Option("--out", file_okay=False, help="Folder for the stamped documents, UUID.xml.")
    ] = Path("stamped"),
    data: DataOption = None,
) -> None:
    """Seal and stamp documents; prints a line for each: file, UUID and stamped file.

    A document that the account has stamped before gives its earlier stamp: a repeated command completes what is
    missing. A rejected document gives a line on standard error. The last line on standard error counts the stamped, the
    already stamped and the rejected documents. Exit code 0: all documents are stamped. 1: a document is rejected. 2:
    wrong usage, or no document found.
    """
    import asyncio

    from timbra.console.sources import DocumentReader
    from timbra.web.public_errors import document_error

    stamped = repeated = rejected = 0
    with open_services(data, StampingServices, AccountServices) as (stamping, users):
        caller = users.accounts.caller_for(account)
        sources = _list_documents(files, out)
        with closing(DocumentReader(command_settings(data).max_body_bytes)) as reader, asyncio.Runner() as runner:
            run = _operation(stamping, caller, runner, sealed=sealed)
            for source in track(sources, len(sources), translate("stamping")):
                try:
                    result, is_new = _stamp(source, reader, run)
                except Exception as error:
                    rejected += 1
                    reason = error if isinstance(error, ServiceError) else document_error(error, source.name)
                    print_line(f"{source.name}: {rejection_line(reason)}", err=True)
                    continue
                note = "" if is_new else translate(" (already stamped)")
                print_line(f"{source.name}: {result.uuid} {_write(out, result)}{note}")
                stamped, repeated = stamped + is_new, repeated + (not is_new)
    summary = translate("{stamped} stamped, {repeated} already stamped, {rejected} rejected")
    typer.echo(summary.format(stamped=stamped, repeated=repeated, rejected=rejected), err=True)
    if rejected:
        raise typer.Exit(1)


def _list_documents(files: list[Path], out: Path) -> list[DocumentSource]:
    """List the documents, and print the files that are ignored: other kinds of file, and results in a given folder."""
    from timbra.console.sources import list_sources

    ignored: list[str] = []
    results = out.resolve()
    sources = []
    for source in list_sources(files, ignored):
        path = Path(source.path)
        if path not in files and path.resolve().is_relative_to(results):
            ignored.append(source.name)
        else:
            sources.append(source)
    if ignored:
        names = ", ".join([*ignored[:MAX_IGNORED_NAMES], *["..."] * (len(ignored) > MAX_IGNORED_NAMES)])
        text = translate("{count} ignored, neither .xml nor .zip, or in the folder of --out: {names}")
        typer.echo(text.format(count=len(ignored), names=names), err=True)
    if not sources:
        typer.echo(translate(NO_DOCUMENTS), err=True)
        raise typer.Exit(2)
    return sources


def _operation(
    services: StampingServices, caller: Caller, runner: asyncio.Runner, *, sealed: bool
) -> Callable[[bytes], StampResult]:
    from timbra.cfdi.header_reader import has_root_of_retenciones
    from timbra.stamping.models import DocumentKind, StampRequest

    operation = services.stamping.stamp if sealed else services.stamping.issue

    def run(content: bytes) -> StampResult:
        kind = DocumentKind.RETENCIONES if has_root_of_retenciones(content) else DocumentKind.CFDI
        # Not by the runner itself, which would format the result.
        return runner.get_loop().run_until_complete(operation(StampRequest(caller, content, str(uuid4()), kind=kind)))

    return run


def _stamp(
    source: DocumentSource, reader: DocumentReader, run: Callable[[bytes], StampResult]
) -> tuple[StampResult, bool]:
    """Stamp a document.

    Returns:
        The stamp, and whether it is new; that of an earlier request for the same document is not.

    Raises:
        ServiceError: The document is rejected; 307 or T307 when another account has stamped it.
    """
    from timbra.stamping.models import StampResult

    try:
        return run(reader.read(source)), True
    except ServiceError as error:
        if error.code in ("307", "T307") and isinstance(error.data, StampResult):
            return error.data, False
        raise


def _write(out: Path, result: StampResult) -> Path:
    """Write the stamped document; a file of this name has the whole document at any time.

    Raises:
        typer.Exit: With code 1, after one line on standard error, when the file cannot be written.
    """
    target = out / f"{result.uuid}.xml"
    draft = target.with_suffix(f".{os.getpid()}.part")
    try:
        out.mkdir(parents=True, exist_ok=True)
        try:
            draft.write_bytes(result.cfdi.encode())
            draft.replace(target)
        finally:
            draft.unlink(missing_ok=True)
    except OSError as error:
        text = translate("{file} cannot be written: {reason}. The server has the stamp: repeat the command.")
        typer.echo(text.format(file=target, reason=error.strerror), err=True)
        raise typer.Exit(1) from error
    return target


COMMANDS = (Command("stamp", stamp, Panel.STAMP, 10),)
