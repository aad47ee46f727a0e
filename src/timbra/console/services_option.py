"""Services for commands: the option `--data`, and the groups of services of that folder for the run of a command."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Protocol, TypeVar, overload

import typer

from timbra.console.language import translate

if TYPE_CHECKING:
    from timbra.core.errors import ServiceError
    from timbra.settings import Settings
    from timbra.web.injection import Groups

DataOption = Annotated[
    Path | None,
    typer.Option("--data", help="Folder of all embedded state. By default TIMBRA_DATA, or the user's data folder."),
]

COMPLETE_DETAILS = frozenset(
    {
        "account-disabled",
        "account-exists",
        "account-unknown",
        "certificate-unknown",
        "certificate-unreadable",
        "document-unknown",
        "folio-invalid",
        "key-cipher",
        "key-mismatch",
        "key-password",
        "last-administrator",
        "master-key-invalid",
        "request-empty",
        "signature-faulty",
        "source-not-xml",
        "taxpayer-exists",
        "taxpayer-unknown",
        "time-invalid",
        "token-unknown",
    }
)
"""Codes whose details repeat their message with the values of the request."""

First = TypeVar("First")
Second = TypeVar("Second")
Third = TypeVar("Third")


@overload
def open_services(
    data: Path | None, group: type[First], /, *, may_create: bool = ...
) -> AbstractContextManager[First]: ...
@overload
def open_services(
    data: Path | None, first: type[First], second: type[Second], /, *, may_create: bool = ...
) -> AbstractContextManager[tuple[First, Second]]: ...
@overload
def open_services(
    data: Path | None, first: type[First], second: type[Second], third: type[Third], /, *, may_create: bool = ...
) -> AbstractContextManager[tuple[First, Second, Third]]: ...
@contextmanager
def open_services(data: Path | None, /, *groups: type[Any], may_create: bool = False) -> Iterator[Any]:
    """Open the groups of services that a command uses, and close them after the command.

    Args:
        data: Value of `--data`; None for the folder that the settings name.
        groups: One to three groups of services, such as `StampingServices`.
        may_create: Whether the command creates a data folder that does not exist.

    Yields:
        The group for one class, a tuple of groups for several.

    Raises:
        typer.Exit: With code 1, after one line on standard error: as `require_data`, or a ServiceError. A group that
            the environment does not have is such an error (`CO1000`).
    """
    with open_server(data, may_create=may_create) as server:
        services = tuple(server.groups[group]() for group in groups)
        yield services if len(services) > 1 else services[0]


class Server(Protocol):
    """The services of a data folder, opened for one command."""

    @property
    def groups(self) -> Groups:
        """Functions that build each group of services, by its class."""


OpenServer = Callable[..., AbstractContextManager[Server]]
_opener: list[OpenServer] = []


def compose_with(opener: OpenServer) -> None:
    """Name the function that opens the services of a data folder; no feature imports the composition root.

    Args:
        opener: Takes the value of `--data`, `may_create` and `opens_database`.
    """
    _opener[:] = [opener]


def open_server(
    data: Path | None, *, may_create: bool = False, opens_database: bool = True
) -> AbstractContextManager[Server]:
    """Open the services of a data folder; see `open_services`.

    Args:
        opens_database: Whether the command ends with one line when the database cannot be opened.
    """
    return _opener[0](data, may_create=may_create, opens_database=opens_database)


def command_settings(data: Path | None) -> Settings:
    """Load the settings; `--data` has precedence over the data folder that they name."""
    from timbra.settings import load_settings

    return load_settings() if data is None else load_settings(data=data)


def check_setting_names(settings: Settings) -> None:
    """Name the variables `TIMBRA_*` that nothing reads; outside of the sandbox a server does not start with one.

    Raises:
        typer.Exit: With code 1, in production and in a rehearsal.
    """
    from timbra.settings.unknown_names import unknown_names

    unknown = unknown_names()
    for each in unknown:
        text = translate("{name} is no setting.").format(name=each.name)
        if each.nearest:
            text = translate("{name} is no setting; {nearest} is the nearest one.").format(
                name=each.name, nearest=each.nearest
            )
        typer.echo(text, err=True)
    if unknown and settings.environment != "sandbox":
        raise typer.Exit(1)


def rejection_line(error: ServiceError) -> str:
    """Format an error as one line: the message of its code, then its detail; the detail alone if it says the same."""
    from timbra.rules.reference.messages import MESSAGES, full_message

    if error.detail and error.code in COMPLETE_DETAILS:
        return error.detail
    own = MESSAGES.get(error.code) if error.code.islower() else None
    message = own or full_message(error.code)
    return f"{message} {error.detail}" if error.detail and error.detail not in message else message
