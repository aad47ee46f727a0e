"""`timbra example`: minimal valid documents, one for each kind of invoice and each complement."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from timbra.cli.borrowed import Borrowed, borrowed
from timbra.clock import CENTRAL_MEXICO, LOCAL_FORMAT

if TYPE_CHECKING:
    from timbra.examples import Document

BEFORE = timedelta(minutes=10)
WIDE = 160
"""Columns of a list that goes to a file or another command: a document a line."""
STAMPED = "4.0"
"""The version of the invoice that can still be stamped; others keep a date of their time."""


def example(
    name: Annotated[str, typer.Argument(help="Which document; `timbra example --list` shows them all.")] = "",
    every: Annotated[bool, typer.Option("--list", help="Show the names, with complement and versions.")] = False,
    version: Annotated[str, typer.Option(help="Of the invoice, 3.3 or 4.0; the default is the newest it has.")] = "",
    fecha: Annotated[str, typer.Option(help="Its Fecha; by default it can be stamped now.")] = "",
    unsealed: Annotated[bool, typer.Option("--unsealed", help="Without seal and certificate.")] = False,
    data: Borrowed = None,
) -> None:
    """Print a minimal valid CFDI, sealed by a certificate of a sandbox.

    `timbra validate` over the same data folder finds nothing in it; issuing seals it anew, whatever sealed it.
    """
    from timbra.examples import DOCUMENTS

    if every:
        _list(DOCUMENTS.values())
        return
    document = _chosen(name, version)
    if unsealed:
        typer.echo(document.make(version or None, fecha or _date(document, version, datetime.now(CENTRAL_MEXICO))))
    else:
        typer.echo(_sealed(document, version, fecha, data))


def _chosen(name: str, version: str) -> Document:
    from timbra.examples import DOCUMENTS

    document = DOCUMENTS.get(name.casefold())
    if document is None:
        near = get_close_matches(name.casefold(), DOCUMENTS, n=3)
        meant = f" ¿Quiso decir {' o '.join(near)}?" if near else ""
        _refuse(f"No se conoce el documento «{name}».{meant} Todos: timbra example --list")
    if version and version not in document.builders:
        _refuse(f"{document.name} se hace en CFDI {' y '.join(document.builders)}, no en {version}.")
    return document


def _refuse(reason: str) -> NoReturn:
    typer.echo(reason, err=True)
    raise typer.Exit(1)


def _date(document: Document, version: str, now: datetime) -> str | None:
    """Shortly before now, for what can be stamped."""
    if document.has_ended or (version or next(iter(document.builders))) != STAMPED:
        return None
    return (now - BEFORE).strftime(LOCAL_FORMAT)


def _sealed(document: Document, version: str, fecha: str, data: Path | None) -> str:
    from timbra.service.example import ExampleSealer

    with borrowed(data) as house:
        now = house.fiscal.now().astimezone(CENTRAL_MEXICO)
        text = document.make(version or None, fecha or _date(document, version, now))
        return ExampleSealer(house.authority_ca, house.tools).seal(text).decode()


def _list(documents: Iterable[Document]) -> None:
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table

    table = Table(title="Documentos de ejemplo", title_justify="left", box=SIMPLE_HEAD)
    table.add_column("Nombre", no_wrap=True)
    table.add_column("CFDI", no_wrap=True)
    table.add_column("Versión", no_wrap=True)
    table.add_column("Complemento", overflow="fold")
    for document in documents:
        table.add_row(document.name, ", ".join(document.builders), document.version, document.tag)
    console = Console()
    Console(width=console.width if console.is_terminal else WIDE).print(table)
