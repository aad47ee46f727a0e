"""`timbra backup` and `timbra restore`: copy the data folder to one archive, and back."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from timbra.app.command_container import open_command_container
from timbra.backup.command_checks import print_report, record_drill, restored_services, verification
from timbra.console.command import Command, Panel
from timbra.console.language import translate
from timbra.console.services_option import (
    DataOption,
    command_settings,
    rejection_line,
)

if TYPE_CHECKING:
    from timbra.backup.backup import BackupManifest
    from timbra.backup.protection import OpeningKeys, Provenance
    from timbra.container import Container
    from timbra.settings import Settings


DEFAULT = "create"


class DefaultCommandGroup(TyperGroup):
    """Runs the command `create` when the first argument names no command of the group."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Insert the name of the default command where none is given."""
        if args and args[0] not in self.commands and args[0] not in ctx.help_option_names:
            args = [DEFAULT, *args]
        return super().parse_args(ctx, args)


app = typer.Typer(
    cls=DefaultCommandGroup,
    help="Backups of the data folder. `timbra backup FILE` is `timbra backup create FILE`.",
    no_args_is_help=True,
)

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
RESTORED_LISTS = "The lists of the archive are in {source}; the settings name {target}: move them there."
UNPROTECTED = "The archive is not encrypted and not signed. Create keys with: timbra backup keys FOLDER"
NOT_VERIFIED = "The signature was not verified: give the public key with --public-key."
IDENTITY_NEEDED = "an encrypted archive is verified with its private key"
DRILL_ELSEWHERE = "the archive does not contain the PostgreSQL database: run timbra backup drill with --database-url"
KEYS_MADE = (
    "Keep {identity} away from the server: it decrypts the backups. Set TIMBRA_BACKUP_RECIPIENTS={recipient} and "
    "TIMBRA_BACKUP_SIGNING_KEY_FILE={signing_key}"
)

Archive = Annotated[Path, typer.Argument(help="Archive of `timbra backup`.")]
Identity = Annotated[Path | None, typer.Option("--identity", help="File of the private key that decrypts the archive.")]
PublicKey = Annotated[
    Path | None, typer.Option("--public-key", help="File of the public key that must have signed the archive.")
]


@app.command()
def create(
    file: Annotated[Path, typer.Argument(help="Archive to write; it must not exist.")],
    include_master_key: Annotated[
        bool,
        typer.Option("--include-master-key", help="Include the master key; the archive then decrypts every secret."),
    ] = False,
    recipient: Annotated[
        list[str] | None,
        typer.Option(help="Public key (age1...) to which the archive is encrypted; may be given several times."),
    ] = None,
    signing_key: Annotated[
        Path | None, typer.Option(help="File of the private key that signs; the signature is FILE.minisig.")
    ] = None,
    replace: Annotated[
        bool,
        typer.Option("--replace", help="Replace a former archive of that name once the new one is verified."),
    ] = False,
    with_drill: Annotated[
        bool, typer.Option("--drill", help="Restore the new archive as `timbra backup drill` does, before it is kept.")
    ] = False,
    identity: Identity = None,
    public_key: PublicKey = None,
    data: DataOption = None,
) -> None:
    """Write the data folder to one compressed archive while the server runs; prints the number of files and bytes.

    The copied database is checked; a damaged one makes no archive. The archive does not contain a PostgreSQL database:
    use pg_dump.
    """
    from timbra.backup.backup import MASTER_KEY, make_backup
    from timbra.backup.protection import CreationKeys
    from timbra.container.build import data_folder
    from timbra.database.build import opened_database
    from timbra.events.build import audit_recorder

    with open_command_container(data) as container:
        key = _master_key_file(container) if include_master_key else None
        settings = container.settings
        keys = CreationKeys(recipient or [settings.backup_recipients], signing_key or settings.backup_signing_key_file)
        opening = _opening_keys(settings, identity, public_key)
        if (replace or with_drill) and any(keys.recipients) and opening.identity is None:
            raise typer.BadParameter(translate(IDENTITY_NEEDED), param_hint="--identity")
        if with_drill and container.get(opened_database).dialect != "sqlite":
            raise typer.BadParameter(translate(DRILL_ELSEWHERE), param_hint="--drill")
        manifest = make_backup(
            container.get(data_folder),
            container.get(opened_database),
            file.absolute(),
            key,
            container.wall.now(),
            keys,
            _external_lists(settings, container.get(data_folder)),
            verify=verification(container, file.name, opening, with_drill) if replace or with_drill else None,
            replace=replace,
        )
        container.get(audit_recorder).record("backup.made", None, file.name)
        _print_totals(manifest)
        if MASTER_KEY not in manifest.files:
            typer.echo(translate(KEY_MISSING), err=True)
        if manifest.database != "sqlite":
            typer.echo(
                translate(NO_DATABASE).format(database=container.get(opened_database).engine.url.database), err=True
            )
        if settings.environment == "production" and not any(keys.recipients) and keys.signing_key is None:
            typer.echo(translate(UNPROTECTED), err=True)


@app.command()
def keys(folder: Annotated[Path, typer.Argument(help="Folder that gets the key files.")]) -> None:
    """Create the keys with which backups are encrypted and signed; prints the public key of the encryption."""
    from timbra.backup.protection import IDENTITY_FILE, SIGNING_KEY_FILE, create_keys

    with _errors_printed():
        recipient = create_keys(folder)
    typer.echo(recipient)
    values = {"identity": folder / IDENTITY_FILE, "recipient": recipient, "signing_key": folder / SIGNING_KEY_FILE}
    typer.echo(translate(KEYS_MADE).format(**values), err=True)


@app.command()
def verify(
    file: Archive,
    folder: Annotated[
        Path | None, typer.Option(help="Where the database is unpacked to be checked. By default the system's.")
    ] = None,
    identity: Identity = None,
    public_key: PublicKey = None,
) -> None:
    """Verify signature, hash of every file and database without restoring; prints the number of files and bytes."""
    from timbra.backup.reading import verify_archive

    with _errors_printed():
        read = verify_archive(file, _opening_keys(command_settings(None), identity, public_key), folder)
    _print_totals(read.manifest)
    _warn_of(read.provenance)


def restore(
    file: Archive,
    force: Annotated[
        bool,
        typer.Option("--force", help="Restore into a folder that is not empty; its files are moved to a subfolder."),
    ] = False,
    identity: Identity = None,
    public_key: PublicKey = None,
    data: DataOption = None,
) -> None:
    """Restore a data folder: verifies hashes, then runs migrations; prints the number of files and bytes."""
    from timbra.backup.backup import LISTS, MASTER_KEY
    from timbra.backup.restore import restore as restore_archive
    from timbra.core.clock import WallClock

    settings = command_settings(data)
    keys = _opening_keys(settings, identity, public_key)
    with _errors_printed():
        read = restore_archive(file, settings.data, settings.environment, WallClock().now(), force=force, keys=keys)
    manifest = read.manifest
    _print_totals(manifest)
    if MASTER_KEY not in manifest.files:
        file_of_key = settings.master_key_file or settings.data / MASTER_KEY
        typer.echo(translate(KEY_NEEDED).format(file=file_of_key), err=True)
    if manifest.database != "sqlite":
        typer.echo(translate(RESTORE_DATABASE), err=True)
    if settings.lists_folder is not None and any(name.startswith(f"{LISTS}/") for name in manifest.files):
        places = {"source": settings.data / LISTS, "target": settings.lists_folder}
        typer.echo(translate(RESTORED_LISTS).format(**places), err=True)
    _warn_of(read.provenance)


app.command("restore")(restore)


@app.command()
def drill(
    file: Archive,
    report: Annotated[Path | None, typer.Option(help="File that gets the report as JSON.")] = None,
    folder: Annotated[
        Path | None, typer.Option(help="Where the temporary folder is made. By default the system's.")
    ] = None,
    database_url: Annotated[
        str, typer.Option(help="PostgreSQL database that was restored before and that no server uses.")
    ] = "",
    record: Annotated[
        bool,
        typer.Option("--record", help="Record the result in the server's database for the report restore-tests."),
    ] = False,
    identity: Identity = None,
    public_key: PublicKey = None,
) -> None:
    """Restore a backup into a temporary folder, check everything that it contains, and report.

    Reads every stamp back, compares its folio and its seal, and decrypts every private key. The exit code is 1 when
    the report has problems.
    """
    from timbra.backup.restore_drill import drill as run_drill
    from timbra.core.clock import WallClock

    settings = command_settings(None)
    with _errors_printed():
        result = run_drill(
            file,
            settings.environment,
            WallClock().now(),
            lambda data: restored_services(settings, data, database_url),
            keys=_opening_keys(settings, identity, public_key),
            has_external_key=bool(settings.master_key or settings.master_key_file or settings.pkcs11_module),
            has_external_database=bool(database_url),
            folder=folder,
        )
        if report is not None:
            report.write_bytes(result.to_json())
    if record:
        record_drill(result)
    print_report(result)
    if result.problems:
        raise typer.Exit(1)


def _external_lists(settings: Settings, data: Path) -> Path | None:
    """Return the folder of the lists when it is not in the data folder, and exists."""
    folder = settings.lists_folder
    if folder is None or not folder.is_dir() or folder.resolve().is_relative_to(data.resolve()):
        return None
    return folder


@contextmanager
def _errors_printed() -> Iterator[None]:
    from timbra.core.errors import ServiceError

    try:
        yield
    except ServiceError as error:
        typer.echo(rejection_line(error), err=True)
        raise typer.Exit(1) from error


def _opening_keys(settings: Settings, identity: Path | None, public_key: Path | None) -> OpeningKeys:
    from timbra.backup.protection import OpeningKeys

    return OpeningKeys(identity or settings.backup_identity_file, public_key or settings.backup_public_key_file)


def _master_key_file(container: Container) -> Path:
    settings = container.settings
    if settings.master_key or settings.pkcs11_module is not None:
        raise typer.BadParameter(translate("the master key is not in a file: it cannot be included"))
    from timbra.accounts.build import envelope_encryption
    from timbra.backup.backup import MASTER_KEY
    from timbra.container.build import data_folder

    container.get(envelope_encryption)  # creates the key file at first use
    return settings.master_key_file or container.get(data_folder) / MASTER_KEY


def _print_totals(manifest: BackupManifest) -> None:
    typer.echo(f"{len(manifest.files)}\t{sum(entry.size for entry in manifest.files.values())}")


def _warn_of(provenance: Provenance) -> None:
    if provenance.encrypted and not provenance.signed_by:
        typer.echo(translate(NOT_VERIFIED), err=True)


COMMANDS = (Command("backup", app, Panel.OPERATE, 160), Command("restore", restore, Panel.OPERATE, 170))
