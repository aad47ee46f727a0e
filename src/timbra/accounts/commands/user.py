"""`timbra user`: users of an account, besides the account itself."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from timbra.accounts.commands.account import PasswordStdin, read_password
from timbra.accounts.services import AccountServices
from timbra.console.command import Command, Panel
from timbra.console.services_option import DataOption, open_services

app = typer.Typer(help="Users of an account, each with a password and a role of their own.", no_args_is_help=True)


class Role(StrEnum):
    """Roles of users."""

    OWNER = "owner"
    OPERATOR = "operator"
    READER = "reader"
    AUDITOR = "auditor"


Account = Annotated[str, typer.Argument(help="User name of the account.")]
User = Annotated[str, typer.Argument(help="User name of the user; case-insensitive.")]
Password = Annotated[
    str | None, typer.Option(help="Password; the command prompts for it when it is not given. Others see it in `ps`.")
]
RoleOption = Annotated[
    Role,
    typer.Option(
        "--role",
        help="owner: everything. operator: stamps, cancels and reads. reader: reads. auditor: reads the audit log too.",
    ),
]


@app.command()
def create(
    account: Account,
    user: User,
    role: RoleOption,
    password: Password = None,
    password_stdin: PasswordStdin = False,
    data: DataOption = None,
) -> None:
    """Create a user of an account; prints the user name and the role."""
    chosen = read_password(password, password_stdin)
    with open_services(data, AccountServices) as services:
        account_id = services.accounts.find(account).account_id
        created = services.accounts.users.create(account_id, user, chosen, role.value)
        typer.echo(f"{created.user} ({created.role})")


@app.command("list")
def list_users(account: Account, data: DataOption = None) -> None:
    """List the users of an account: user, role, state, time of creation (UTC)."""
    with open_services(data, AccountServices) as services:
        for user in services.accounts.users.list_users(services.accounts.find(account).account_id):
            state = "active" if user.active else "disabled"
            typer.echo(f"{user.user}\t{user.role}\t{state}\t{user.created_at:%Y-%m-%dT%H:%M:%SZ}")


@app.command("role")
def set_role(account: Account, user: User, role: RoleOption, data: DataOption = None) -> None:
    """Change the role of a user; its tokens and sessions have the new one at once."""
    _update(account, user, role.value, None, data)


@app.command()
def disable(account: Account, user: User, data: DataOption = None) -> None:
    """Disable a user: login and all its tokens are rejected."""
    _update(account, user, None, False, data)


@app.command()
def enable(account: Account, user: User, data: DataOption = None) -> None:
    """Enable a disabled user again."""
    _update(account, user, None, True, data)


@app.command("reset-factor")
def reset_factor(
    user: Annotated[str, typer.Argument(help="User name of an account or of a user of one; case-insensitive.")],
    data: DataOption = None,
) -> None:
    """Remove the second factors of a user who lost them: the password alone signs in again."""
    with open_services(data, AccountServices) as services:
        typer.echo(services.second_factors.reset_by_name(user))


@app.command()
def remove(account: Account, user: User, data: DataOption = None) -> None:
    """Remove a user permanently: its sessions and tokens end."""
    with open_services(data, AccountServices) as services:
        account_id = services.accounts.find(account).account_id
        services.accounts.users.remove(account_id, services.accounts.users.find(account_id, user).guid)


def _update(account: str, user: str, role: str | None, active: bool | None, data: Path | None) -> None:
    from timbra.accounts.account_users import AccountUserChange

    with open_services(data, AccountServices) as services:
        users, account_id = services.accounts.users, services.accounts.find(account).account_id
        users.update(account_id, users.find(account_id, user).guid, AccountUserChange(role, active))


COMMANDS = (Command("user", app, Panel.OPERATE, 30),)
