"""`timbra data`: the snapshot of SAT data."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from timbra.console.command import Command, Panel
from timbra.console.language import translate
from timbra.console.progress import progress_bar
from timbra.console.tables import print_rows
from timbra.core.errors import ServiceError

if TYPE_CHECKING:
    from timbra.snapshot import Snapshot, SnapshotSource

app = typer.Typer(help="The SAT data snapshot: schemas, stylesheets and catalogs.", no_args_is_help=True)

Destination = Annotated[Path | None, typer.Option("--to", help="Folder of the snapshot. By default the installed one.")]
_WHEEL_NAME = re.compile(r"(?P<package>[a-z0-9_]+)-(?P<version>[0-9]+(\.[0-9]+)*)-py3-none-any\.whl")
_SHA256 = re.compile(r"[0-9a-f]{64}")


@app.command()
def build(
    wheel: Annotated[Path | None, typer.Option(help="File of the pinned package. By default pip downloads it.")] = None,
    to: Destination = None,
) -> None:
    """Build the snapshot from the pinned package; replaces an existing one."""
    from timbra.snapshot import locate

    with _print_errors():
        _print_snapshot(_build(locate(to), wheel, None))


@app.command()
def verify(to: Destination = None) -> None:
    """Compare every file with the manifest; exit code 1 when a file differs."""
    from timbra.snapshot import locate, open_snapshot
    from timbra.snapshot import verify as find_differences

    with _print_errors():
        snapshot = open_snapshot(locate(to))
        differences = find_differences(snapshot)
        _print_snapshot(snapshot, len(differences))
    for difference in differences:
        typer.echo(f"{difference.kind}: {difference.name}", err=True)
    if differences:
        raise typer.Exit(1)


@app.command()
def update(
    source: Annotated[
        Path | None, typer.Argument(help="File of a newer package (requires --sha256), or folder of a snapshot.")
    ] = None,
    wheel: Annotated[Path | None, typer.Option(hidden=True, help="Old name of the argument.")] = None,
    sha256: Annotated[
        str | None, typer.Option(help="SHA-256 of the file, or of the folder's manifest.json: 64 hex digits.")
    ] = None,
    to: Destination = None,
) -> None:
    """Replace the snapshot by newer data.

    A file is built into a snapshot after its hash was checked. The files of a folder are compared with its manifest
    before they are copied. Without an argument the command downloads the package that this release pins.
    """
    from timbra.snapshot import locate

    if wheel is not None:
        typer.echo(translate("--wheel is deprecated: give the file as argument."), err=True)
    given = source or wheel
    with _print_errors():
        before = _version(locate(to))
        if given is not None and given.is_dir():
            snapshot = _copy(given, locate(to), sha256)
        else:
            snapshot = _build(locate(to), given, _source(given, sha256))
        _print_snapshot(snapshot)
    changed = f"{before or translate('none')} -> {snapshot.version}"
    typer.echo(translate("unchanged") if before == snapshot.version else changed)


@app.command()
def status(to: Destination = None) -> None:
    """Print the edition and the age of every catalog."""
    from timbra.core.clock import WallClock
    from timbra.snapshot import catalog_editions, locate, open_snapshot

    with _print_errors():
        snapshot = open_snapshot(locate(to))
        today = WallClock().now().date()
        rows = [
            (
                catalog.name,
                f"{catalog.keys:,}",
                catalog.edition.source if catalog.edition else "unknown",
                catalog.edition.published.isoformat() if catalog.edition else "unknown",
                f"{(today - catalog.edition.published).days} days" if catalog.edition else "unknown",
            )
            for catalog in catalog_editions(snapshot)
        ]
    print_rows(("Catalog", "Keys", "Source", "Edition", "Age"), rows)
    _print_snapshot(snapshot)


@app.command()
def check(
    files: Annotated[
        list[Path],
        typer.Argument(help="Workbooks (.xls, .xlsx) or CSV files that the SAT published."),
    ],
    standard: Annotated[str, typer.Option(help="Standard of the catalogs.")] = "cfdi40",
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object per file, each on a line.")] = False,
    to: Destination = None,
) -> None:
    """Compare catalogs or an error matrix of the SAT with the data and rules in force.

    Prints the rows that were added, ended and reworded. A CSV file has the name of its table, such as c_FormaPago.csv.
    """
    from timbra.operations.commands.data_check import SourceReport, check_file
    from timbra.snapshot import locate, open_snapshot

    reports: list[SourceReport] = []
    with _print_errors():
        snapshot = open_snapshot(locate(to))
        reports += [check_file(file, snapshot, standard) for file in files]
    for report in reports:
        if as_json:
            typer.echo(report.to_json())
        else:
            report.print()


def _copy(folder: Path, destination: Path, sha256: str | None) -> Snapshot:
    from timbra.snapshot import open_snapshot
    from timbra.snapshot.build.folder import copy_snapshot

    if sha256 is not None and not _SHA256.fullmatch(sha256.lower()):
        raise typer.BadParameter(translate("--sha256 has 64 hex digits"))
    return copy_snapshot(open_snapshot(folder), destination, sha256.lower() if sha256 else None)


def _source(wheel: Path | None, sha256: str | None) -> SnapshotSource | None:
    """Return the source that the options name; None for the pinned package."""
    from timbra.snapshot import SnapshotSource

    if wheel is None and sha256 is None:
        return None
    if wheel is None or sha256 is None or not _SHA256.fullmatch(sha256.lower()):
        raise typer.BadParameter(translate("FILE and --sha256 (64 hex digits) go together"))
    name = _WHEEL_NAME.fullmatch(wheel.name)
    if name is None:
        raise typer.BadParameter(translate("the file is not named like a wheel: PACKAGE-VERSION-py3-none-any.whl"))
    return SnapshotSource(name["package"], name["version"], sha256.lower())


def _build(destination: Path, wheel: Path | None, source: SnapshotSource | None) -> Snapshot:
    from timbra.snapshot.build import build as build_snapshot
    from timbra.snapshot.build.source import PINNED

    with progress_bar() as progress:
        return build_snapshot(destination, wheel, progress, source or PINNED)


@contextmanager
def _print_errors() -> Iterator[None]:
    """Print a ServiceError as one line on standard error, and exit with code 1."""
    try:
        yield
    except ServiceError as error:
        typer.echo(error.detail or error.code, err=True)
        raise typer.Exit(1) from error


def _version(path: Path) -> str | None:
    from timbra.snapshot import open_snapshot

    try:
        return open_snapshot(path).version
    except ServiceError:
        return None


def _print_snapshot(snapshot: Snapshot, differences: int = 0) -> None:
    from rich.console import Console
    from rich.table import Table

    manifest = snapshot.manifest
    table = Table(show_header=False)
    table.add_row(translate("version"), snapshot.version)
    table.add_row(translate("source"), f"{manifest.source.package} {manifest.source.version}")
    table.add_row(translate("files"), str(len(manifest.files)))
    table.add_row(translate("bytes"), f"{sum(entry.size for entry in manifest.files.values()):,}")
    table.add_row(translate("folder"), str(snapshot.root))
    state = translate("{count} differ").format(count=differences) if differences else translate("as built")
    table.add_row(translate("state"), state)
    Console().print(table)


COMMANDS = (Command("data", app, Panel.OPERATE, 70),)
