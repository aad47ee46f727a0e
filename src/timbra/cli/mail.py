"""`timbra mail`: letters that are still to be mailed, and those that were given up."""

from __future__ import annotations

from typing import Annotated

import typer

from timbra.cli.opened import Data, opened
from timbra.cli.tables import show

app = typer.Typer(help="Stamped CFDI that are to be mailed.", no_args_is_help=True)

COLUMNS = ("folio", "recipient", "since (UTC)", "due (UTC)", "attempts", "failure")
WRITTEN = "%Y-%m-%dT%H:%M:%SZ"


@app.command("list")
def list_letters(
    dead: Annotated[bool, typer.Option("--dead", help="Only what was given up.")] = False,
    limit: Annotated[int, typer.Option(min=1, help="Rows, the oldest first.")] = 100,
    data: Data = None,
) -> None:
    """What is not delivered: folio, recipient, since when, next attempt (none: given up), attempts, last failure."""
    with opened(data) as house:
        show(
            COLUMNS,
            (
                (
                    letter.uuid,
                    letter.recipient,
                    letter.created_at.strftime(WRITTEN),
                    letter.due_at.strftime(WRITTEN) if letter.due_at else "",
                    str(letter.attempts),
                    letter.failure,
                )
                for letter in house.mailbox.letters(limit, given_up=dead)
            ),
        )


@app.command()
def retry(
    folio: Annotated[str | None, typer.Argument(help="The folio of a CFDI whose letters were given up.")] = None,
    all_dead: Annotated[bool, typer.Option("--all", help="All letters that were given up.")] = False,
    data: Data = None,
) -> None:
    """Have letters that were given up tried again; prints how many. A running server takes them up at once."""
    if (folio is None) != all_dead:
        raise typer.BadParameter("name one CFDI, or --all")
    with opened(data) as house:
        revived = house.mailbox.revive(folio)
    typer.echo(str(revived))
    if folio is not None and not revived:
        raise typer.Exit(1)
