"""The data folder of a command: `serve`, `demo`, `account create` and `restore` create it, all others require it."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import typer

from timbra.console.language import translate

if TYPE_CHECKING:
    from timbra.settings import Settings

DATABASE = "timbra.db"


OTHERS = 0o077
"""Rights of other users of the system."""


def is_named(settings: Settings) -> bool:
    """Whether `--data` or TIMBRA_DATA names the data folder; otherwise it is the default folder."""
    return "data" in settings.model_fields_set


def has_data(settings: Settings) -> bool:
    """Whether the data folder has what commands read.

    It needs the SQLite database. With TIMBRA_DATABASE_URL the folder must exist for the master key only, unless the
    settings name another place for the key.

    Raises:
        OSError: The folder cannot be read.
    """
    if not settings.database_url:
        return (settings.data / DATABASE).is_file()
    key_is_elsewhere = settings.master_key or settings.master_key_file or settings.pkcs11_module
    return bool(key_is_elsewhere) or settings.data.is_dir()


def require_data(settings: Settings, data: Path | None) -> None:
    """End the command when the data folder does not exist or has no database.

    Args:
        settings: The settings of the command.
        data: Value of `--data`.

    Raises:
        typer.Exit: With code 1, after one line on standard error: the folder, how it was chosen, and the cure.
    """
    folder = settings.data
    try:
        if has_data(settings):
            return
        if not folder.exists():
            problem = translate("The data folder {folder} does not exist ({choice}).")
        elif folder.is_dir():
            problem = translate("The data folder {folder} has no database ({choice}).")
        else:
            problem = translate("The data folder {folder} is a file ({choice}).")
    except OSError as error:
        _fail(translate("The data folder {folder} cannot be read: {reason}."), folder=folder, reason=error.strerror)
    option = "" if data is None else f" --data {data if not data.exists() or data.is_dir() else 'FOLDER'}"
    if settings.environment == "sandbox":
        cure = translate(
            "Create one with `timbra account create USER{option}` or `timbra dev{option}`, or give the folder of an "
            "existing server with --data."
        )
    else:
        cure = translate(
            "Run `timbra account create USER --administrator{option}` first, then `timbra lists fetch{option}` and "
            "`timbra provider check --online{option}`, or give the folder of an existing server with --data."
        )
    _fail(f"{problem} {cure}", folder=folder, choice=_choice(settings, data), option=option)


def keep_files_private(folder: Path) -> None:
    """Let only the owner read the files of a data folder: those that exist, and those that this process will make."""
    os.umask(OTHERS)
    for path in folder.rglob("*"):
        mode = path.lstat().st_mode
        if stat.S_ISREG(mode) and mode & OTHERS:
            path.chmod(stat.S_IMODE(mode) & ~OTHERS)


def create_data_folder(settings: Settings) -> None:
    """Create the data folder, with access for its owner only, for a command that may.

    Raises:
        typer.Exit: With code 1, after one line on standard error, when it cannot be created or written.
    """
    folder = settings.data
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        _fail(translate("The data folder {folder} cannot be created: {reason}."), folder=folder, reason=error.strerror)
    if not os.access(folder, os.W_OK | os.X_OK):
        _fail(translate("The data folder {folder} is read-only."), folder=folder)


def _choice(settings: Settings, data: Path | None) -> str:
    if data is not None:
        return translate("chosen by --data")
    return translate("chosen by TIMBRA_DATA") if is_named(settings) else translate("the default folder")


def _fail(text: str, **values: object) -> NoReturn:
    typer.echo(text.format(**values), err=True)
    raise typer.Exit(1)
