"""`timbra account`: who may use the service."""

from __future__ import annotations

from typing import Annotated

import typer

from timbra.cli import balance
from timbra.cli.opened import Data, opened

app = typer.Typer(help="Accounts: who may use the service.", no_args_is_help=True)
app.add_typer(balance.app, name="balance")

User = Annotated[str, typer.Argument(help="User name, usually an e-mail address; upper and lower case are the same.")]
Password = Annotated[str, typer.Option(help="Asked for when not given.", prompt=True, hide_input=True)]
Administrator = Annotated[bool, typer.Option("--administrator", help="May use the sandbox's own controls.")]


@app.command()
def create(user: User, password: Password, administrator: Administrator = False, data: Data = None) -> None:
    """Make an account."""
    from timbra.accounts.caller import ACCOUNT, ADMINISTRATOR

    with opened(data) as house:
        made = house.accounts.create(user, password, ADMINISTRATOR if administrator else ACCOUNT)
        typer.echo(f"{made.user} ({made.role})")


@app.command()
def password(user: User, password: Password, data: Data = None) -> None:
    """Change a password: session tokens of the old one end, infinite tokens go on."""
    with opened(data) as house:
        house.accounts.set_password(user, password)


@app.command("list")
def list_accounts(data: Data = None) -> None:
    """All accounts: user, role, state, when made (UTC)."""
    with opened(data) as house:
        for account in house.accounts.list_accounts():
            state = "active" if account.active else "disabled"
            typer.echo(f"{account.user}\t{account.role}\t{state}\t{account.created_at:%Y-%m-%dT%H:%M:%SZ}")


@app.command()
def disable(user: User, data: Data = None) -> None:
    """Close an account: no login, and none of its tokens is accepted."""
    with opened(data) as house:
        house.accounts.set_active(user, False)


@app.command()
def enable(user: User, data: Data = None) -> None:
    """Open a disabled account again."""
    with opened(data) as house:
        house.accounts.set_active(user, True)
