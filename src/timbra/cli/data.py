"""`timbra data`: the SAT data snapshot."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from timbra.errors import ServiceError
from timbra.snapshot import Snapshot, Source, locate, open_snapshot
from timbra.snapshot import verify as differences_of

app = typer.Typer(help="The SAT data snapshot: schemas, stylesheets and catalogs.", no_args_is_help=True)

Destination = Annotated[Path | None, typer.Option("--to", help="Folder of the snapshot, if not the installed one.")]
_WHEEL_NAME = re.compile(r"(?P<package>[a-z0-9_]+)-(?P<version>[0-9]+(\.[0-9]+)*)-py3-none-any\.whl")
_SHA256 = re.compile(r"[0-9a-f]{64}")


@app.command()
def build(
    wheel: Annotated[Path | None, typer.Option(help="The pinned package as a file; otherwise pip brings it.")] = None,
    to: Destination = None,
) -> None:
    """Make the snapshot from the pinned package, or replace it."""
    with _told():
        _show(_built(locate(to), wheel, None))


@app.command()
def verify(to: Destination = None) -> None:
    """Compare every file with the manifest; exit 1 when something differs."""
    with _told():
        snapshot = open_snapshot(locate(to))
        differences = differences_of(snapshot)
        _show(snapshot, len(differences))
    for difference in differences:
        typer.echo(f"{difference.kind}: {difference.name}", err=True)
    if differences:
        raise typer.Exit(1)


@app.command()
def update(
    wheel: Annotated[Path | None, typer.Option(help="A newer package as a file; needs --sha256.")] = None,
    sha256: Annotated[str | None, typer.Option(help="SHA-256 of that file, 64 hex digits.")] = None,
    to: Destination = None,
) -> None:
    """Refresh the snapshot.

    Without options the package that this release pins is fetched again and the snapshot is made anew. Newer data than
    the release knows comes from a file that you name together with its hash: nothing unpinned is ever fetched.
    """
    with _told():
        source = _source(wheel, sha256)
        before = _version(locate(to))
        snapshot = _built(locate(to), wheel, source)
        _show(snapshot)
    typer.echo("unchanged" if before == snapshot.version else f"{before or 'none'} -> {snapshot.version}")


def _source(wheel: Path | None, sha256: str | None) -> Source | None:
    """The source that the user vouches for, None for the pinned one."""
    if wheel is None and sha256 is None:
        return None
    if wheel is None or sha256 is None or not _SHA256.fullmatch(sha256.lower()):
        raise typer.BadParameter("--wheel FILE and --sha256 (64 hex digits) go together")
    name = _WHEEL_NAME.fullmatch(wheel.name)
    if name is None:
        raise typer.BadParameter("the file is not named like a wheel: PACKAGE-VERSION-py3-none-any.whl")
    return Source(name["package"], name["version"], sha256.lower())


def _built(destination: Path, wheel: Path | None, source: Source | None) -> Snapshot:
    try:
        from timbra.snapshot.build import build as build_snapshot
        from timbra.snapshot.build.source import PINNED
    except ModuleNotFoundError as error:
        raise ServiceError("snapshot-source", f"Falta el módulo {error.name}; instale timbra[data].") from error
    with _progress() as progress:
        return build_snapshot(destination, wheel, progress, source or PINNED)


@contextmanager
def _progress() -> Iterator[Callable[[str, int, int], None]]:
    # Of use to few commands, and slow to import for all.
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("")
        yield lambda step, done, total: bar.update(task, description=step, completed=done, total=total)


@contextmanager
def _told() -> Iterator[None]:
    """A refusal as one line on the error stream and exit code 1."""
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


def _show(snapshot: Snapshot, differing: int = 0) -> None:
    manifest = snapshot.manifest
    table = Table(show_header=False)
    table.add_row("version", snapshot.version)
    table.add_row("source", f"{manifest.source.package} {manifest.source.version}")
    table.add_row("files", str(len(manifest.files)))
    table.add_row("bytes", f"{sum(entry.size for entry in manifest.files.values()):,}")
    table.add_row("folder", str(snapshot.root))
    table.add_row("state", f"{differing} differ" if differing else "as built")
    Console().print(table)
