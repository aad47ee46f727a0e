"""`timbra outbox`: what must still reach the authority, and what was given up."""

from __future__ import annotations

from typing import Annotated

import typer

from timbra.cli.opened import Data, opened
from timbra.cli.tables import show

app = typer.Typer(help="Deliveries to the authority.", no_args_is_help=True)

COLUMNS = ("kind", "subject", "since (UTC)", "due (UTC)", "attempts", "state")
Subject = Annotated[str, typer.Argument(help="The folio of a stamp, or what `timbra outbox list` shows.")]


@app.command("list")
def list_waiting(
    dead: Annotated[bool, typer.Option("--dead", help="Only what was given up.")] = False,
    limit: Annotated[int, typer.Option(min=1, help="Rows, the oldest first.")] = 100,
    data: Data = None,
) -> None:
    """What is outstanding: kind, subject, since when, next attempt, attempts so far, state."""
    with opened(data) as house:
        show(
            COLUMNS,
            (
                (
                    row.kind,
                    row.subject,
                    f"{row.created_at:%Y-%m-%dT%H:%M:%SZ}",
                    "" if row.dead else f"{row.due_at:%Y-%m-%dT%H:%M:%SZ}",
                    str(row.attempts),
                    "dead" if row.dead else "waiting",
                )
                for row in house.outbox.listed(limit, dead_only=dead)
            ),
        )


@app.command()
def retry(
    subject: Annotated[str | None, typer.Argument(help="One dead delivery.")] = None,
    all_dead: Annotated[bool, typer.Option("--all", help="All dead deliveries.")] = False,
    data: Data = None,
) -> None:
    """Have dead deliveries tried again; prints how many. A running server takes them up at once."""
    if (subject is None) != all_dead:
        raise typer.BadParameter("name one delivery, or --all")
    with opened(data) as house:
        revived = house.outbox.revive(subject)
    typer.echo(str(revived))
    if subject is not None and not revived:
        raise typer.Exit(1)


@app.command()
def drop(subject: Subject, data: Data = None) -> None:
    """Forget a dead delivery for ever, because the authority was told otherwise."""
    with opened(data) as house:
        dropped = house.outbox.drop(subject)
    typer.echo(str(dropped))
    if not dropped:
        raise typer.Exit(1)
