"""The container of a data folder for the run of a command."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from timbra.console.data_folder import create_data_folder, require_data
from timbra.console.services_option import command_settings, rejection_line
from timbra.core.errors import ServiceError

if TYPE_CHECKING:
    from timbra.container import Container


@contextmanager
def open_command_container(
    data: Path | None, *, may_create: bool = False, opens_database: bool = True
) -> Iterator[Container]:
    """Open the whole container, for commands that manage the server or its data folder; see `open_services`.

    Args:
        opens_database: Whether the command cannot run without the database.
    """
    from timbra.app.composition import open_container
    from timbra.core.origin import operator_origin, set_origin
    from timbra.database.build import opened_database

    settings = command_settings(data)
    if may_create:
        create_data_folder(settings)
    else:
        require_data(settings, data)
    try:
        with open_container(settings) as container:
            if opens_database:
                container.get(opened_database).poll()
            set_origin(operator_origin)
            yield container
    except ServiceError as error:
        typer.echo(rejection_line(error), err=True)
        raise typer.Exit(1) from error
