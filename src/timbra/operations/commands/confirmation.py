"""`timbra confirmation`: keys of confirmation (Confirmacion) that the provider gives to issuers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from timbra.console.command import Command, Panel
from timbra.console.services_option import DataOption, open_services
from timbra.console.tables import print_rows
from timbra.stamping.services import StampingServices

if TYPE_CHECKING:
    from collections.abc import Sequence

    from timbra.stamps.confirmations import ConfirmationKey

app = typer.Typer(
    help="Keys of confirmation (Confirmacion) for one stamp each; see TIMBRA_CONFIRMATIONS.", no_args_is_help=True
)
COLUMNS = ("key", "issuer", "issued", "UUID")


@app.command("issue")
def issue(rfc: Annotated[str, typer.Argument(help="RFC of the issuer.")], data: DataOption = None) -> None:
    """Issue a key to an issuer; prints it."""
    with open_services(data, StampingServices) as services:
        typer.echo(services.confirmations.issue(rfc).key)


@app.command("list")
def list_keys(data: DataOption = None) -> None:
    """List the latest keys, with the UUID of the CFDI that used each."""
    with open_services(data, StampingServices) as services:
        print_rows(COLUMNS, _rows(services.confirmations.latest()))


def _rows(keys: Sequence[ConfirmationKey]) -> list[tuple[str, ...]]:
    return [(one.key, one.rfc, f"{one.issued_at:%Y-%m-%dT%H:%M:%SZ}", (one.uuid or "").upper()) for one in keys]


COMMANDS = (Command("confirmation", app, Panel.OPERATE, 145),)
