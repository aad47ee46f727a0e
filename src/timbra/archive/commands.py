"""`timbra archive`: documents, acuses, events and reports of a month, with the hash of every file."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Annotated

import typer

from timbra.accounts.commands.approval import require_approval
from timbra.console.command import Command, Panel
from timbra.console.period_option import period_of, previous_month
from timbra.console.services_option import DataOption, open_services, rejection_line
from timbra.console.tables import print_rows
from timbra.core.clock import CENTRAL_MEXICO
from timbra.core.errors import ServiceError
from timbra.events.audit.recorder import AuditRecorder

if TYPE_CHECKING:
    from timbra.archive.export import ArchiveTotals

app = typer.Typer(help="Archives of a period, in the BagIt form, with the SHA-256 of every file.", no_args_is_help=True)

COLUMNS = ("archive", "place", "documents", "acuses", "events", "exported (UTC)", "pruned (UTC)", "failure")
PRUNED_COLUMNS = ("archive", "documents", "acuses", "events", "waiting", "not archived")
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

    Prints name, documents, acuses, events, files and bytes. The archive of an ended month is verified and recorded:
    `timbra archive prune` deletes only what such an archive has. The name of any other archive has its days.
    """
    from timbra.archive.build import ArchiveServices
    from timbra.archive.storage import storage_of

    with open_services(data, ArchiveServices, AuditRecorder) as (services, audit):
        today = services.wall.now().astimezone(CENTRAL_MEXICO).date()
        period = period_of(month or ("" if since or until else previous_month(today)), since, until, today)
        is_ended_month = (bool(month) or not (since or until)) and services.archives.is_ended(period)
        if is_ended_month:
            totals = services.archives.export_month(period, location, may_exist=False)
        else:
            # Not by the name of a month: the archive of the whole month is written after its end.
            name = f"timbra-{period.first}-{min(period.last, today)}"
            totals = services.archive.export(name, period, storage_of(location))
        body = {"location": location, "documents": totals.documents, "events": totals.events}
        audit.record("archive.exported", None, totals.name, body)
        if not is_ended_month:
            services.events.record("archive.exported", totals.name, body)
    _print(totals)


@app.command("list")
def list_archives(data: DataOption = None) -> None:
    """List the archives of months; the report `archives` has their hashes.

    Columns: name, place, documents, acuses, events, time of the export, time of the last deletion, last failure.
    """
    from timbra.archive.build import ArchiveServices

    with open_services(data, ArchiveServices) as services:
        print_rows(
            COLUMNS,
            (
                (
                    record.name,
                    record.place,
                    *map(str, (record.documents, record.acuses, record.events)),
                    _instant(record.exported_at),
                    _instant(record.pruned_at),
                    record.failure,
                )
                for record in services.archives.repository.all()
            ),
        )


@app.command("prune")
def prune(
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Count what would be deleted; delete nothing.")] = False,
    data: DataOption = None,
) -> None:
    """Delete documents, acuses and events that are older than TIMBRA_RETENTION_MONTHS and in a verified archive.

    A running server does the same in small steps. What is not in the archive as it is, and what still has a delivery,
    stays. Columns: archive, documents, acuses, events, documents that wait for a delivery, rows that are not archived.
    """
    from timbra.archive.build import ArchiveServices
    from timbra.core.approvals import ProtectedAction

    if not dry_run:
        require_approval(data, ProtectedAction.PRUNE)
    with open_services(data, ArchiveServices) as services:
        months = services.retention.prune(steps=None, dry_run=dry_run)
    print_rows(
        PRUNED_COLUMNS,
        (
            (month.name, *map(str, (month.documents, month.acuses, month.events, month.pending, month.unarchived)))
            for month in months
        ),
    )
    if any(month.unarchived for month in months):
        raise typer.Exit(1)


@app.command("verify")
def verify(
    location: LocationArgument,
    name: Annotated[str, typer.Argument(help="Name of the archive, such as timbra-2026-10.")],
) -> None:
    """Compare every file and every document of an archive with its SHA-256; exits with 1 when one differs."""
    from timbra.archive.export import verify_archive
    from timbra.archive.storage import storage_of

    try:
        totals = verify_archive(name, storage_of(location))
    except ServiceError as error:
        typer.echo(rejection_line(error), err=True)
        raise typer.Exit(1) from error
    _print(totals)


@app.command("move")
def move(
    location: LocationArgument,
    name: Annotated[str, typer.Argument(help="Name of the archive, such as timbra-2026-10.")],
    data: DataOption = None,
) -> None:
    """Record the new place of the archive of a month that was copied there; it is verified first.

    Documents that TIMBRA_ONLINE_DOCUMENT_MONTHS took out of the database are read there from then on.
    """
    from timbra.archive.build import ArchiveServices

    with open_services(data, ArchiveServices, AuditRecorder) as (services, audit):
        totals = services.archives.move(name, location)
        audit.record("archive.moved", None, totals.name, {"location": location, "digest": totals.digest})
    _print(totals)


def _print(totals: ArchiveTotals) -> None:
    numbers = (totals.documents, totals.acuses, totals.events, totals.files, totals.size)
    typer.echo("\t".join((totals.name, *map(str, numbers))))


def _instant(at: datetime | None) -> str:
    return "" if at is None else f"{at:%Y-%m-%dT%H:%M:%SZ}"


COMMANDS = (Command("archive", app, Panel.OPERATE, 130),)
