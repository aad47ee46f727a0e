"""`timbra explain`: what a code demands, and a document that keeps it and one that breaks it."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer
from rich.console import Console
from rich.table import Table

from timbra.cli.opened import Data, opened
from timbra.messages import MESSAGES
from timbra.messages.literal import LITERAL

if TYPE_CHECKING:
    from timbra.rules.rule import AnyRule, Book, Listed

ALIASES = {f"CFDI40{number}": f"CFDI140{number}" for number in range(223, 228)}
"""SAT prints five codes with seven digits."""


Which = Literal["pass", "fail"]


def explain(
    code: Annotated[str, typer.Argument(help="A code, such as CFDI40147 or 305.")],
    example: Annotated[
        Which | None, typer.Option(help="Print that document, sealed, instead of the explanation.")
    ] = None,
    data: Data = None,
) -> None:
    """Tell what a code demands, where the norm says so and what it needs; or print a document for it.

    `timbra validate` over the same data folder finds nothing in the first document and that code in the second.
    """
    wanted = ALIASES.get(code.upper(), code)
    rows = _rows(wanted)
    if not rows:
        _explain_service(wanted)
        return
    if example is None:
        for row in rows:
            _show(row)
        return
    typer.echo(_document(rows[0], example, data))


def _books() -> tuple[Book, ...]:
    from timbra.rules import seals
    from timbra.rules.checking import ENGINE

    return (*ENGINE.books, seals.BOOK)


def _rows(code: str) -> list[AnyRule | Listed]:
    """The rows of that identity, or all that show the code, whatever the case of its letters."""
    every: list[AnyRule | Listed] = []
    for book in _books():
        every += [*book.rules, *book.listed]
    folded = code.casefold()
    exact = [row for row in every if row.code.casefold() == folded]
    return exact or [row for row in every if row.code.partition(":")[0].casefold() == folded]


def _explain_service(code: str) -> None:
    known = next((name for name in (*MESSAGES, *LITERAL) if name.casefold() == code.casefold()), None)
    if known is None:
        typer.echo(f"No se conoce el código {code}.", err=True)
        raise typer.Exit(1)
    typer.echo(f"{known}  {MESSAGES.get(known) or LITERAL[known]}")


def _show(row: AnyRule | Listed) -> None:
    from timbra.rules.rule import Listed

    table = Table(show_header=False, title=row.code, title_justify="left")
    table.add_row("Exige", MESSAGES[row.code.partition(":")[0]])
    table.add_row("Lugar", row.at)
    if isinstance(row, Listed):
        table.add_row("Estado", f"no se evalúa: {row.reason}")
    else:
        for name, value in _facts(row):
            if value:
                table.add_row(name, value)
    Console().print(table)


def _facts(rule: AnyRule) -> list[tuple[str, str]]:
    note = " ".join((rule.judge.__doc__ or "").split())
    needs = [*sorted(rule.needs), *(f"{catalog}.{column}" for catalog, column in rule.columns)]
    return [
        ("Norma", rule.source),
        ("Estado", rule.severity.value),
        ("Desde", "" if rule.since == date.min else rule.since.isoformat()),
        ("Hasta", "" if rule.until == date.max else rule.until.isoformat()),
        ("Necesita", ", ".join(needs)),
        ("Inseparable de", ", ".join(sorted(rule.inseparable))),
        ("Nota", note),
        ("Función", f"{rule.judge.__module__}.{rule.name}"),
    ]


def _document(row: AnyRule | Listed, which: Which, data: Path | None) -> str:
    from timbra.examples.codes import EXAMPLES, RELATED

    made = EXAMPLES.get(row.code)
    if made is None:
        typer.echo(f"{row.code} no tiene documentos de ejemplo.", err=True)
        raise typer.Exit(1)
    text = made.passing() if which == "pass" else made.failing()
    from timbra.service.example import ExampleSealer

    with opened(data) as house:
        sealer = ExampleSealer(house.authority_ca, house.tools)
        for folio, builder in RELATED.items():
            if folio in text:
                sealer.file(builder(), folio, house.ledger)
        return sealer.seal(text).decode()
