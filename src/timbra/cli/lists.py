"""`timbra lists`: the SAT's published lists, LCO and l_RFC, in the data folder; a running server sees them at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperCommand

from timbra.cli.opened import Data, opened
from timbra.cli.tables import show

if TYPE_CHECKING:
    from timbra.authority.lists.shelf import Edition

app = typer.Typer(help="The SAT's published lists: LCO and l_RFC.", no_args_is_help=True)

FILE_OPTIONS = ("--lco", "--lrfc")
COLUMNS = ("list", "day", "taxpayers", "certificates", "skipped", "signed by", "signed", "imported", "age")


class FilesCommand(TyperCommand):
    """A command whose file options take every file that follows them, as a shell's pattern expands."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        return super().parse_args(ctx, spread(args, FILE_OPTIONS))


def spread(args: Sequence[str], options: Sequence[str]) -> list[str]:
    """The arguments with such an option repeated before each of its values."""
    out: list[str] = []
    current = ""
    for argument in args:
        if argument.startswith("-"):
            current = argument if argument in options else ""
        elif current and out[-1] != current:
            out.append(current)
        out.append(argument)
    return out


@app.command("import", cls=FilesCommand)
def import_lists(
    lco: Annotated[list[Path] | None, typer.Option(help="All parts of an LCO, gzip of PKCS#7.")] = None,
    lrfc: Annotated[list[Path] | None, typer.Option(help="All parts of an l_RFC, gzip of PKCS#7.")] = None,
    day: Annotated[
        str, typer.Option("--date", metavar="YYYY-MM-DD", help="Day of the lists, when file names do not tell it.")
    ] = "",
    column: Annotated[
        list[str] | None,
        typer.Option(
            metavar="HEADER=FIELD",
            help="What a further column of l_RFC is: name, postal_code, regimes, withholding, cancelled, sncf, "
            "subcontracting or unused. Also TIMBRA_LRFC_COLUMNS.",
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Accept a list that is older or much smaller.")] = False,
    data: Data = None,
) -> None:
    """Verify the SAT's files and bring them into force.

    Each list is swapped as a whole once all its parts were verified; whatever fails leaves the list in force as it is.
    A running server sees the new lists with its next request.
    """
    from timbra.authority.lists.parts import Kind

    if not lco and not lrfc:
        raise typer.BadParameter("--lco FILE... or --lrfc FILE... is needed")
    dated = _date(day)
    with opened(data) as house:
        importer = house.list_importer(column or ())
        editions = []
        for kind, paths in ((Kind.LCO, lco), (Kind.LRFC, lrfc)):
            if paths:
                with _progress() as told:
                    editions.append(importer.run(kind, paths, dated=dated, force=force, told=told))
                _show(editions[-1:], house.wall.now())


@app.command("show")
def show_lists(data: Data = None) -> None:
    """The lists in force; nothing is printed without any."""
    from timbra.authority.lists.published import PublishedLists

    with opened(data) as house:
        lists = PublishedLists(house.data / "lists").current
        _show([lists.editions[kind] for kind in sorted(lists.editions)], house.wall.now())


def _date(text: str) -> date | None:
    try:
        return date.fromisoformat(text) if text else None
    except ValueError as cause:
        raise typer.BadParameter("--date is YYYY-MM-DD") from cause


def _show(editions: Sequence[Edition], now: datetime) -> None:
    from timbra.authority.lists.published import midnight

    show(
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
                f"{max((now - midnight(edition.dated)).days, 0)}d",
            )
            for edition in editions
        ),
    )


@contextmanager
def _progress() -> Iterator[Callable[[str, int, int], None]]:
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("")
        yield lambda step, done, total: bar.update(task, description=step, completed=done, total=total)
