"""Services of the commands that print example documents."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from timbra.console.ephemeral_services import ephemeral_data
from timbra.console.services_option import open_services
from timbra.sandbox.services import SandboxServices
from timbra.stamping.services import StampingServices
from timbra.validation.services import ValidationServices


@contextmanager
def open_ephemeral_services(
    data: Path | None,
) -> Iterator[tuple[SandboxServices, StampingServices, ValidationServices]]:
    """Open the services that seal example documents, over the folder of `ephemeral_data`.

    Args:
        data: Value of `--data`.

    Yields:
        The services of the sandbox, those of stamping, and those of validation.

    Raises:
        typer.Exit: As `open_services`.
    """
    with (
        ephemeral_data(data, may_create=True) as folder,
        open_services(folder, SandboxServices, StampingServices, ValidationServices) as services,
    ):
        yield services
