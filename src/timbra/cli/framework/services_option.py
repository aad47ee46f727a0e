"""Services for commands: the option `--data`, and the groups of services of that folder for the run of a command."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar, overload

import typer

if TYPE_CHECKING:
    from timbra.bootstrap import Container
    from timbra.errors import ServiceError
    from timbra.settings import Settings

DataOption = Annotated[
    Path | None, typer.Option("--data", help="Folder of all embedded state; TIMBRA_DATA if not given.")
]

First = TypeVar("First")
Second = TypeVar("Second")
Third = TypeVar("Third")


@overload
def open_services(data: Path | None, group: type[First], /) -> AbstractContextManager[First]: ...
@overload
def open_services(
    data: Path | None, first: type[First], second: type[Second], /
) -> AbstractContextManager[tuple[First, Second]]: ...
@overload
def open_services(
    data: Path | None, first: type[First], second: type[Second], third: type[Third], /
) -> AbstractContextManager[tuple[First, Second, Third]]: ...
@contextmanager
def open_services(data: Path | None, /, *groups: type[Any]) -> Iterator[Any]:
    """Open the groups of services that a command uses, and close them after the command.

    Args:
        data: Value of `--data`; None for the folder that the settings name.
        groups: One to three classes of `timbra.service.services`.

    Yields:
        The group for one class, a tuple of groups for several.

    Raises:
        typer.Exit: With code 1, after a ServiceError was printed as one line on standard error. A group that the
            environment does not have is such an error (`CO1000`).
    """
    with open_command_container(data) as container:
        services = tuple(container.groups[group]() for group in groups)
        yield services if len(services) > 1 else services[0]


@contextmanager
def open_command_container(data: Path | None) -> Iterator[Container]:
    """Open the whole container, for commands that manage the server or its data folder; see `open_services`."""
    from timbra.bootstrap import open_container
    from timbra.errors import ServiceError

    try:
        with open_container(command_settings(data)) as container:
            container.poll()
            yield container
    except ServiceError as error:
        typer.echo(rejection_line(error), err=True)
        raise typer.Exit(1) from error


def command_settings(data: Path | None) -> Settings:
    """Load the settings; `--data` has precedence over the data folder that they name."""
    from timbra.settings import load_settings

    return load_settings() if data is None else load_settings(data=data)


def rejection_line(error: ServiceError) -> str:
    """Format an error as one line: the message of its code, then its detail."""
    from timbra.messages import MESSAGES, full_message

    own = MESSAGES.get(error.code) if error.code.islower() else None
    message = own or full_message(error.code)
    return f"{message} {error.detail}" if error.detail else message
