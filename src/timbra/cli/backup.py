"""`timbra backup` and `timbra restore`: the data folder in one archive, and back."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from timbra.cli.opened import Data, opened, refusal_line

if TYPE_CHECKING:
    from timbra.service.backup import Manifest
    from timbra.wiring import House

KEY_MISSING = "The master key is not inside. Without it no stored key and no token is of use: keep it elsewhere."
KEY_NEEDED = "Put the master key where the settings say before the server starts: %s"
NO_DATABASE = "The database is PostgreSQL and is not inside. Back it up with: pg_dump --format=custom --file=FILE %s"
RESTORE_DATABASE = "The database was PostgreSQL and is not inside. Restore it with: pg_restore --dbname=DATABASE FILE"


def backup(
    file: Annotated[Path, typer.Argument(help="The archive to write; must not exist.")],
    include_master_key: Annotated[
        bool, typer.Option("--include-master-key", help="The archive then opens every secret: guard it as one.")
    ] = False,
    data: Data = None,
) -> None:
    """Write the data folder to one compressed archive while the server runs; prints how many files and bytes.

    With PostgreSQL the database is not inside: that is pg_dump's work.
    """
    from timbra.service.backup import MASTER_KEY, make_backup

    with opened(data) as house:
        key = _master_key_file(house) if include_master_key else None
        manifest = make_backup(house.data, house.database, file.absolute(), key, house.wall.now())
        _show(manifest)
        if MASTER_KEY not in manifest.files:
            typer.echo(KEY_MISSING, err=True)
        if manifest.database != "sqlite":
            typer.echo(NO_DATABASE % house.database.engine.url.database, err=True)


def restore(
    file: Annotated[Path, typer.Argument(help="An archive of `timbra backup`.")],
    force: Annotated[
        bool, typer.Option("--force", help="Also into a folder that is not empty: what it holds is put aside in it.")
    ] = False,
    data: Data = None,
) -> None:
    """Make a data folder of an archive: hashes are compared, then migrations run; prints how many files and bytes."""
    from timbra.clock import WallClock
    from timbra.errors import ServiceError
    from timbra.service.backup import MASTER_KEY
    from timbra.service.restoring import restore as bring_back
    from timbra.settings import load_settings

    settings = load_settings() if data is None else load_settings(data=data)
    try:
        manifest = bring_back(file, settings.data, settings.environment, WallClock().now(), force=force)
    except ServiceError as error:
        typer.echo(refusal_line(error), err=True)
        raise typer.Exit(1) from error
    _show(manifest)
    if MASTER_KEY not in manifest.files:
        typer.echo(KEY_NEEDED % (settings.master_key_file or settings.data / MASTER_KEY), err=True)
    if manifest.database != "sqlite":
        typer.echo(RESTORE_DATABASE, err=True)


def _master_key_file(house: House) -> Path:
    settings = house.settings
    if settings.master_key or settings.pkcs11_module is not None:
        raise typer.BadParameter("the master key is not in a file: it cannot be included")
    from timbra.service.backup import MASTER_KEY

    _ = house.envelope  # made at first use
    return settings.master_key_file or house.data / MASTER_KEY


def _show(manifest: Manifest) -> None:
    typer.echo(f"{len(manifest.files)}\t{sum(entry.size for entry in manifest.files.values())}")
