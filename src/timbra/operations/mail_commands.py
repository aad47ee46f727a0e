"""`timbra mail`: the e-mail outbox, with waiting e-mails and dead letters."""

from __future__ import annotations

from typing import Annotated

import typer

from timbra.console.command import Command, Panel
from timbra.console.language import translate
from timbra.console.services_option import DataOption, open_services
from timbra.console.tables import print_rows
from timbra.operations.services import OperationsServices

app = typer.Typer(help="E-mails with stamped CFDI: the e-mail outbox.", no_args_is_help=True)

COLUMNS = ("folio", "recipient", "since (UTC)", "due (UTC)", "attempts", "failure")
TIME_FORMAT = "%Y-%m-%dT%H:%M:%SZ"


@app.command("list")
def list_emails(
    dead: Annotated[bool, typer.Option("--dead", help="Only dead letters.")] = False,
    limit: Annotated[int, typer.Option(min=1, help="Maximum number of rows, oldest first.")] = 100,
    data: DataOption = None,
) -> None:
    """List e-mails that are not delivered.

    Columns: folio, recipient, time of creation, next attempt (empty for a dead letter), attempts, last failure.
    """
    with open_services(data, OperationsServices) as operations:
        print_rows(
            COLUMNS,
            (
                (
                    email.uuid,
                    email.recipient,
                    email.created_at.strftime(TIME_FORMAT),
                    email.due_at.strftime(TIME_FORMAT) if email.due_at else "",
                    str(email.attempts),
                    email.reason,
                )
                for email in operations.email_outbox.list_pending(limit, dead_only=dead)
            ),
        )


@app.command()
def retry(
    folio: Annotated[str | None, typer.Argument(help="Folio of a CFDI, whose dead letters are requeued.")] = None,
    all_dead: Annotated[bool, typer.Option("--all", help="All dead letters.")] = False,
    data: DataOption = None,
) -> None:
    """Requeue dead letters; prints their number. A running server sends them at once."""
    if (folio is None) != all_dead:
        raise typer.BadParameter(translate("give the folio of a CFDI or --all"))
    with open_services(data, OperationsServices) as operations:
        requeued = operations.email_outbox.requeue(folio)
    typer.echo(str(requeued))
    if folio is not None and not requeued:
        raise typer.Exit(1)


@app.command()
def drop(
    folio: Annotated[str, typer.Argument(help="Folio of a CFDI with undelivered e-mails.")], data: DataOption = None
) -> None:
    """Delete the undelivered e-mails of a CFDI, waiting or dead; prints their number."""
    with open_services(data, OperationsServices) as operations:
        dropped = operations.email_outbox.drop(folio)
    typer.echo(str(dropped))
    if not dropped:
        raise typer.Exit(1)


COMMANDS = (Command("mail", app, Panel.OPERATE, 150),)
