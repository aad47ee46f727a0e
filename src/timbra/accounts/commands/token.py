"""`timbra token`: access tokens of accounts."""

from __future__ import annotations

from datetime import timedelta
from enum import StrEnum
from typing import Annotated

import typer

from timbra.accounts.commands.approval import require_approval
from timbra.accounts.services import AccountServices
from timbra.console.command import Command, Panel
from timbra.console.language import translate
from timbra.console.services_option import DataOption, open_services

MAX_DAYS = 3650

app = typer.Typer(help="Access tokens of accounts.", no_args_is_help=True)

User = Annotated[str, typer.Argument(help="User name of the account.")]
Infinite = Annotated[bool, typer.Option("--infinite", help="Valid until revoked; without this option, for two hours.")]
Label = Annotated[str, typer.Option(help="Label of an infinite token.")]


class Scope(StrEnum):
    """Parts of the API that a token may use."""

    STAMP = "stamp"
    CANCEL = "cancel"
    READ = "read"
    MANAGE = "manage"


Scopes = Annotated[
    list[Scope] | None,
    typer.Option("--scope", help="Part of the API that an infinite token may use; repeatable. Without it, all parts."),
]
Days = Annotated[
    int | None, typer.Option(min=1, max=MAX_DAYS, help="Days after which an infinite token expires; never by default.")
]


@app.command()
def create(
    user: User,
    infinite: Infinite = False,
    label: Label = "",
    scope: Scopes = None,
    days: Days = None,
    data: DataOption = None,
) -> None:
    """Create a token; prints the token alone."""
    if not infinite and (scope or days):
        raise typer.BadParameter(translate("--scope and --days need --infinite"))
    with open_services(data, AccountServices) as services:
        accounts = services.accounts
        if not infinite:
            typer.echo(accounts.session_token(user).token)
            return
        lifetime = timedelta(days=days) if days else None
        scopes = frozenset(one.value for one in scope) if scope else None
        typer.echo(accounts.create_infinite_token(user, label, scopes, lifetime))


@app.command("list")
def list_tokens(
    user: Annotated[str | None, typer.Argument(help="Only tokens of this user.")] = None, data: DataOption = None
) -> None:
    """List infinite tokens that are not revoked: id, user, time of creation (UTC), label, scopes, expiry (UTC)."""
    with open_services(data, AccountServices) as services:
        users = {account.account_id: account.user for account in services.accounts.list_accounts()}
        for token in services.accounts.list_infinite_tokens(user):
            created = f"{token.created_at:%Y-%m-%dT%H:%M:%SZ}"
            expires = f"{token.expires_at:%Y-%m-%dT%H:%M:%SZ}" if token.expires_at else "never"
            scopes = token.scopes or "all"
            columns = (token.token_id, users[token.account_id], created, token.label, scopes, expires)
            typer.echo("\t".join(columns))


@app.command()
def revoke(
    token: Annotated[str, typer.Argument(help="An infinite token, or its id from `timbra token list`.")],
    data: DataOption = None,
) -> None:
    """Revoke an infinite token."""
    with open_services(data, AccountServices) as services:
        services.accounts.revoke(token)


@app.command("rotate-secret")
def rotate_secret(
    keep_days: Annotated[
        int, typer.Option(min=0, max=MAX_DAYS, help="Days for which tokens of the present secret stay valid.")
    ] = 30,
    data: DataOption = None,
) -> None:
    """Sign tokens with a new secret; prints the time (UTC) at which older tokens, infinite ones included, end."""
    from timbra.core.approvals import ProtectedAction

    require_approval(data, ProtectedAction.ROTATE_TOKEN_SECRET, f"--keep-days {keep_days}")
    with open_services(data, AccountServices) as services:
        until = services.accounts.rotate_token_secret(timedelta(days=keep_days))
        typer.echo(f"{until:%Y-%m-%dT%H:%M:%SZ}")


COMMANDS = (Command("token", app, Panel.OPERATE, 40),)
