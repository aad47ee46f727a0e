"""`timbra outbox`: pending deliveries to the authority, and dead letters."""

from __future__ import annotations

from typing import Annotated

import typer

from timbra.console.command import Command, Panel
from timbra.console.language import translate
from timbra.console.services_option import DataOption, open_services
from timbra.console.tables import print_rows
from timbra.events.audit.recorder import AuditRecorder
from timbra.operations.services import OperationsServices

app = typer.Typer(help="Outbox of deliveries to the authority.", no_args_is_help=True)

COLUMNS = ("kind", "subject", "since (UTC)", "due (UTC)", "attempts", "state", "reason")
Subject = Annotated[str, typer.Argument(help="Folio of a stamp, or a subject from `timbra outbox list`.")]


@app.command("list")
def list_deliveries(
    dead: Annotated[bool, typer.Option("--dead", help="Only dead letters.")] = False,
    limit: Annotated[int, typer.Option(min=1, help="Maximum number of rows, oldest first.")] = 100,
    data: DataOption = None,
) -> None:
    """List deliveries that are not done.

    Columns: kind, subject, time of creation, next attempt, attempts, state (waiting, dead), reason of the last failure.
    """
    with open_services(data, OperationsServices) as operations:
        print_rows(
            COLUMNS,
            (
                (
                    row.kind,
                    row.subject,
                    f"{row.created_at:%Y-%m-%dT%H:%M:%SZ}",
                    "" if row.dead else f"{row.due_at:%Y-%m-%dT%H:%M:%SZ}",
                    str(row.attempts),
                    "dead" if row.dead else "waiting",
                    " ".join((row.reason or "").split()),
                )
                for row in operations.outbox.list_pending(limit, dead_only=dead)
            ),
        )


@app.command()
def requeue(
    subject: Annotated[str | None, typer.Argument(help="Subject of one delivery, waiting or dead.")] = None,
    all_dead: Annotated[bool, typer.Option("--all", help="All dead letters.")] = False,
    data: DataOption = None,
) -> None:
    """Requeue deliveries, with new attempts; prints their number. A running server delivers them at once."""
    if (subject is None) != all_dead:
        raise typer.BadParameter(translate("give the subject of a delivery or --all"))
    with open_services(data, OperationsServices) as operations:
        requeued = operations.outbox.requeue(subject)
    typer.echo(str(requeued))
    if subject is not None and not requeued:
        raise typer.Exit(1)


@app.command()
def retry(
    subject: Annotated[str | None, typer.Argument(help="Subject of one delivery, waiting or dead.")] = None,
    all_dead: Annotated[bool, typer.Option("--all", help="All dead letters.")] = False,
    data: DataOption = None,
) -> None:
    """Alias of `requeue`."""
    requeue(subject, all_dead, data)


@app.command()
def drop(subject: Subject, data: DataOption = None) -> None:
    """Delete a delivery, waiting or dead, that reached the authority by other means; prints the number deleted."""
    with open_services(data, OperationsServices, AuditRecorder) as (operations, audit):
        dropped = operations.outbox.drop(subject)
        if dropped:
            audit.record("delivery.dropped", None, subject.lower())
    typer.echo(str(dropped))
    if not dropped:
        raise typer.Exit(1)


COMMANDS = (Command("outbox", app, Panel.OPERATE, 110),)
