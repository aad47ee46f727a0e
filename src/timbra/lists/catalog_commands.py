"""`timbra catalogs`: editions of the SAT's catalogs, put in force while the server runs."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from timbra.console.command import Command, Panel
from timbra.console.language import translate
from timbra.console.services_option import DataOption, open_services
from timbra.console.tables import print_rows

if TYPE_CHECKING:
    from timbra.lists.catalog_editions import PreparedEdition

app = typer.Typer(help="Editions of the SAT's catalogs, put in force while the server runs.", no_args_is_help=True)

RELEASE = "release"
"""The name of the catalogs of the release, at the command line."""
MAX_ROWS = 200
"""Differences that are printed; `--json` has all."""
TABLE_COLUMNS = ("catalog", "edition", "keys", "added", "ended", "reworded")
DIFFERENCE_COLUMNS = ("catalog", "change", "key", "detail")
COLUMNS = ("edition", "state", "since", "published", "installed", "catalogs", "files", "SHA-256")
NEEDS_FORCE = 1

FilesArgument = Annotated[
    list[Path],
    typer.Argument(
        help="Workbooks (.xls, .xlsx) or CSV files that the SAT published.",
        exists=True,
        dir_okay=False,
    ),
]
StandardOption = Annotated[str, typer.Option(help="Standard of the catalogs, such as nomina12 or cartaporte31.")]
CatalogOption = Annotated[str, typer.Option(help="Catalog of a CSV file whose name is another one: c_FormaPago.")]
PublishedOption = Annotated[
    str,
    typer.Option(
        metavar="YYYY-MM-DD",
        help="Day of the publication. By default that in the name of a file, or today: first day of the keys and "
        "values for which the file states none.",
    ),
]
EndedOption = Annotated[
    str, typer.Option(metavar="YYYY-MM-DD", help="Last day of the keys that the files omit. By default yesterday.")
]


@app.command()
def diff(
    files: FilesArgument,
    standard: StandardOption = "cfdi40",
    catalog: CatalogOption = "",
    published: PublishedOption = "",
    ended: EndedOption = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object with all differences.")] = False,
    data: DataOption = None,
) -> None:
    """Compare files of the SAT with the catalogs in force, as `install` would, and store nothing.

    Prints the keys that are added, that end and whose text, values or dates change. The exit code is 1 when `install`
    would need --force.
    """
    from timbra.lists.catalog_editions import CatalogEditions

    days = _day(published), _day(ended)
    with open_services(data, CatalogEditions) as editions:
        prepared = editions.prepare(files, standard=standard, catalog=catalog, published=days[0], ended=days[1])
    if as_json:
        typer.echo(_to_json(prepared))
    else:
        _print(prepared)
    if prepared.warnings:
        raise typer.Exit(NEEDS_FORCE)


@app.command()
def install(
    files: FilesArgument,
    standard: StandardOption = "cfdi40",
    catalog: CatalogOption = "",
    published: PublishedOption = "",
    ended: EndedOption = "",
    stage: Annotated[bool, typer.Option("--stage", help="Store the edition without putting it in force.")] = False,
    force: Annotated[
        bool,
        typer.Option("--force", help="Accept an older edition, one of a later day, or one with much fewer keys."),
    ] = False,
    data: DataOption = None,
) -> None:
    """Verify files of the SAT, store them as an edition of the catalogs and put it in force on all nodes.

    Running servers use it from their next request on. An edition has the catalogs of the one before too. Prints its
    name.
    """
    from timbra.accounts.commands.approval import require_approval
    from timbra.core.approvals import ProtectedAction
    from timbra.lists.catalog_editions import CatalogEditions

    days = _day(published), _day(ended)
    if force:
        require_approval(data, ProtectedAction.FORCE_CATALOGS, _subject(files))
    with open_services(data, CatalogEditions) as editions:
        prepared = editions.prepare(files, standard=standard, catalog=catalog, published=days[0], ended=days[1])
        name = editions.install(prepared, force=force, use=not stage)
    _print_tables(prepared)
    typer.echo(name)


@app.command()
def use(
    edition: Annotated[str, typer.Argument(help="Name of a stored edition, or `release` for that of the program.")],
    data: DataOption = None,
) -> None:
    """Put a stored edition in force again, on all nodes."""
    from timbra.lists.catalog_editions import CatalogEditions

    with open_services(data, CatalogEditions) as editions:
        editions.use("" if edition == RELEASE else edition)


@app.command("list")
def list_editions(data: DataOption = None) -> None:
    """List the editions: `in force` with the instant since when, or `stored`."""
    from timbra.lists.catalog_editions import CatalogEditions

    with open_services(data, CatalogEditions) as editions:
        stored, in_force = editions.all()
    since = "-" if in_force.since is None else f"{in_force.since:%Y-%m-%dT%H:%M:%SZ}"

    def state(name: str) -> tuple[str, str]:
        return ("in force", since) if name == in_force.name else ("stored", "-")

    rows = [(RELEASE, *state(""), "-", "-", "-", "-", "-")]
    rows += [
        (
            each.name,
            *state(each.name),
            each.published.isoformat(),
            f"{each.installed_at:%Y-%m-%dT%H:%M:%SZ}",
            ",".join(each.summary),
            each.file_name,
            each.digest,
        )
        for each in stored
    ]
    print_rows(COLUMNS, rows)


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text) if text else None
    except ValueError as error:
        raise typer.BadParameter(translate("a day is YYYY-MM-DD")) from error


def _subject(files: Sequence[Path]) -> str:
    """Return the names of the files with their digests, to which the confirmation is bound."""
    parts = []
    for file in files:
        with file.open("rb") as content:
            parts.append(f"{file.name} sha256:{hashlib.file_digest(content, 'sha256').hexdigest()}")
    return " ".join(parts)


def _print_tables(prepared: PreparedEdition) -> None:
    rows = []
    for table in prepared.renewal.tables:
        counted = Counter(str(each.change) for each in table.differences)
        counts = [str(counted[change]) for change in TABLE_COLUMNS[3:]]
        rows.append((table.name, table.edition, f"{table.keys:,}", *counts))
    print_rows(TABLE_COLUMNS, rows)
    if prepared.renewal.unknown:
        names = ", ".join(prepared.renewal.unknown)
        typer.echo(translate("not compared: {tables}").format(tables=names), err=True)


def _print(prepared: PreparedEdition) -> None:
    _print_tables(prepared)
    found = [each for table in prepared.renewal.tables for each in table.differences]
    if found:
        rows = [(each.table, str(each.change), each.key, each.detail) for each in found[:MAX_ROWS]]
        print_rows(DIFFERENCE_COLUMNS, rows)
    if len(found) > MAX_ROWS:
        more = translate("{count} more differences; --json prints all").format(count=f"{len(found) - MAX_ROWS:,}")
        typer.echo(more, err=True)
    for warning in prepared.warnings:
        typer.echo(warning, err=True)


def _to_json(prepared: PreparedEdition) -> str:
    content = {
        "edition": prepared.name,
        "published": prepared.days.published.isoformat(),
        "ended": prepared.days.ended.isoformat(),
        "tables": [
            {
                "name": table.name,
                "edition": table.edition,
                "keys": table.keys,
                "differences": [
                    {"change": str(each.change), "key": each.key, "detail": each.detail} for each in table.differences
                ],
            }
            for table in prepared.renewal.tables
        ],
        "not_compared": [*prepared.renewal.unknown],
        "warnings": [*prepared.warnings],
    }
    return json.dumps(content, ensure_ascii=False)


COMMANDS = (Command("catalogs", app, Panel.OPERATE, 75),)
