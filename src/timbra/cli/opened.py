"""What every command on a data folder shares: the house, opened and closed again, and refusals told in one line."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from timbra.errors import ServiceError
    from timbra.wiring import House

Data = Annotated[Path | None, typer.Option("--data", help="Folder of all embedded state; TIMBRA_DATA if not given.")]


@contextmanager
def opened(data: Path | None) -> Iterator[House]:
    """The house of a data folder; a refusal becomes one line on the error stream and exit code 1."""
    from timbra.errors import ServiceError
    from timbra.settings import load_settings
    from timbra.wiring import open_house

    try:
        with open_house(load_settings() if data is None else load_settings(data=data)) as house:
            house.poll()
            yield house
    except ServiceError as error:
        typer.echo(refusal_line(error), err=True)
        raise typer.Exit(1) from error


def refusal_line(error: ServiceError) -> str:
    """A refusal as the shell shows it."""
    from timbra.messages import MESSAGES, full_message

    own = MESSAGES.get(error.code) if error.code.islower() else None
    message = own or full_message(error.code)
    return f"{message} {error.detail}" if error.detail else message
