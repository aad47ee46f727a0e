"""`timbra example`: minimal valid documents, one for each type of invoice and each complement, and retenciones."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from timbra.console.command import Command, Panel
from timbra.console.ephemeral_services import EphemeralDataOption
from timbra.console.language import translate
from timbra.sandbox.commands.ephemeral_services import open_ephemeral_services

if TYPE_CHECKING:
    from timbra.examples import ExampleDocument

PIPE_WIDTH = 200
"""Width in characters of a list that goes to a file or a pipe: one line per document."""


def example(
    name: Annotated[str, typer.Argument(help="Name of the document; `timbra example --list` lists all names.")] = "",
    list_all: Annotated[bool, typer.Option("--list", help="List all documents with complement and versions.")] = False,
    version: Annotated[
        str,
        typer.Option(
            help="Version of the document: 4.0 or 3.3 of a CFDI, 2.0 of a retención. By default the newest that it has."
        ),
    ] = "",
    fecha: Annotated[
        str, typer.Option(help="Fecha or FechaExp of the document. By default a date with which it can be stamped now.")
    ] = "",
    unsealed: Annotated[
        bool, typer.Option("--unsealed", help="Print the document without seal and certificate.")
    ] = False,
    data: EphemeralDataOption = None,
) -> None:
    """Print a minimal valid CFDI or retención, sealed with a sandbox certificate.

    `timbra validate` with the same data folder reports only that it has no stamp. Issuing the document replaces its
    seal.
    """
    from timbra.examples import DOCUMENTS

    if list_all:
        _print_list(DOCUMENTS.values())
        return
    document = _find_document(name, version)
    if unsealed:
        typer.echo(_text(document, version, fecha, datetime.now(UTC)))
    else:
        typer.echo(_seal(document, version, fecha, data))


def _find_document(name: str, version: str) -> ExampleDocument:
    from timbra.examples import DOCUMENTS

    document = DOCUMENTS.get(name.casefold())
    if document is None:
        matches = get_close_matches(name.casefold(), DOCUMENTS, n=3)
        suggestion = translate(" Did you mean {names}?").format(names=", ".join(matches)) if matches else ""
        unknown = translate("Unknown document «{name}».{suggestion} All: timbra example --list")
        _reject(unknown.format(name=name, suggestion=suggestion))
    if version and version not in document.builders:
        absent = translate("{name} exists in version {versions}, not in {version}.")
        _reject(absent.format(name=document.name, versions=", ".join(document.builders), version=version))
    return document


def _reject(reason: str) -> NoReturn:
    typer.echo(reason, err=True)
    raise typer.Exit(1)


def _text(document: ExampleDocument, version: str, fecha: str, now: datetime) -> str:
    return document.make(version or None, fecha or document.default_fecha(version or None, now))


def _seal(document: ExampleDocument, version: str, fecha: str, data: Path | None) -> str:
    from timbra.sandbox.example_sealing import ExampleSealer

    with open_ephemeral_services(data) as (sandbox, stamping, _):
        text = _text(document, version, fecha, sandbox.clock_control.now())
        return ExampleSealer(sandbox.authority_ca, stamping.checks).seal(text).decode()


def _print_list(documents: Iterable[ExampleDocument]) -> None:
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table

    table = Table(title=translate("Example documents"), title_justify="left", box=SIMPLE_HEAD)
    table.add_column(translate("Name"), no_wrap=True)
    table.add_column(translate("Document"), no_wrap=True)
    table.add_column(translate("Version"), no_wrap=True)
    table.add_column(translate("Complement"), overflow="fold")
    for document in documents:
        table.add_row(document.name, ", ".join(document.builders), document.version, document.tag)
    console = Console()
    Console(width=console.width if console.is_terminal else PIPE_WIDTH).print(table)


COMMANDS = (Command("example", example, Panel.START_HERE, 30),)
