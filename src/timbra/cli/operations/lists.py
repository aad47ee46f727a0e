"""`timbra lists`: imports the SAT's published lists, LCO and l_RFC, into the data folder."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperCommand

from timbra.cli.framework.language import translate
from timbra.cli.framework.progress import progress_bar
from timbra.cli.framework.services_option import DataOption, open_services
from timbra.cli.framework.tables import print_rows
from timbra.service.services import OperationsServices

if TYPE_CHECKING:
    from timbra.service.operations.list_administration import ListEdition

app = typer.Typer(help="The SAT's published lists: LCO and l_RFC.", no_args_is_help=True)

FILE_OPTIONS = ("--lco", "--lrfc")
COLUMNS = ("list", "day", "taxpayers", "certificates", "skipped", "signed by", "signed", "imported", "age")


class FilesCommand(TyperCommand):
    """A command whose file options accept every value that follows them, such as the expansion of a shell pattern."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the arguments after `repeat_options`."""
        return super().parse_args(ctx, repeat_options(args, FILE_OPTIONS))


def repeat_options(args: Sequence[str], options: Sequence[str]) -> list[str]:
    """Repeat each of the options before every one of its values.

    Args:
        args: arguments of the command.
        options: the options that accept several values.

    Returns:
        The arguments in the form that click parses.
    """
    result: list[str] = []
    current = ""
    for argument in args:
        if argument.startswith("-"):
            current = argument if argument in options else ""
        elif current and result[-1] != current:
            result.append(current)
        result.append(argument)
    return result


@app.command("import", cls=FilesCommand)
def import_lists(
    lco: Annotated[list[Path] | None, typer.Option(help="All files of an LCO (gzip of PKCS#7).")] = None,
    lrfc: Annotated[list[Path] | None, typer.Option(help="All files of an l_RFC (gzip of PKCS#7).")] = None,
    day: Annotated[
        str, typer.Option("--date", metavar="YYYY-MM-DD", help="Date of the lists, for file names without a date.")
    ] = "",
    column: Annotated[
        list[str] | None,
        typer.Option(
            metavar="HEADER=FIELD",
            help="Meaning of an additional column of l_RFC: name, postal_code, regimes, withholding, cancelled, sncf, "
            "subcontracting or unused. Added to those of TIMBRA_LRFC_COLUMNS.",
        ),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Accept a list that is older or much smaller than the current one.")
    ] = False,
    data: DataOption = None,
) -> None:
    """Verify and import the SAT's files.

    Each list is replaced as a whole after all its files were verified; a failure leaves the current list unchanged.
    A running server uses the new lists from its next request on.
    """
    from timbra.service.operations.list_administration import ListKind

    if not lco and not lrfc:
        raise typer.BadParameter(translate("--lco FILE... or --lrfc FILE... is required"))
    dated = _date(day)
    with open_services(data, OperationsServices) as operations:
        importer = operations.list_importer(column or ())
        editions = []
        for kind, paths in ((ListKind.LCO, lco), (ListKind.LRFC, lrfc)):
            if paths:
                with progress_bar() as progress:
                    editions.append(importer.run(kind, paths, dated=dated, force=force, on_progress=progress))
                _print_editions(editions[-1:], operations.wall.now())


@app.command("show")
def show_lists(data: DataOption = None) -> None:
    """Show the current lists; prints nothing when none was imported."""
    with open_services(data, OperationsServices) as operations:
        lists = operations.lists.current
        _print_editions([lists.editions[kind] for kind in sorted(lists.editions)], operations.wall.now())


def _date(text: str) -> date | None:
    try:
        return date.fromisoformat(text) if text else None
    except ValueError as error:
        raise typer.BadParameter(translate("--date must be YYYY-MM-DD")) from error


def _print_editions(editions: Sequence[ListEdition], now: datetime) -> None:
    from timbra.service.operations.list_administration import age_in_days

    print_rows(
        COLUMNS,
        (
            (
                edition.kind,
                edition.dated.isoformat(),
                f"{edition.rows}",
                f"{edition.certificates}",
                f"{edition.skipped}",
                ",".join(edition.signers),
                f"{edition.signed_at:%Y-%m-%dT%H:%M:%SZ}" if edition.signed_at else "",
                f"{edition.imported_at:%Y-%m-%dT%H:%M:%SZ}",
                f"{age_in_days(edition, now)}d",
            )
            for edition in editions
        ),
    )
