"""`timbra token`: access tokens of accounts."""

from __future__ import annotations

from typing import Annotated

import typer

from timbra.cli.framework.services_option import DataOption, open_services
from timbra.service.services import AccountServices

app = typer.Typer(help="Access tokens of accounts.", no_args_is_help=True)

User = Annotated[str, typer.Argument(help="User name of the account.")]
Infinite = Annotated[bool, typer.Option("--infinite", help="Valid until revoked; without this option, for two hours.")]
Label = Annotated[str, typer.Option(help="Label of an infinite token.")]


@app.command()
def create(user: User, infinite: Infinite = False, label: Label = "", data: DataOption = None) -> None:
    """Create a token; prints the token alone."""
    with open_services(data, AccountServices) as services:
        accounts = services.accounts
        typer.echo(accounts.create_infinite_token(user, label) if infinite else accounts.session_token(user).token)


@app.command("list")
def list_tokens(
    user: Annotated[str | None, typer.Argument(help="Only tokens of this user.")] = None, data: DataOption = None
) -> None:
    """List infinite tokens that are not revoked: id, user, time of creation (UTC), label."""
    with open_services(data, AccountServices) as services:
        users = {account.account_id: account.user for account in services.accounts.list_accounts()}
        for token in services.accounts.list_infinite_tokens(user):
            created = f"{token.created_at:%Y-%m-%dT%H:%M:%SZ}"
            typer.echo(f"{token.token_id}\t{users[token.account_id]}\t{created}\t{token.label}")


@app.command()
def revoke(
    token: Annotated[str, typer.Argument(help="An infinite token, or its id from `timbra token list`.")],
    data: DataOption = None,
) -> None:
    """Revoke an infinite token."""
    with open_services(data, AccountServices) as services:
        services.accounts.revoke(token)
