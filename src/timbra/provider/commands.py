"""`timbra provider`: the identity of the provider (PAC) that stamps."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Annotated

import typer

from timbra.console.command import Command, Panel
from timbra.console.language import translate
from timbra.console.services_option import DataOption, open_services
from timbra.console.tables import print_rows
from timbra.core.clock import CENTRAL_MEXICO
from timbra.events.recorder import PLANNED_STOP, EventRecorder

app = typer.Typer(help="The provider (PAC) that stamps in production and in a rehearsal.", no_args_is_help=True)

CHECK_COLUMNS = ("check", "state", "detail")
MAX_REASON_LENGTH = 500
USE_COLUMNS = ("day (UTC)", "certificate", "signatures")


@app.command()
def check(
    online: Annotated[
        bool,
        typer.Option(
            "--online",
            help="Log in at the SAT's services, and query every address, the container and the sources of lists too.",
        ),
    ] = False,
    data: DataOption = None,
) -> None:
    """Check certificates, keys, addresses, lists and the queue; the exit code is 1 when a condition fails.

    Columns: condition, state (ok, warning, error), what was found. Each token signs once.
    """
    from timbra.provider.build import ProviderServices

    with open_services(data, ProviderServices) as services:
        results = services.check(online)
        print_rows(CHECK_COLUMNS, ((result.name, result.state.value, result.detail) for result in results))
    if any(result.state == "error" for result in results):
        raise typer.Exit(1)


@app.command()
def usage(
    days: Annotated[int, typer.Option(min=1, max=3660, help="Days until today, today included.")] = 31,
    data: DataOption = None,
) -> None:
    """List the signatures with the provider's keys by day and certificate number, of all nodes."""
    from timbra.provider.build import ProviderServices

    today = datetime.now(UTC).date()
    with open_services(data, ProviderServices) as services:
        uses = services.key_uses.between(today - timedelta(days=days - 1), today)
    print_rows(USE_COLUMNS, ((use.day.isoformat(), use.number, str(use.signatures)) for use in uses))


@app.command("plan-stop")
def plan_stop(
    begin: Annotated[str, typer.Argument(metavar="FROM", help="YYYY-MM-DDTHH:MM, central Mexico.")],
    end: Annotated[str, typer.Argument(metavar="UNTIL", help="YYYY-MM-DDTHH:MM, central Mexico.")],
    reason: Annotated[str, typer.Argument(help="Why the service stops, as it was announced.")],
    data: DataOption = None,
) -> None:
    """Record a planned stop of the service, for the report `planned-stops`; the server is not stopped."""
    first, last = _local_instant(begin), _local_instant(end)
    if last <= first or not reason.strip():
        raise typer.BadParameter(translate("a stop ends after it begins, and has a reason"))
    body = {"from": first.isoformat(), "until": last.isoformat(), "reason": reason.strip()[:MAX_REASON_LENGTH]}
    with open_services(data, EventRecorder) as events:
        events.record(PLANNED_STOP, f"{first:%Y-%m-%d}", body)


def _local_instant(text: str) -> datetime:
    try:
        found = datetime.fromisoformat(text)
    except ValueError as error:
        raise typer.BadParameter(translate("an instant is YYYY-MM-DDTHH:MM")) from error
    return found if found.tzinfo is not None else found.replace(tzinfo=CENTRAL_MEXICO)


COMMANDS = (Command("provider", app, Panel.OPERATE, 90),)
