"""`timbra data`: the snapshot of SAT data."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from timbra.cli.framework.progress import progress_bar
from timbra.errors import ServiceError
from timbra.snapshot import Snapshot, SnapshotSource, locate, open_snapshot
from timbra.snapshot import verify as find_differences

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
    with _print_errors():
        _print_snapshot(_build(locate(to), wheel, None))


@app.command()
def verify(to: Destination = None) -> None:
    """Compare every file with the manifest; exit code 1 when a file differs."""
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
    wheel: Annotated[Path | None, typer.Option(help="File of a newer package; requires --sha256.")] = None,
    sha256: Annotated[str | None, typer.Option(help="SHA-256 of the file, 64 hex digits.")] = None,
    to: Destination = None,
) -> None:
    """Update the snapshot.

    Without options the command downloads the package that this release pins, and rebuilds the snapshot. Newer data
    come from a file that you give together with its hash: the command downloads pinned packages only.
    """
    with _print_errors():
        source = _source(wheel, sha256)
        before = _version(locate(to))
        snapshot = _build(locate(to), wheel, source)
        _print_snapshot(snapshot)
    typer.echo("unchanged" if before == snapshot.version else f"{before or 'none'} -> {snapshot.version}")


def _source(wheel: Path | None, sha256: str | None) -> SnapshotSource | None:
    """Return the source that the options name; None for the pinned package."""
    if wheel is None and sha256 is None:
        return None
    if wheel is None or sha256 is None or not _SHA256.fullmatch(sha256.lower()):
        raise typer.BadParameter("--wheel FILE and --sha256 (64 hex digits) go together")
    name = _WHEEL_NAME.fullmatch(wheel.name)
    if name is None:
        raise typer.BadParameter("the file is not named like a wheel: PACKAGE-VERSION-py3-none-any.whl")
    return SnapshotSource(name["package"], name["version"], sha256.lower())


def _build(destination: Path, wheel: Path | None, source: SnapshotSource | None) -> Snapshot:
    try:
        from timbra.snapshot.build import build as build_snapshot
        from timbra.snapshot.build.source import PINNED
    except ModuleNotFoundError as error:
        raise ServiceError("snapshot-source", f"Falta el módulo {error.name}; instale timbra[data].") from error
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
    try:
        return open_snapshot(path).version
    except ServiceError:
        return None


def _print_snapshot(snapshot: Snapshot, differences: int = 0) -> None:
    manifest = snapshot.manifest
    table = Table(show_header=False)
    table.add_row("version", snapshot.version)
    table.add_row("source", f"{manifest.source.package} {manifest.source.version}")
    table.add_row("files", str(len(manifest.files)))
    table.add_row("bytes", f"{sum(entry.size for entry in manifest.files.values()):,}")
    table.add_row("folder", str(snapshot.root))
    table.add_row("state", f"{differences} differ" if differences else "as built")
    Console().print(table)
