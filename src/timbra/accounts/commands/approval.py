"""`timbra approval`: operations that a second person confirms; and the identity of the persons at the command line."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from timbra.accounts.services import AccountServices
from timbra.console.command import Command, Panel
from timbra.console.language import translate
from timbra.console.services_option import DataOption, open_services

if TYPE_CHECKING:
    from timbra.accounts.store.approval_repository import Approval
    from timbra.core.approvals import ProtectedAction
    from timbra.core.caller import Caller

app = typer.Typer(help="Operations that a second person confirms, see TIMBRA_TWO_PERSON_ACTIONS.", no_args_is_help=True)

Number = Annotated[int, typer.Argument(help="Number of the request.")]


@app.command("list")
def list_requests(data: DataOption = None) -> None:
    """List the open requests: number, operation, subject, who requested it, end (UTC), who confirmed it."""
    with open_services(data, AccountServices) as services:
        _print(services.approvals.list_all())


@app.command()
def confirm(number: Number, data: DataOption = None) -> None:
    """Confirm a request of another person; prompts for user name, password and code."""
    with open_services(data, AccountServices) as services:
        _print([services.approvals.confirm(identify(services), number)])


@app.command()
def reject(number: Number, data: DataOption = None) -> None:
    """End a request, one's own too; prompts for user name, password and code."""
    with open_services(data, AccountServices) as services:
        _print([services.approvals.reject(identify(services), number)])


def require_approval(data: Path | None, action: ProtectedAction, subject: str = "") -> None:
    """Use the confirmation of a protected operation; without one, request it and end the command.

    Raises:
        typer.Exit: With code 1, after a line that names the request.
    """
    with open_services(data, AccountServices) as services:
        approvals = services.approvals
        if not approvals.protects(action):
            return
        if not approvals.is_waiting(action, subject):
            approvals.request(identify(services), action, subject)
        approvals.use(action, subject)


def identify(services: AccountServices) -> Caller:
    """Prompt for the user name, the password and, for a user who has a second factor, a code of a person.

    Raises:
        ServiceError: Those of `Accounts.authenticate` and of `SecondFactors.verify`.
    """
    import asyncio

    user = str(typer.prompt(translate("User name"), err=True))
    password = str(typer.prompt(translate("Password"), hide_input=True, err=True))
    session = asyncio.run(services.accounts.authenticate(user, password))
    person = services.accounts.caller(f"Bearer {session.token}")
    if person.has_second_factor:
        code = str(typer.prompt(translate("Code of the application, or a recovery code"), err=True))
        services.second_factors.verify(person, code, "")
    return person


def _print(approvals: Sequence[Approval]) -> None:
    for each in approvals:
        until = f"{each.expires_at:%Y-%m-%dT%H:%M:%SZ}"
        columns = (str(each.number), each.action, each.subject, each.requested_by, until, each.confirmed_by or "")
        typer.echo("\t".join(columns))


COMMANDS = (Command("approval", app, Panel.OPERATE, 35),)
