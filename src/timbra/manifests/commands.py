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
EVIDENCE = ("issuer", "name", "certificate", "signed", "SHA-256")
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


@app.command("link")
def link(
    rfc: RfcArgument,
    days: Annotated[int, typer.Option(help="Days until the link expires.")] = 30,
    data: DataOption = None,
) -> None:
    """Print the path of the page on which an issuer signs the manifest with the e.firma."""
    from timbra.manifests.signing import ManifestSigning

    with open_services(data, ManifestSigning) as signing:
        typer.echo(signing.link(rfc, days)[0])


@app.command("verify")
def verify(
    manifest: Annotated[str, typer.Argument(help="RFC of the issuer, or a signed document.")],
    data: DataOption = None,
) -> None:
    """Verify the signature of a manifest; prints RFC, name, certificate, instant and SHA-256.

    The exit code is 1 when the signature is not valid, or there is no manifest.
    """
    from timbra.manifests.signing import ManifestSigning

    with open_services(data, ManifestSigning) as signing:
        file = Path(manifest)
        document = file.read_bytes() if file.is_file() else signing.manifests.document(manifest.strip().upper())
        if document is None:
            raise typer.Exit(1)
        found = signing.verify(document)
    values = (found.rfc, found.name, found.certificate.number, found.signed_at.isoformat(), found.digest)
    print_rows(EVIDENCE, [values])


@app.command("export")
def export(
    rfc: RfcArgument,
    to: Annotated[Path, typer.Option(help="File to write; with the suffix .pdf the printed manifest.")],
    data: DataOption = None,
) -> None:
    """Write the manifest of an issuer to a file: as it is stored, or printed with the evidence."""
    from timbra.manifests.printing import print_manifest
    from timbra.manifests.signing import ManifestSigning

    with open_services(data, ManifestSigning) as signing:
        document = signing.manifests.document(rfc.strip().upper())
        if document is None:
            raise typer.Exit(1)
        is_printed = to.suffix.lower() == ".pdf"
        to.write_bytes(print_manifest(signing.verify(document), document) if is_printed else document)


COMMANDS = (Command("manifest", app, Panel.OPERATE, 140),)
