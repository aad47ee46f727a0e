"""`timbra deliveries`: what the SAT answered to the delivery of each stamp."""

from __future__ import annotations

import sys
from datetime import datetime
from enum import StrEnum
from typing import Annotated

import typer

from timbra.console.command import Command, Panel
from timbra.console.language import translate
from timbra.console.services_option import DataOption, open_services
from timbra.console.tables import print_rows

app = typer.Typer(help="Deliveries of stamps to the SAT.", no_args_is_help=True)

COLUMNS = ("folio", "state", "stamped (UTC)", "acknowledged (UTC)", "seconds", "attempts", "status")
WAITING_COLUMNS = ("folio", "state", "since (UTC)", "due (UTC)", "attempts", "reason")
Folio = Annotated[str, typer.Argument(help="Folio of a stamp.")]


class ListedState(StrEnum):
    """States by which deliveries are listed."""

    WAITING = "waiting"
    DEAD = "dead"
    RECEIVED = "received"
    WITH_INCIDENCIA = "received-with-incidencia"
    LATE = "late"
    REJECTED = "rejected"


@app.command("list")
def list_deliveries(
    state: Annotated[ListedState | None, typer.Option(help="Only deliveries in this state.")] = None,
    limit: Annotated[int, typer.Option(min=1, help="Maximum number of rows.")] = 100,
    data: DataOption = None,
) -> None:
    """List what the SAT answered, newest first; with `waiting` or `dead`, what it did not answer, oldest first.

    Columns of answers: folio, state, time of stamp and acuse, seconds between them, attempts, CodEstatus. Of others:
    folio, state, time of stamp, next attempt, attempts, reason of the last failure.
    """
    from timbra.delivery.deliveries import STAMP
    from timbra.provider.build import ProviderServices

    with open_services(data, ProviderServices) as services:
        if state in (ListedState.WAITING, ListedState.DEAD):
            dead = state is ListedState.DEAD
            pending = services.outbox.list_pending(limit, dead_only=dead, kind=STAMP)
            print_rows(
                WAITING_COLUMNS,
                (
                    (
                        row.subject,
                        "dead" if row.dead else "waiting",
                        _instant(row.created_at),
                        "" if row.dead or row.due_at is None else _instant(row.due_at),
                        str(row.attempts),
                        " ".join((row.reason or "").split()),
                    )
                    for row in pending
                    if row.dead is dead
                ),
            )
            return
        receptions = services.receptions.newest(limit, state.value if state else None)
        print_rows(
            COLUMNS,
            (
                (
                    row.uuid,
                    row.state,
                    _instant(row.stamped_at),
                    _instant(row.acknowledged_at),
                    f"{(row.acknowledged_at - row.stamped_at).total_seconds():.1f}",
                    str(row.attempts),
                    row.status,
                )
                for row in receptions
            ),
        )


@app.command()
def acuse(folio: Folio, data: DataOption = None) -> None:
    """Write the SAT's acuse of a delivery to standard output, as it was received."""
    from timbra.provider.build import ProviderServices

    with open_services(data, ProviderServices) as services:
        found = services.receptions.state_of(folio).reception
    if found is None:
        typer.echo(translate("the SAT has not answered about this folio"), err=True)
        raise typer.Exit(1)
    sys.stdout.buffer.write(found.acuse)
    sys.stdout.buffer.flush()


@app.command()
def requeue(
    folio: Annotated[str | None, typer.Argument(help="Folio of a stamp.")] = None,
    all_dead: Annotated[bool, typer.Option("--all", help="All stamps that are dead letters.")] = False,
    cancellations: Annotated[
        bool, typer.Option("--cancellations", help="With --all: requests of cancellation too.")
    ] = False,
    data: DataOption = None,
) -> None:
    """Deliver again stamps that are not delivered, with new attempts; prints the number.

    A running server begins at once. Requests of cancellation are sent again only when you ask for them.
    """
    from timbra.delivery.deliveries import STAMP
    from timbra.provider.build import ProviderServices

    if (folio is None) != all_dead or (cancellations and not all_dead):
        raise typer.BadParameter(translate("give the folio of a stamp or --all"))
    with open_services(data, ProviderServices) as services:
        requeued = services.outbox.requeue(folio, None if cancellations else STAMP)
    typer.echo(str(requeued))
    if folio is not None and not requeued:
        raise typer.Exit(1)


def _instant(at: datetime) -> str:
    return f"{at:%Y-%m-%dT%H:%M:%SZ}"


COMMANDS = (Command("deliveries", app, Panel.OPERATE, 100),)
