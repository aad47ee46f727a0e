"""Services for commands that only print documents: without a data folder they use a temporary one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated

import typer

from timbra.cli.framework.data_folder import has_data, is_named
from timbra.cli.framework.services_option import command_settings, open_command_container, open_services
from timbra.service.services import SandboxServices, StampingServices

if TYPE_CHECKING:
    from timbra.settings import Settings

EphemeralDataOption = Annotated[
    Path | None,
    typer.Option(
        "--data",
        help="Folder whose sandbox seals it, so that `timbra validate` with the same folder has its certificate. By "
        "default TIMBRA_DATA, or the user's data folder; a temporary one when neither exists.",
    ),
]


@contextmanager
def ephemeral_data(data: Path | None) -> Iterator[Path | None]:
    """Choose the data folder of a command that works without one.

    The folder is the first of these that applies: the value of `--data`; the folder that TIMBRA_DATA names; the default
    folder when it has a database; a temporary folder with an empty database, removed after the command.

    Args:
        data: Value of `--data`.

    Yields:
        The value of `--data` for `open_services`.
    """
    if not _is_absent(command_settings(data)):
        yield data
        return
    with TemporaryDirectory(prefix="timbra-") as folder:
        with open_command_container(Path(folder), may_create=True):
            pass
        yield Path(folder)


@contextmanager
def open_ephemeral_services(data: Path | None) -> Iterator[tuple[SandboxServices, StampingServices]]:
    """Open the services that seal example documents, over the folder of `ephemeral_data`.

    Args:
        data: Value of `--data`.

    Yields:
        The services of the sandbox and those of stamping.

    Raises:
        typer.Exit: As `open_services`.
    """
    with (
        ephemeral_data(data) as folder,
        open_services(folder, SandboxServices, StampingServices) as services,
    ):
        yield services


def _is_absent(settings: Settings) -> bool:
    """Whether no folder is named, and the default folder has no data."""
    if is_named(settings) or settings.database_url:
        return False
    try:
        return not has_data(settings)
    except OSError:  # `require_data` reports the folder
        return False
