"""Services for commands that only print documents: without a data folder they use a temporary one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer

from timbra.cli.framework.services_option import command_settings, open_services
from timbra.service.services import SandboxServices, StampingServices

EphemeralDataOption = Annotated[
    Path | None,
    typer.Option(
        "--data",
        help="Folder whose sandbox seals it, so that `timbra validate` over the same folder knows its certificate; "
        "TIMBRA_DATA if not given, a temporary one without either.",
    ),
]


@contextmanager
def open_ephemeral_services(data: Path | None) -> Iterator[tuple[SandboxServices, StampingServices]]:
    """Open the services that seal example documents.

    The data folder is the first of these that applies: the value of `--data`; the folder that the settings name, when
    they name one or the default folder exists; a temporary folder, removed after the command.

    Args:
        data: Value of `--data`.

    Yields:
        The services of the sandbox and those of stamping.

    Raises:
        typer.Exit: As `open_services`.
    """
    settings = command_settings(data)
    if "data" in settings.model_fields_set or settings.data.is_dir():
        with open_services(data, SandboxServices, StampingServices) as services:
            yield services
    else:
        with (
            TemporaryDirectory(prefix="timbra-") as folder,
            open_services(Path(folder), SandboxServices, StampingServices) as services,
        ):
            yield services
