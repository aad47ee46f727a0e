"""`timbra token`: tokens of accounts."""

from __future__ import annotations

from typing import Annotated

import typer

from timbra.cli.opened import Data, opened

app = typer.Typer(help="Tokens of accounts.", no_args_is_help=True)

User = Annotated[str, typer.Argument(help="User name of the account.")]
Infinite = Annotated[bool, typer.Option("--infinite", help="Good until revoked; otherwise for two hours.")]
Label = Annotated[str, typer.Option(help="What an infinite token is for.")]


@app.command()
def create(user: User, infinite: Infinite = False, label: Label = "", data: Data = None) -> None:
    """Print a new token, alone."""
    with opened(data) as house:
        accounts = house.accounts
        typer.echo(accounts.create_infinite_token(user, label) if infinite else accounts.session_token(user).token)


@app.command("list")
def list_tokens(
    user: Annotated[str | None, typer.Argument(help="Only of this user.")] = None, data: Data = None
) -> None:
    """Live infinite tokens: id, user, when made (UTC), label."""
    with opened(data) as house:
        users = {account.account_id: account.user for account in house.accounts.list_accounts()}
        for token in house.accounts.list_infinite_tokens(user):
            made = f"{token.created_at:%Y-%m-%dT%H:%M:%SZ}"
            typer.echo(f"{token.token_id}\t{users[token.account_id]}\t{made}\t{token.label}")


@app.command()
def revoke(
    token: Annotated[str, typer.Argument(help="An infinite token, or its id as `token list` shows it.")],
    data: Data = None,
) -> None:
    """End an infinite token."""
    with opened(data) as house:
        house.accounts.revoke(token)
