"""`timbra archive`: documents, acuses, events and reports of a month, with the hash of every file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from timbra.cli.framework.services_option import DataOption, open_services, rejection_line
from timbra.cli.operations.report import period_of, previous_month
from timbra.clock import CENTRAL_MEXICO
from timbra.errors import ServiceError
from timbra.service.services import ReportServices

if TYPE_CHECKING:
    from timbra.service.operations.archive import ArchiveTotals

app = typer.Typer(help="Archives of a period, in the BagIt form, with the SHA-256 of every file.", no_args_is_help=True)

LocationArgument = Annotated[
    str, typer.Argument(metavar="PLACE", help="Folder, or s3://BUCKET/PREFIX with timbra[object-storage].")
]


@app.command("export")
def export(
    location: LocationArgument,
    month: Annotated[str, typer.Option(metavar="YYYY-MM", help="Month. Default: the previous one.")] = "",
    since: Annotated[str, typer.Option("--from", metavar="YYYY-MM-DD", help="First day, central Mexico.")] = "",
    until: Annotated[str, typer.Option("--to", metavar="YYYY-MM-DD", help="Last day, inclusive.")] = "",
    data: DataOption = None,
) -> None:
    """Write the archive of a period; the server may run, and nothing is deleted.

    Prints name, documents, acuses, events, files and bytes. The documents stay in the database.
    """
    from timbra.service.operations.archive_storage import storage_of

    with open_services(data, ReportServices) as services:
        today = services.wall.now().astimezone(CENTRAL_MEXICO).date()
        period = period_of(month or ("" if since or until else previous_month(today)), since, until, today)
        whole = month or not (since or until)
        name = f"timbra-{period.first:%Y-%m}" if whole else f"timbra-{period.first}-{period.last}"
        totals = services.archive.export(name, period, storage_of(location))
        body = {"location": location, "documents": totals.documents, "events": totals.events}
        services.events.record("archive.exported", name, body)
    _print(totals)


@app.command("verify")
def verify(
    location: LocationArgument,
    name: Annotated[str, typer.Argument(help="Name of the archive, such as timbra-2026-10.")],
) -> None:
    """Compare every file and every document of an archive with its SHA-256; exits with 1 when one differs."""
    from timbra.service.operations.archive import verify_archive
    from timbra.service.operations.archive_storage import storage_of

    try:
        totals = verify_archive(name, storage_of(location))
    except ServiceError as error:
        typer.echo(rejection_line(error), err=True)
        raise typer.Exit(1) from error
    _print(totals)


def _print(totals: ArchiveTotals) -> None:
    numbers = (totals.documents, totals.acuses, totals.events, totals.files, totals.size)
    typer.echo("\t".join((totals.name, *map(str, numbers))))
