"""`timbra manifest`: the issuers who authorised the delivery of their CFDI to the SAT."""

from __future__ import annotations

from datetime import date, datetime, time
from pathlib import Path
from typing import Annotated

import typer

from timbra.console.command import Command, Panel
from timbra.console.language import translate
from timbra.console.services_option import DataOption, open_services
from timbra.console.tables import print_rows
from timbra.core.clock import CENTRAL_MEXICO

app = typer.Typer(help="Manifests that issuers signed; see TIMBRA_MANIFESTS_REQUIRED.", no_args_is_help=True)
COLUMNS = ("issuer", "signed", "registered", "file", "SHA-256")
RfcArgument = Annotated[str, typer.Argument(help="RFC of the issuer.")]


@app.command("add")
def add(
    rfc: RfcArgument,
    file: Annotated[Path, typer.Argument(help="The signed document.", exists=True, dir_okay=False)],
    signed: Annotated[str, typer.Option(metavar="YYYY-MM-DD", help="Day of the signature. Default: now.")] = "",
    data: DataOption = None,
) -> None:
    """Store the manifest that an issuer signed; it replaces an earlier one. Prints its SHA-256."""
    try:
        day = date.fromisoformat(signed) if signed else None
    except ValueError as error:
        raise typer.BadParameter(translate("a day is YYYY-MM-DD")) from error
    from timbra.manifests.manifests import Manifests

    with open_services(data, Manifests) as manifests:
        at = manifests.wall.now() if day is None else datetime.combine(day, time(), CENTRAL_MEXICO)
        typer.echo(manifests.register(rfc, at, file.name, file.read_bytes()).digest)


@app.command("list")
def list_manifests(data: DataOption = None) -> None:
    """List the issuers with a manifest."""
    from timbra.manifests.manifests import Manifests

    with open_services(data, Manifests) as manifests:
        print_rows(
            COLUMNS,
            [
                (
                    found.issuer_rfc,
                    f"{found.signed_at:%Y-%m-%dT%H:%M:%SZ}",
                    f"{found.registered_at:%Y-%m-%dT%H:%M:%SZ}",
                    found.file_name,
                    found.digest,
                )
                for found in manifests.all()
            ],
        )


@app.command("remove")
def remove(rfc: RfcArgument, data: DataOption = None) -> None:
    """Delete the manifest of an issuer; exits with 1 when there is none."""
    from timbra.manifests.manifests import Manifests

    with open_services(data, Manifests) as manifests:
        removed = manifests.remove(rfc)
    if not removed:
        raise typer.Exit(1)


COMMANDS = (Command("manifest", app, Panel.OPERATE, 140),)
