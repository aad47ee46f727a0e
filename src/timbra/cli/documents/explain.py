"""`timbra explain`: what a code requires, a document that satisfies its rule and one that violates it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from timbra.cli.framework.ephemeral_services import EphemeralDataOption, open_ephemeral_services
from timbra.cli.framework.language import translate
from timbra.messages import MESSAGES
from timbra.messages.literal import LITERAL

if TYPE_CHECKING:
    from timbra.rules.engine.rule import AnyRule, NotImplementedRow

ExampleKind = Literal["pass", "fail"]
RULE_SET_COLUMNS = ("Standard", "CFDI", "Revision", "Codes", "Rules", "Suspended", "Inactive", "Without rule", "Page")
PIPE_WIDTH = 160
"""Width in characters of a table that goes to a file or a pipe."""


def explain(
    code: Annotated[str, typer.Argument(help="Code, such as CFDI40147 or 305.")] = "",
    example: Annotated[
        ExampleKind | None,
        typer.Option(help="Print a sealed document that satisfies or violates the rule, instead of the explanation."),
    ] = None,
    rule_sets: Annotated[bool, typer.Option("--books", help="List all rule sets instead.")] = False,
    data: EphemeralDataOption = None,
) -> None:
    """Explain what a code requires, its source in the norm and the data that its rule needs; or print a document.

    `timbra validate` with the same data folder reports no findings for `pass`, and that code for `fail`.
    """
    if rule_sets:
        _print_rule_sets()
        return
    if not code:
        typer.echo(translate("Give a code, such as CFDI40147, or --books."), err=True)
        raise typer.Exit(2)
    from timbra.rules.reference.lookup import rows

    matches = rows(code)
    if not matches:
        _explain_service_code(code)
        return
    if example is None:
        for row in matches:
            _print_rule(row)
        return
    typer.echo(_example_document(matches[0], example, data))


def _explain_service_code(code: str) -> None:
    match = next((name for name in (*MESSAGES, *LITERAL) if name.casefold() == code.casefold()), None)
    if match is None:
        typer.echo(translate("Unknown code {code}.").format(code=code), err=True)
        raise typer.Exit(1)
    typer.echo(f"{match}  {MESSAGES.get(match) or LITERAL[match]}")


def _print_rule_sets() -> None:
    from rich.console import Console
    from rich.table import Table

    from timbra.rules.reference.index import codes, counts, invoices, revision
    from timbra.rules.reference.pages import PAGES

    table = Table(title=translate("Rule sets"), title_justify="left")
    for name in RULE_SET_COLUMNS:
        table.add_column(translate(name), overflow="fold")
    for page in PAGES.values():
        numbers = [str(count) for count in (len(codes(page)), *counts(page).values())]
        table.add_row(page.standard, invoices(page), revision(page), *numbers, f"docs/rules/{page.name}.md")
    console = Console()
    Console(width=console.width if console.is_terminal else PIPE_WIDTH).print(table)


def _print_rule(row: AnyRule | NotImplementedRow) -> None:
    from rich.console import Console
    from rich.table import Table

    from timbra.rules.reference.lookup import facts

    table = Table(show_header=False, title=row.code, title_justify="left")
    table.add_row(translate("Requires"), MESSAGES[row.code.partition(":")[0]])
    for name, value in facts(row):
        table.add_row(name, value)
    Console().print(table)


def _example_document(row: AnyRule | NotImplementedRow, kind: ExampleKind, data: Path | None) -> str:
    from timbra.examples.codes import EXAMPLES, RELATED

    pair = EXAMPLES.get(row.code)
    if pair is None:
        typer.echo(translate("{code} has no example documents.").format(code=row.code), err=True)
        raise typer.Exit(1)
    text = pair.passing() if kind == "pass" else pair.failing()
    from timbra.service.sandbox.example_sealing import ExampleSealer

    with open_ephemeral_services(data) as (sandbox, stamping):
        sealer = ExampleSealer(sandbox.authority_ca, stamping.checks)
        for folio, builder in RELATED.items():
            if folio in text:
                sealer.file(builder(), folio, sandbox.ledger)
        return sealer.seal(text).decode()
