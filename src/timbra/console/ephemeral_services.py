"""Services for commands that only print or validate documents: without a data folder they share an example sandbox."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from timbra.console.data_folder import has_data, is_named
from timbra.console.services_option import command_settings, open_server
from timbra.core.data_folder import application_cache_folder

if TYPE_CHECKING:
    from timbra.settings import Settings

EphemeralDataOption = Annotated[
    Path | None,
    typer.Option(
        "--data",
        help="Folder whose sandbox seals it, so that `timbra validate` with the same folder has its certificate. By "
        "default TIMBRA_DATA, or the user's data folder; the example sandbox in the cache folder when neither exists.",
    ),
]


@contextmanager
def ephemeral_data(data: Path | None, *, may_create: bool = False) -> Iterator[Path | None]:
    """Choose the data folder of a command that works without one.

    The folder is the first of these that applies: the value of `--data`; the folder that TIMBRA_DATA names; the default
    folder when it has a database; the example sandbox in the user's cache folder, which such commands share, so that
    `timbra validate` knows the certificates of `timbra explain --example`; a temporary folder in another environment,
    or when there is no cache folder.

    Args:
        data: Value of `--data`.
        may_create: Whether the command creates a named folder that does not exist.

    Yields:
        The value of `--data` for `open_services`.
    """
    settings = command_settings(data)
    if not _is_absent(settings):
        if may_create and not settings.database_url and not settings.data.exists():
            _create_sandbox(settings.data)
        yield data
        return
    with ExitStack() as stack:
        shared = _example_sandbox() if settings.environment == "sandbox" else None
        yield shared or _temporary_folder(stack)


def _example_sandbox() -> Path | None:
    """Return the example sandbox of this version, created at first use; None when it cannot be created."""
    try:
        from importlib.metadata import version

        folder = application_cache_folder(os.environ, sys.platform, Path.home()) / f"examples-{version('timbra')}"
        if not folder.is_dir():
            _create_sandbox(folder)
    except (OSError, RuntimeError):  # no home folder, or one that cannot be written
        return None
    return folder


def _create_sandbox(folder: Path) -> None:
    """Create a data folder. Of several processes that create it at the same time, one succeeds and all use it."""
    folder.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    from tempfile import TemporaryDirectory

    with TemporaryDirectory(prefix=f".{folder.name}-", dir=folder.parent) as temporary:
        made = Path(temporary) / folder.name
        with open_server(made, may_create=True):
            pass
        try:
            made.rename(folder)
        except OSError:
            if not folder.is_dir():
                raise


def _temporary_folder(stack: ExitStack) -> Path:
    from tempfile import TemporaryDirectory

    folder = Path(stack.enter_context(TemporaryDirectory(prefix="timbra-")))
    with open_server(folder, may_create=True):
        pass
    return folder


def _is_absent(settings: Settings) -> bool:
    """Whether no folder is named, and the default folder has no data."""
    if is_named(settings) or settings.database_url:
        return False
    try:
        return not has_data(settings)
    except OSError:  # `require_data` reports the folder
        return False
