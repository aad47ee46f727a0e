"""`timbra explain`: what a code demands, and a document that keeps it and one that breaks it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer
from rich.console import Console
from rich.table import Table

from timbra.cli.borrowed import Borrowed, borrowed
from timbra.messages import MESSAGES
from timbra.messages.literal import LITERAL

if TYPE_CHECKING:
    from timbra.rules.rule import AnyRule, Listed

Which = Literal["pass", "fail"]
WIDE = 160
"""Columns of a table that goes to a file or another command."""


def explain(
    code: Annotated[str, typer.Argument(help="A code, such as CFDI40147 or 305.")] = "",
    example: Annotated[
        Which | None, typer.Option(help="Print that document, sealed, instead of the explanation.")
    ] = None,
    books: Annotated[bool, typer.Option("--books", help="Show all books of rules instead.")] = False,
    data: Borrowed = None,
) -> None:
    """Tell what a code demands, where the norm says so and what it needs; or print a document for it.

    `timbra validate` over the same data folder finds nothing in the first document and that code in the second.
    """
    if books:
        _show_books()
        return
    if not code:
        typer.echo("Indique un código, como CFDI40147, o --books.", err=True)
        raise typer.Exit(2)
    from timbra.rules.lookup import rows

    found = rows(code)
    if not found:
        _explain_service(code)
        return
    if example is None:
        for row in found:
            _show(row)
        return
    typer.echo(_document(found[0], example, data))


def _explain_service(code: str) -> None:
    known = next((name for name in (*MESSAGES, *LITERAL) if name.casefold() == code.casefold()), None)
    if known is None:
        typer.echo(f"No se conoce el código {code}.", err=True)
        raise typer.Exit(1)
    typer.echo(f"{known}  {MESSAGES.get(known) or LITERAL[known]}")


def _show_books() -> None:
    from timbra.rules.index import codes, counts, invoices, revision
    from timbra.rules.pages import PAGES

    table = Table(title="Libros de reglas", title_justify="left")
    for name in ("Norma", "CFDI", "Revisión", "Códigos", "Reglas", "Suspendidas", "Inactivas", "Sin regla", "Página"):
        table.add_column(name, overflow="fold")
    for page in PAGES.values():
        numbers = [str(count) for count in (len(codes(page)), *counts(page).values())]
        table.add_row(page.standard, invoices(page), revision(page), *numbers, f"docs/rules/{page.name}.md")
    console = Console()
    Console(width=console.width if console.is_terminal else WIDE).print(table)


def _show(row: AnyRule | Listed) -> None:
    from timbra.rules.lookup import facts

    table = Table(show_header=False, title=row.code, title_justify="left")
    table.add_row("Exige", MESSAGES[row.code.partition(":")[0]])
    for name, value in facts(row):
        table.add_row(name, value)
    Console().print(table)


def _document(row: AnyRule | Listed, which: Which, data: Path | None) -> str:
    from timbra.examples.codes import EXAMPLES, RELATED

    made = EXAMPLES.get(row.code)
    if made is None:
        typer.echo(f"{row.code} no tiene documentos de ejemplo.", err=True)
        raise typer.Exit(1)
    text = made.passing() if which == "pass" else made.failing()
    from timbra.service.example import ExampleSealer

    with borrowed(data) as house:
        sealer = ExampleSealer(house.authority_ca, house.tools)
        for folio, builder in RELATED.items():
            if folio in text:
                sealer.file(builder(), folio, house.ledger)
        return sealer.seal(text).decode()
