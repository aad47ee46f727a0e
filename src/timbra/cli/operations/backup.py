"""`timbra backup` and `timbra restore`: copy the data folder to one archive, and back."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from timbra.cli.framework.language import translate
from timbra.cli.framework.services_option import DataOption, command_settings, open_command_container, rejection_line

if TYPE_CHECKING:
    from timbra.bootstrap import Container
    from timbra.service.operations.backup import BackupManifest

KEY_MISSING = (
    "The archive does not contain the master key. Without it stored keys and tokens cannot be decrypted: "
    "keep the master key elsewhere."
)
KEY_NEEDED = "Before the server starts, put the master key where the settings name it: {file}"
NO_DATABASE = (
    "The archive does not contain the PostgreSQL database. Back it up with: pg_dump --format=custom --file=FILE "
    "{database}"
)
RESTORE_DATABASE = (
    "The archive does not contain the PostgreSQL database. Restore it with: pg_restore --dbname=DATABASE FILE"
)


def backup(
    file: Annotated[Path, typer.Argument(help="Archive to write; it must not exist.")],
    include_master_key: Annotated[
        bool,
        typer.Option("--include-master-key", help="Include the master key; the archive then decrypts every secret."),
    ] = False,
    data: DataOption = None,
) -> None:
    """Write the data folder to one compressed archive while the server runs; prints the number of files and bytes.

    The archive does not contain a PostgreSQL database: use pg_dump.
    """
    from timbra.service.operations.backup import MASTER_KEY, make_backup

    with open_command_container(data) as container:
        key = _master_key_file(container) if include_master_key else None
        manifest = make_backup(container.data, container.database, file.absolute(), key, container.wall.now())
        container.audit_services.record("backup.made", None, file.name)
        _print_totals(manifest)
        if MASTER_KEY not in manifest.files:
            typer.echo(translate(KEY_MISSING), err=True)
        if manifest.database != "sqlite":
            typer.echo(translate(NO_DATABASE).format(database=container.database.engine.url.database), err=True)


def restore(
    file: Annotated[Path, typer.Argument(help="Archive of `timbra backup`.")],
    force: Annotated[
        bool,
        typer.Option("--force", help="Restore into a folder that is not empty; its files are moved to a subfolder."),
    ] = False,
    data: DataOption = None,
) -> None:
    """Restore a data folder: verifies hashes, then runs migrations; prints the number of files and bytes."""
    from timbra.clock import WallClock
    from timbra.errors import ServiceError
    from timbra.service.operations.backup import MASTER_KEY
    from timbra.service.operations.restore import restore as restore_archive

    settings = command_settings(data)
    try:
        manifest = restore_archive(file, settings.data, settings.environment, WallClock().now(), force=force)
    except ServiceError as error:
        typer.echo(rejection_line(error), err=True)
        raise typer.Exit(1) from error
    _print_totals(manifest)
    if MASTER_KEY not in manifest.files:
        file_of_key = settings.master_key_file or settings.data / MASTER_KEY
        typer.echo(translate(KEY_NEEDED).format(file=file_of_key), err=True)
    if manifest.database != "sqlite":
        typer.echo(translate(RESTORE_DATABASE), err=True)


def _master_key_file(container: Container) -> Path:
    settings = container.settings
    if settings.master_key or settings.pkcs11_module is not None:
        raise typer.BadParameter(translate("the master key is not in a file: it cannot be included"))
    from timbra.service.operations.backup import MASTER_KEY

    _ = container.envelope  # creates the key file at first use
    return settings.master_key_file or container.data / MASTER_KEY


def _print_totals(manifest: BackupManifest) -> None:
    typer.echo(f"{len(manifest.files)}\t{sum(entry.size for entry in manifest.files.values())}")
